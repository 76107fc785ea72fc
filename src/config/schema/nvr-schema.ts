/** Keys of `nvr` and `events`: the NVR and where events come from (SPEC 1, 7). */
import { z } from 'zod';
import { PUSH_HOST, type UpstreamRoute } from '../../domain/addresses.ts';
import { parsed } from '../../routes/shapes.ts';
import { parsePathPrefix, parseUpstream } from './addresses.ts';
import { always, higher, key, moreEntries, never, toFalse } from './keys.ts';
import {
  cameraName,
  checked,
  duration,
  filePath,
  headerSecret,
  LONGEST_SECONDS,
  parseSize,
  text,
  timeoutSeconds,
} from './value-types.ts';

/** Where the browsers of today have their push services. */
const PUSH_SERVICES = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

const upstream = () => parsed(parseUpstream);

/** A server, or one that does not know the prefix under which it stands here. */
const routeTarget = () =>
  z.union(
    [
      upstream(),
      z.strictObject({
        url: upstream().meta({ widens: never }),
        strip: z.boolean().prefault(false).meta({ widens: never }),
      }),
    ],
    {
      error: ({ input }) => {
        const read = parseUpstream(typeof input === 'string' ? input : '');
        return read.ok ? undefined : read.error;
      },
    },
  );

/** Two spellings of one prefix: which server is asked would depend on their order. */
function prefixesDiffer(routes: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const seen = new Map<string, string>();
  for (const path of Object.keys(routes)) {
    const before = seen.get(withoutSlash(path));
    seen.set(withoutSlash(path), path);
    if (before === undefined) continue;
    const message = `${JSON.stringify(path)} and ${JSON.stringify(before)} are one prefix: remove one of the two`;
    context.addIssue({ code: 'custom', message, path: [path] });
  }
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

function routeAt(prefix: string, target: z.output<ReturnType<typeof routeTarget>>): UpstreamRoute {
  if ('kind' in target) return { prefix, upstream: target };
  return { prefix, upstream: target.strip ? { ...target.url, below: prefix } : target.url };
}

/** The longest prefix first. */
const upstreamRoutes = () =>
  z
    .record(checked(z.string(), parsePathPrefix), routeTarget())
    .superRefine(prefixesDiffer)
    .transform((routes): readonly UpstreamRoute[] =>
      Object.entries(routes)
        .map(([path, target]) => routeAt(withoutSlash(path), target))
        .sort((left, right) => right.prefix.length - left.prefix.length),
    );

// biome-ignore format: a table
export const nvrSection = z
  .strictObject({
    url: key(upstream().optional(), { widens: never, example: 'http://nvr:5000' },
      'Address of the NVR: http(s)://host:port or unix:/path.'),
    routes: key(upstreamRoutes().prefault({}), { widens: never, example: { '/live/webrtc': 'http://go2rtc:1984', '/hls': { url: 'http://mediamtx:8888', strip: true } } },
      'Path prefixes that are forwarded to another server; the longest matching prefix wins. With {url, strip: true} the server is sent the path without the prefix, and addresses in its responses get it back.'),
    policy: key(filePath().prefault('frigate'), { widens: always, isFile: false },
      'Route table that says who may use which path: a name in conf/policies, or a file.'), // the loader of tables tells a file from a name
    auth_secret: key(headerSecret().optional(), { widens: never, example: '{SERVICE_NVR_SECRET}' },
      'Sent to the NVR as X-Proxy-Secret, for an NVR that trusts identity headers on its authenticated port.'),
    cameras: key(z.array(cameraName()).min(1).optional(), { widens: never, example: ['front_door', 'garden'] },
      'Names of all cameras. Unset: read from the NVR, or without an NVR from the stored events.'),
    ca: key(filePath().optional(), { widens: always, example: 'tls/nvr-ca.pem' },
      "PEM file of the certificate authority that signed the NVR's certificate."),
    verify: key(z.boolean().prefault(true), { widens: toFalse },
      "Whether the NVR's TLS certificate is verified."),
    timeout_response: key(timeoutSeconds().prefault(60), { widens: never },
      'Time limit for the first byte of a response from the NVR, in seconds.'),
    timeout_idle: key(timeoutSeconds().prefault(300), { widens: never },
      'A stream without data from the NVR for this long is closed, in seconds; so is a connection whose client does not send the rest of its request. While a client does not read its response this time does not run: such a client is cut off after an hour.'),
    push_endpoints: key(z.array(
        text(PUSH_HOST, 'is not the host of a push service: write a name such as push.example.com, or *.example.com'),
      ).prefault(PUSH_SERVICES), { widens: moreEntries },
      'Hosts of push services that the NVR may be told to call by POST /api/notifications/register: names, or *. and a name for all below it. Other addresses are refused with 422.'),
    max_upload: key(parsed(parseSize).prefault('20MB'), { widens: higher },
      'Largest request body that is forwarded; larger ones are refused with 413.'),
  })
  .prefault({})
  .describe('The NVR behind Postern. Without nvr.url Postern serves events from its own store.');

const DAY_SECONDS = 86_400;

/** Seconds where days were meant would delete all events. */
const notADay = {
  error: ({ input }: { readonly input?: unknown }) =>
    `${JSON.stringify(input)} is not a number of seconds from ${DAY_SECONDS} (a day) on, or null: 30 days are ${30 * DAY_SECONDS}`,
};

// biome-ignore format: a table
export const eventsSection = z
  .strictObject({
    source: key(z.enum(['store', 'nvr', 'nvr-database']).optional(), { widens: never, example: 'store' },
      "Source of /api/events: store (Postern's database), nvr-database (the NVR's own SQLite file, read-only) or nvr (forwarded to the NVR). Unset: nvr if nvr.url is set, else store."),
    nvr_database: key(filePath().optional(), { widens: never, example: '/media/nvr/frigate.db' },
      "The NVR's SQLite file, for events.source nvr-database. Mount its whole directory: SQLite keeps the files -wal and -shm beside it."),
    retention: key(duration(z.union([z.int().min(DAY_SECONDS, notADay).max(LONGEST_SECONDS), z.null()], notADay)).prefault(null), { widens: never },
      "Seconds after which events in Postern's own store are deleted, counted from their beginning; events that are marked to be kept stay. Deleted events cannot be brought back. Null: none is deleted."),
    sample: key(z.int().min(0).max(1_000_000).prefault(0), { widens: never, fromStart: true },
      'Number of sample events that the first start creates in an empty store.'),
  })
  .prefault({})
  .describe('Detection events.');
