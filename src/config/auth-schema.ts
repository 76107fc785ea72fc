/** Keys of `auth`, `proxy` and `limits`: who is believed, and for how long (interface 2.5; SPEC 1). */
import { z } from 'zod';
import type { CustomRoles } from '../domain/camera-scope.ts';
import { parseCustomRoleName, type Role } from '../domain/names.ts';
import { parseRateLimit } from '../domain/rate-limit.ts';
import { parseNetwork } from './addresses.ts';
import { cameraEntry, filePath, headerName, headerSecret, parsed, text, wholeSeconds } from './value-types.ts';

const COOKIE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const CONTROL = /\p{Cc}/u;

const roleName = () =>
  z.string().superRefine((name, context) => {
    const role = parseCustomRoleName(name);
    if (!role.ok) context.addIssue({ code: 'custom', message: role.error });
  });

const rateLimit = () =>
  z
    .string({
      error: ({ input }) => `${JSON.stringify(input)} is not a rate limit: write for example 5/minute;20/hour`,
    })
    .superRefine((written, context) => {
      const clauses = parseRateLimit(written);
      if (!clauses.ok) context.addIssue({ code: 'custom', message: clauses.error });
    })
    .nullable();

const networks = () => z.array(parsed(parseNetwork));

export const authSection = z
  .strictObject({
    enabled: z
      .boolean()
      .prefault(true)
      .describe(
        "Postern's own accounts; false: the headers of an authentication proxy are believed instead (interface 2.5, 5.5).",
      ),
    reset_admin_password: z
      .boolean()
      .prefault(false)
      .describe('True: the admin gets a new password at the next start, printed in the log (interface 5.2).'),
    failed_login_rate_limit: rateLimit()
      .prefault('5/minute;20/hour')
      .describe(
        'Failed logins allowed to one client address, clauses joined by ";"; null: no limit (interface 5.4, 8).',
      ),
    trusted_proxies: networks()
      .prefault([])
      .meta({
        description: 'Networks (CIDR) of proxies whose X-Forwarded-For is believed (interface 5.4).',
        example: ['172.18.0.0/16', 'fd00::/8'],
      }),
    session_length: wholeSeconds()
      .prefault(86_400)
      .describe(
        'Lifetime of a session before a refresh is needed, in seconds; 0: log in on nearly every access (interface 5.1.4).',
      ),
    refresh_time: wholeSeconds()
      .prefault(1800)
      .describe('A session cookie this close to its end is renewed by any request, in seconds (SPEC 1).'),
    roles: z
      .record(roleName(), z.array(cameraEntry()).min(1))
      .transform((roles): CustomRoles => new Map(Object.entries(roles) as [Role, string[]][]))
      .prefault({})
      .meta({
        description:
          'Custom roles: read-only access to the listed cameras; "*" stands for any text (interface 2.2; SPEC 4.3).',
        example: { gardener: ['garden', 'patio_*'] },
      }),
    cookie_name: text(
      (name) => COOKIE_NAME.test(name),
      (shown) => `${shown} is not a cookie name: use letters, digits, "_" and "-", and no digit or "-" at the start`,
    )
      .prefault('frigate_token')
      .describe('Name of the session cookie; clients in the field look for the default (SPEC 1).'),
    cookie_secure: z
      .union([z.literal('auto'), z.boolean()], {
        error: ({ input }) => `${JSON.stringify(input)} is not one of auto, true, false`,
      })
      .prefault('auto')
      .describe(
        'Secure flag of the cookie; auto: set when the client came over TLS, here or at a trusted proxy (SPEC 1).',
      ),
    cookie_same_site: z
      .enum(['lax', 'strict', 'none'])
      .prefault('lax')
      .describe('SameSite of the cookie; none needs the Secure flag (SPEC 1).'),
    hash_iterations: z
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .prefault(600_000)
      .describe(
        'PBKDF2 iterations of new password hashes; older hashes are raised at the next login (interface 2.1; SPEC 1).',
      ),
  })
  .prefault({})
  .describe('Accounts, sessions and roles.');

const roleMap = () => z.record(z.string(), z.array(z.string().min(1)).min(1));

const headerMap = z
  .strictObject({
    user: headerName()
      .optional()
      .meta({ description: 'Header that carries the user name (interface 5.5.3).', example: 'Remote-User' }),
    role: headerName()
      .optional()
      .meta({ description: 'Header that carries the role or the groups (interface 5.5.3).', example: 'Remote-Groups' }),
    role_map: roleMap()
      .optional()
      .meta({
        description: 'Another place for proxy.role_map; give one of the two (SPEC 3).',
        example: { admin: ['nvr-admins'] },
      }),
  })
  .prefault({})
  .describe('Names of the headers in which the proxy says who is calling (interface 2.5).');

export const proxySection = z
  .strictObject({
    auth_secret: z
      .union([headerSecret(), z.array(headerSecret()).min(1)], {
        error: 'is not text, or a list of texts: put it in quotes',
      })
      .optional()
      .meta({
        description:
          'Secret that the proxy must send as X-Proxy-Secret; a list while changing it: each is accepted (interface 5.5.2).',
        example: '{SERVICE_PROXY_SECRET}',
      }),
    auth_secret_file: filePath()
      .optional()
      .meta({ description: 'A file that holds proxy.auth_secret (SPEC 1).', example: '/run/secrets/proxy_secret' }),
    trusted_peers: networks()
      .prefault([])
      .meta({
        description:
          'Networks (CIDR) whose identity headers are believed; none: those of auth.trusted_proxies (SPEC 11).',
        example: ['172.18.0.5'],
      }),
    separator: text(
      (character) => [...character].length === 1 && !CONTROL.test(character),
      (shown) => `${shown} is not one character: write for example ","`,
    )
      .prefault(',')
      .describe('The one character between several roles in the role header (interface 2.5).'),
    header_map: headerMap,
    default_role: z
      .string()
      .prefault('viewer')
      .transform((name) => name as Role | 'none')
      .describe(
        'Role of a user whose header gives none: admin, viewer, a custom role, or none to deny (interface 5.5.6).',
      ),
    role_map: roleMap()
      .optional()
      .meta({
        description: 'Roles and the groups of the proxy that give them (interface 5.5.6).',
        example: { admin: ['nvr-admins'], gardener: ['garden-crew'] },
      }),
    logout_url: text(
      isLogoutTarget,
      (shown) => `${shown} is no target for a link: write https://… or a path such as /logged-out`,
    )
      .optional()
      .meta({ description: 'Where the Logout link leads (interface 2.5).', example: 'https://sso.example.com/logout' }),
  })
  .transform(({ auth_secret_file, header_map: { role_map: alias, ...headers }, ...proxy }) => ({
    ...proxy,
    header_map: headers,
    /** Every secret that is accepted; empty when none is asked for, which a configured blank one can never become. */
    auth_secret: [proxy.auth_secret ?? []].flat(),
    role_map: new Map(Object.entries(proxy.role_map ?? alias ?? {}) as [Role, string[]][]),
  }))
  .prefault({})
  .describe('An authentication proxy in front, believed when auth.enabled is false (interface 5.5).');

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

/** A script URL in the Logout link would run in the console's page; `//host` leaves it without saying so. */
function isLogoutTarget(target: string): boolean {
  if (/\s/.test(target) || CONTROL.test(target)) return false;
  if (/^\/(?![/\\])/.test(target)) return true;
  return /^https?:\/\//i.test(target) && URL.canParse(target);
}
