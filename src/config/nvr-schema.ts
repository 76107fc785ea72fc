/** Keys of `nvr`, `events`, `store` and `limits`: what stands behind (SPEC 1, 7, 10). */
import { z } from 'zod';
import type { UpstreamRoute } from '../domain/socket-address.ts';
import { parsePathPrefix, parseUpstream } from './addresses.ts';
import { cameraName, filePath, headerName, headerSecret, parsed, parseSize, timeoutSeconds } from './value-types.ts';

const upstream = () => parsed(parseUpstream);

const pathPrefix = () =>
  z.string().superRefine((path, context) => {
    const prefix = parsePathPrefix(path);
    if (!prefix.ok) context.addIssue({ code: 'custom', message: prefix.error });
  });

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

export const nvrSection = z
  .strictObject({
    url: upstream()
      .optional()
      .meta({ description: 'The NVR: http(s)://host:port or unix:/path (SPEC 1).', example: 'http://nvr:5000' }),
    routes: z
      .record(pathPrefix(), upstream())
      .transform((routes): readonly UpstreamRoute[] =>
        Object.entries(routes)
          .map(([path, target]) => ({ prefix: withoutSlash(path), upstream: target }))
          .sort((left, right) => right.prefix.length - left.prefix.length),
      )
      .prefault({})
      .meta({
        description: 'Path prefixes that another server answers; the longest wins (SPEC 1).',
        example: { '/live/webrtc': 'http://go2rtc:1984' },
      }),
    policy: filePath()
      .prefault('frigate')
      .describe('The route table to judge by: a name in conf/policies, or a file (SPEC 5).'),
    auth_secret: headerSecret().optional().meta({
      description:
        'Sent to the NVR as X-Proxy-Secret, for an NVR that believes headers on its authenticated port (SPEC 1).',
      example: '{SERVICE_NVR_SECRET}',
    }),
    auth_secret_file: filePath()
      .optional()
      .meta({ description: 'A file that holds nvr.auth_secret (SPEC 1).', example: '/run/secrets/nvr_secret' }),
    user_header: headerName().prefault('remote-user').describe('Header that tells the NVR the user name (SPEC 6).'),
    role_header: headerName().prefault('remote-role').describe('Header that tells the NVR the role (SPEC 6).'),
    cameras: z
      .array(cameraName())
      .min(1)
      .optional()
      .meta({
        description: 'The known cameras; unset: asked from the NVR, or those in the event store (SPEC 1).',
        example: ['front_door', 'garden'],
      }),
    ca: filePath().optional().meta({
      description: "PEM file of the authority that signed the NVR's certificate (SPEC 1).",
      example: 'tls/nvr-ca.pem',
    }),
    verify: z.boolean().prefault(true).describe("Whether the NVR's certificate is checked (SPEC 1)."),
    timeout_connect: timeoutSeconds()
      .prefault(5)
      .describe('A connection to the NVR stands by then, in seconds (SPEC 1).'),
    timeout_response: timeoutSeconds()
      .prefault(60)
      .describe("The first byte of the NVR's answer is there by then, in seconds (SPEC 1)."),
    timeout_idle: timeoutSeconds()
      .prefault(300)
      .describe('Silence on a stream after which it is cut, in seconds (SPEC 1).'),
    max_upload: parsed(parseSize).prefault('20MB').describe('Larger request bodies are refused with 413 (SPEC 1).'),
  })
  .transform(({ auth_secret_file, ...nvr }) => nvr)
  .prefault({})
  .describe('The NVR behind. Without nvr.url Postern serves events from its own store.');

export const eventsSection = z
  .strictObject({
    source: z.enum(['store', 'nvr', 'nvr-database']).optional().meta({
      description:
        "Who answers /api/events: store (own database), nvr-database (the NVR's own SQLite file, read-only) or nvr (forwarded); unset: nvr if nvr.url is set, else store (SPEC 1).",
      example: 'store',
    }),
    nvr_database: filePath().optional().meta({
      description:
        "The NVR's own SQLite file, for events.source nvr-database: its whole directory must be there, for SQLite keeps files beside it (SPEC 1).",
      example: '/media/nvr/frigate.db',
    }),
    max_limit: z.int().min(1).prefault(10_000).describe('The most events that one answer holds (SPEC 1).'),
    query_timeout: timeoutSeconds()
      .prefault(10)
      .describe('A query on events is given up after this, in seconds (SPEC 7).'),
    sample: z
      .int()
      .min(0)
      .max(1_000_000)
      .prefault(0)
      .describe('How many sample events are made at the first start, when the store is empty (SPEC 1).'),
  })
  .prefault({})
  .describe('Detection events.');

export const limitsSection = z
  .strictObject({
    redis_url: z
      .string()
      .refine(() => false, {
        error: 'is not supported in this version, which keeps login limits in memory: remove the key',
      })
      .optional()
      .meta({
        description: 'Not in this version: shared login limits for several replicas (SPEC 10).',
        example: 'redis://redis:6379',
      }),
    redis_url_file: filePath().optional().meta({
      description: 'Not in this version: a file that holds limits.redis_url (SPEC 10).',
      example: '/run/secrets/redis_url',
    }),
  })
  .transform(() => ({}))
  .prefault({})
  .describe('Limits shared between replicas.');
