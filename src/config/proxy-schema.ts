/** Keys of `proxy`: an authentication proxy in front, and how its headers are read (interface 2.5, 5.5; SPEC 1). */
import { z } from 'zod';
import type { Role } from '../domain/names.ts';
import { parseNetwork } from './addresses.ts';
import { filePath, headerName, headerSecret, parsed, text } from './value-types.ts';

const CONTROL = /\p{Cc}/u;

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
    trusted_peers: z
      .array(parsed(parseNetwork))
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

/** A script URL in the Logout link would run in the console's page; `//host` leaves it without saying so. */
function isLogoutTarget(target: string): boolean {
  if (/\s/.test(target) || CONTROL.test(target)) return false;
  if (/^\/(?![/\\])/.test(target)) return true;
  return /^https?:\/\//i.test(target) && URL.canParse(target);
}
