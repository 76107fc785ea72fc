/** Keys of `server`, `tls`, `logger` and `ui`: listeners, logs and pages (interface 2.5; SPEC 1). */
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/result.ts';
import { parsed } from '../../routes/shapes.ts';
import { parseListenAddress, parsePathPrefix, parsePublicUrl, serverDefaults } from './addresses.ts';
import { always, key, lower, moreEntries, never, toFalse } from './keys.ts';
import { filePath, text, timeoutSeconds, wholeSeconds } from './value-types.ts';

const HOST_NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?$/;
const NOT_LISTENER = (input: unknown) =>
  `${JSON.stringify(input)} is not host:port or false: write for example 127.0.0.1:5000`;

const listener = () => parsed(parseListenAddress);
const listenerOrOff = () => z.union([listener(), z.literal(false)], { error: ({ input }) => NOT_LISTENER(input) });

const MOST_SITES = 100;
const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;
export const isSiteName = (text: string): boolean => SITE_NAME.test(text);

const siteName = () =>
  text(isSiteName, 'is not a name of a site: write 1 to 30 lower-case letters, digits and hyphens, such as barn');

// biome-ignore format: a table
const otherSite = z.strictObject({
  name: key(siteName(), { widens: never },
    'What that site has as server.site.'),
  url: key(parsed(parsePublicUrl), { widens: never },
    'Address that people use for that site.'),
});

// biome-ignore format: a table
export const serverSection = z
  .strictObject({
    external: key(listener().prefault(serverDefaults.external), { widens: never, fromStart: true },
      'Address of the authenticated listener, host:port, or unix:/path for a proxy on this machine.'),
    internal: key(listenerOrOff().prefault(serverDefaults.internal), { widens: always, fromStart: true },
      'Address of the internal listener, host:port. Every request there has the rights of an admin, without login. False: off.'),
    internal_hosts: key(z.array(
        text(HOST_NAME, 'is not a host name: write it without port or path').transform((name) => name.toLowerCase()),
      ).prefault([]), { widens: moreEntries, example: ['nvr.example.lan'] },
      'Host names that the internal listener accepts, besides IP addresses, localhost and names without a dot.'),
    telemetry: key(listenerOrOff().prefault(serverDefaults.telemetry), { widens: always, fromStart: true },
      'Address of the listener for /metrics, /healthz and /readyz, host:port. False: off.'),
    base_path: key(parsed(parsePathPrefix).optional().transform((prefix) => prefix ?? ''), { widens: never, example: '/postern-nvr' },
      'Path prefix of pages, cookies and redirects.'),
    public_url: key(parsed(parsePublicUrl).optional(), { widens: never, example: 'https://nvr.example.com' },
      'Address that people use, https://host with the base path behind it. It is in the start message, is what "postern doctor" and the status page check, and its host name may not be part of a password. The Host header of a request is never taken for it.'),
    site: key(siteName().optional(), { widens: never, fromStart: true, example: 'house' },
      'Name of this site, where several NVRs have a Postern each and all use one store. A camera that is named in a role, an API token or elsewhere is then that camera at every site. Never change it without "postern sites rename". Unset: this is the only one.'),
    sites: key(z.array(otherSite).max(MOST_SITES).prefault([]), { widens: never, example: [{ name: 'barn', url: 'https://barn.example.com' }] },
      'The other sites on the same store. The account menu of the console leads to them.'),
    shutdown_grace: key(timeoutSeconds().prefault(8), { widens: never },
      'Time limit for requests that are still running at a stop, in seconds. "docker stop" kills after 10.'),
  })
  .prefault({})
  .describe('Listeners and their limits.');

const DEFAULT_PAIR = { certificate: 'tls/fullchain.pem', private_key: 'tls/privkey.pem' } as const;

// biome-ignore format: a table
export const tlsSection = z
  .strictObject({
    enabled: key(z.boolean().prefault(true), { widens: toFalse, fromStart: true },
      'HTTPS on the external listener. Without a certificate a self-signed one is created and kept.'),
    certificate: key(filePath().optional(), { widens: never, fromStart: true, example: DEFAULT_PAIR.certificate },
      `PEM file of the certificate chain. Set: the file must be there at a start. Unset: ${DEFAULT_PAIR.certificate}, where a self-signed certificate is made if there is none.`),
    private_key: key(filePath().optional(), { widens: never, fromStart: true, example: DEFAULT_PAIR.private_key },
      `PEM file of the private key. Unset: ${DEFAULT_PAIR.private_key}.`),
    hsts: key(wholeSeconds().prefault(31_536_000), { widens: lower, fromStart: true },
      'Strict-Transport-Security: browsers use only HTTPS for this host name, on all of its ports, for this long, in seconds. 0: browsers drop the rule. Sent only with a certificate of your own.'),
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

// biome-ignore format: a table
export const loggerSection = z
  .strictObject({
    default: key(level().prefault('info'), { widens: never },
      'Log level: trace, debug, info, warning, error or critical.'),
    logs: key(z.record(z.string(), level()).prefault({}), { widens: never, example: { 'service.api.auth': 'debug' } },
      'Log levels of single loggers. service.api.auth at debug logs the identity headers that the proxy sent. service.access has a line for each request that was answered; those for pictures, segments and films are debug, unless they failed.'),
  })
  .prefault({})
  .describe('Log levels.');

const OWN_NAME = /^(?=\S)[^\p{C}\p{Zl}\p{Zp}]{1,40}$/u;
const FRAME_KEYWORD = /^'?(?<word>self|none)'?$/;
const FRAME_SOURCE =
  /^(?:https?:\/\/)?(?:\*|(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?::(?:\d{1,5}|\*))?$|^https?:$/;

// biome-ignore format: a table
export const uiSection = z
  .strictObject({
    login: key(z.enum(['postern', 'nvr']).prefault('postern'), { widens: never },
      'Login page: postern, or nvr for the page of the NVR.'),
    name: key(z.string().regex(OWN_NAME, 'give 1 to 40 characters on one line').prefault('Postern'), { widens: never, example: 'Villa Rosa' },
      'What the login page and the console call themselves.'),
    start_page: key(text(isStartPage, 'is not a page to begin at: write a path such as /review or "/stream.html?src={camera}"').optional(), { widens: never, example: '/stream.html?src={camera}' },
      "Page where a login lands, and to which the links to the cameras lead; {camera} is the person's first camera. Unset, or for a person who may not open it: the first page of the route table that the person may open."),
    frame_ancestors: key(parsed(parseFrameAncestors).prefault('self'), { widens: always },
      'Who may show the pages in a frame: self, none or origins, separated by blanks (Content-Security-Policy).'),
  })
  .prefault({})
  .describe('Login page and console.');

const START_PAGE = /^\/(?![/\\])(?:[\w\-.~!$&'()*+,=:@/?%]|\{camera(?:\.\.\.)?\})*$/;
/** These lead to the start page. */
const NO_START_PAGE = /^\/(?:postern\/start|login|logout)\/?(?:\?|$)/;

function isStartPage(page: string): boolean {
  return START_PAGE.test(page) && !NO_START_PAGE.test(page);
}

/** Gives the Content-Security-Policy spelling: keywords in quotes. Nothing in it can end the directive. */
function parseFrameAncestors(written: string): Result<string, string> {
  const sources = written.trim().split(/\s+/);
  const wrong = sources.find((source) => !FRAME_KEYWORD.test(source) && !FRAME_SOURCE.test(source));
  if (wrong === undefined) return ok(sources.map((source) => source.replace(FRAME_KEYWORD, "'$<word>'")).join(' '));
  return err(
    `${JSON.stringify(wrong)} is not a frame source: write self, none or origins such as https://home.example.com`,
  );
}
