/** Keys of `proxy`: an authentication proxy in front, and how its headers are read (interface 2.5, 5.5; SPEC 1). */
import { z } from 'zod';
import type { Role } from '../../domain/names.ts';
import { parseNetwork } from './addresses.ts';
import { filePath, headerName, headerSecret, parsed, text } from './value-types.ts';

const CONTROL = /\p{Cc}/u;

const roleMap = () => z.record(z.string(), z.array(z.string().min(1)).min(1));

const headerMap = z
  .strictObject({
    user: headerName().optional().meta({
      description: 'Request header in which the proxy sends the user name.',
      example: 'Remote-User',
      widens: 'any',
    }),
    role: headerName().optional().meta({
      description: 'Request header in which the proxy sends the role or the groups.',
      example: 'Remote-Groups',
      widens: 'any',
    }),
    role_map: roleMap()
      .optional()
      .meta({
        description: 'Alias of proxy.role_map; set one of the two.',
        example: { admin: ['nvr-admins'] },
        widens: 'entries',
      }),
  })
  .prefault({})
  .describe('Names of the request headers in which the proxy sends the identity.');

export const proxySection = z
  .strictObject({
    auth_secret: z
      .union([headerSecret(), z.array(headerSecret()).min(1)], {
        error: 'is not text, or a list of texts: put it in quotes',
      })
      .optional()
      .meta({
        description:
          'Secret that the proxy must send in X-Proxy-Secret. A list while it is being changed: each entry is accepted.',
        example: '{SERVICE_PROXY_SECRET}',
        widens: 'proof',
      }),
    auth_secret_file: filePath().optional().meta({
      description: 'File that contains proxy.auth_secret.',
      example: '/run/secrets/proxy_secret',
      widens: 'never',
    }),
    trusted_peers: z
      .array(parsed(parseNetwork))
      .prefault([])
      .meta({
        description:
          'Networks (CIDR) whose identity headers are trusted. Empty: auth.trusted_proxies; if that is empty too, every address.',
        example: ['172.18.0.5'],
        widens: 'proof',
      }),
    separator: text(
      (character) => [...character].length === 1 && !CONTROL.test(character),
      (shown) => `${shown} is not one character: write for example ","`,
    )
      .prefault(',')
      .describe('The character that separates several roles or groups in the role header.')
      .meta({ widens: 'any' }),
    header_map: headerMap,
    default_role: z
      .string()
      .prefault('viewer')
      .transform((name) => name as Role | 'none')
      .describe(
        'Role of a user whose header gives no known role: admin, viewer, a custom role, or none to refuse the user.',
      )
      .meta({ widens: 'any' }),
    role_map: roleMap()
      .optional()
      .meta({
        description: 'Groups that give a role: a list of groups for each role.',
        example: { admin: ['nvr-admins'], gardener: ['garden-crew'] },
        widens: 'entries',
      }),
    logout_url: text(
      isLogoutTarget,
      (shown) => `${shown} is not a target for a link: write https://… or a path such as /logged-out`,
    )
      .optional()
      .meta({ description: 'Target of the Logout link.', example: 'https://sso.example.com/logout', widens: 'never' }),
  })
  .transform(({ auth_secret_file, header_map: { role_map: alias, ...headers }, ...proxy }) => ({
    ...proxy,
    header_map: headers,
    /** Every secret that is accepted; empty when none is asked for, which a configured blank one can never become. */
    auth_secret: [proxy.auth_secret ?? []].flat(),
    role_map: new Map(Object.entries(proxy.role_map ?? alias ?? {}) as [Role, string[]][]),
  }))
  .prefault({})
  .describe('The authentication proxy in front of Postern; used when auth.enabled is false.');

/** A script URL in the Logout link would run in the console's page; `//host` leaves it without saying so. */
function isLogoutTarget(target: string): boolean {
  if (/\s/.test(target) || CONTROL.test(target)) return false;
  if (/^\/(?![/\\])/.test(target)) return true;
  return /^https?:\/\//i.test(target) && URL.canParse(target);
}
