/** Keys of `server`, `tls`, `logger` and `ui`: listeners, logs and pages (interface 2.5; SPEC 1). */
import { z } from 'zod';
import { err, ok, type Result } from '../domain/result.ts';
import { parseListenAddress, parsePathPrefix } from './addresses.ts';
import { filePath, parsed, parseSize, text, timeoutSeconds, wholeSeconds } from './value-types.ts';

const HOST_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?$/;
const NOT_LISTENER = (input: unknown) =>
  `${JSON.stringify(input)} is not host:port or false: write for example 127.0.0.1:5000`;

const listener = () => parsed(parseListenAddress);
const listenerOrOff = () => z.union([listener(), z.literal(false)], { error: ({ input }) => NOT_LISTENER(input) });

/** `host:port` of the listeners where nothing is written. */
export const serverDefaults = {
  external: '0.0.0.0:8971',
  internal: '127.0.0.1:5000',
  telemetry: '127.0.0.1:9871',
} as const;

export const serverSection = z
  .strictObject({
    external: listener()
      .prefault(serverDefaults.external)
      .describe('The authenticated listener, host:port (interface 1; SPEC 1).'),
    internal: listenerOrOff()
      .prefault(serverDefaults.internal)
      .describe('The anonymous listener, where everybody is admin, host:port; false turns it off (interface 1, 5.6).'),
    internal_hosts: z
      .array(
        text(
          (name) => HOST_NAME.test(name),
          (shown) => `${shown} is not a host name: write it without port or path`,
        ).transform((name) => name.toLowerCase()),
      )
      .prefault([])
      .meta({
        description:
          'More Host names that the internal listener answers to, besides IP addresses, localhost and single-label names (SPEC 1).',
        example: ['nvr.example.lan'],
      }),
    telemetry: listenerOrOff()
      .prefault(serverDefaults.telemetry)
      .describe('Listener of /metrics, /healthz and /readyz, host:port; false turns it off (SPEC 9).'),
    base_path: parsed(parsePathPrefix)
      .optional()
      .transform((prefix) => prefix ?? '')
      .meta({ description: 'Prefix of pages, cookies and redirects (SPEC 1).', example: '/postern-nvr' }),
    timeout_headers: timeoutSeconds()
      .prefault(15)
      .describe("A request's headers must be there by then, in seconds (SPEC 1)."),
    timeout_login_body: timeoutSeconds()
      .prefault(10)
      .describe("A login's body must be there by then, in seconds (SPEC 1)."),
    shutdown_grace: timeoutSeconds()
      .prefault(8)
      .describe('What is in flight at a stop may go on for so long, in seconds. "docker stop" kills after 10.'),
  })
  .prefault({})
  .describe('Listeners.');

const DEFAULT_PAIR = { certificate: 'tls/fullchain.pem', private_key: 'tls/privkey.pem' } as const;

export const tlsSection = z
  .strictObject({
    enabled: z
      .boolean()
      .prefault(true)
      .describe('HTTPS on the external listener; without a certificate a self-signed one is made and kept (SPEC 1).'),
    certificate: filePath()
      .optional()
      .meta({
        description: `PEM file of the certificate chain. Set: the file must be there at a start. Unset: ${DEFAULT_PAIR.certificate}, where a self-signed certificate is made if there is none.`,
        example: DEFAULT_PAIR.certificate,
      }),
    private_key: filePath()
      .optional()
      .meta({
        description: `PEM file of the private key. Unset: ${DEFAULT_PAIR.private_key}.`,
        example: DEFAULT_PAIR.private_key,
      }),
    hsts: wholeSeconds()
      .prefault(31_536_000)
      .describe(
        'Browsers insist on HTTPS for this host name, on all of its ports, for so long, in seconds; 0 makes them forget. Said with a certificate of your own only (SPEC 1; RFC 6797).',
      ),
  })
  .transform(({ certificate, private_key, ...tls }) => ({
    ...tls,
    certificate: certificate ?? DEFAULT_PAIR.certificate,
    private_key: private_key ?? DEFAULT_PAIR.private_key,
  }))
  .prefault({})
  .describe('HTTPS. Relative paths start at the directory of this file.');

/** The NVR's words beside pino's. */
const LEVELS = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warning: 'warn',
  warn: 'warn',
  error: 'error',
  critical: 'fatal',
  fatal: 'fatal',
} as const;
const LEVEL_NAMES = Object.keys(LEVELS) as (keyof typeof LEVELS)[];
const level = () => z.enum(LEVEL_NAMES).transform((name) => LEVELS[name]);

export const loggerSection = z
  .strictObject({
    default: level()
      .prefault('info')
      .describe('Log level: trace, debug, info, warning, error or critical (interface 2.5).'),
    logs: z
      .record(z.string(), level())
      .prefault({})
      .meta({
        description:
          'Levels of single loggers; service.api.auth at debug logs the headers that the proxy sent (interface 2.5).',
        example: { 'service.api.auth': 'debug' },
      }),
    audit_file: filePath().optional().meta({
      description: 'File that audit lines are written to as well, beside the log (SPEC 9).',
      example: 'audit.log',
    }),
    audit_max_size: parsed(parseSize)
      .prefault('10MB')
      .describe('Size at which that file is set aside and begun anew; five older ones are kept (SPEC 9).'),
  })
  .prefault({})
  .describe('Logs.');

const FRAME_KEYWORD = /^'?(?<word>self|none)'?$/;
const FRAME_SOURCE =
  /^(?:https?:\/\/)?(?:\*|(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?::(?:\d{1,5}|\*))?$|^https?:$/;

export const uiSection = z
  .strictObject({
    login: z
      .enum(['postern', 'nvr'])
      .prefault('postern')
      .describe("Whose login page is shown: postern, or nvr for the NVR's own (SPEC 1)."),
    frame_ancestors: parsed(parseFrameAncestors)
      .prefault('self')
      .describe(
        'Who may show the pages in a frame: self, none or origins, separated by blanks (Content-Security-Policy).',
      ),
  })
  .prefault({})
  .describe('Pages.');

/** Gives the Content-Security-Policy spelling: keywords in quotes. Nothing in it can end the directive. */
function parseFrameAncestors(written: string): Result<string, string> {
  const sources = written.trim().split(/\s+/);
  const wrong = sources.find((source) => !FRAME_KEYWORD.test(source) && !FRAME_SOURCE.test(source));
  if (wrong === undefined) return ok(sources.map((source) => source.replace(FRAME_KEYWORD, "'$<word>'")).join(' '));
  return err(
    `${JSON.stringify(wrong)} is not a frame source: write self, none or origins such as https://home.example.com`,
  );
}
