/** Warnings about `proxy` settings that are valid but probably a mistake (interface 5.5; SPEC 3). */
import { ADMIN, type Role, VIEWER } from '../domain/names.ts';
import { type Finding, type KeyPath, when } from './problems/problems.ts';
import type { Settings } from './schema/schema.ts';

const SHORTEST_GOOD_SECRET = 16;

export type SettingsCheck = (settings: Settings) => readonly Finding[];

export const PROXY_CHECKS: readonly SettingsCheck[] = [
  headerTrust,
  unreadMapping,
  unreadHeaders,
  secrets,
  rolesOfProxy,
  unmatchedGroups,
  likeNamedRoles,
  withoutGrant,
];

function headerTrust({ auth, proxy }: Settings): readonly Finding[] {
  const proofs = [...proxy.auth_secret, ...auth.trusted_proxies, ...proxy.trusted_peers];
  return when(
    !auth.enabled && !proxy.jwt && proofs.length === 0,
    ['auth', 'enabled'],
    'false, and no proof is required, so the identity headers of every client are trusted: set proxy.auth_secret, auth.trusted_proxies or proxy.trusted_peers',
  );
}

/** Nothing else says why the headers of a proxy are not believed. */
function unreadMapping({ auth, proxy: { header_map } }: Settings): readonly Finding[] {
  return when(
    auth.enabled && (header_map.user ?? header_map.role) !== undefined,
    ['proxy', 'header_map'],
    'is not read while auth.enabled is true: set auth.enabled to false, or remove the map',
  );
}

/** One of the two is a mistake, and which one is not known here. */
function unreadHeaders({ auth, proxy: { jwt, header_map } }: Settings): readonly Finding[] {
  return [
    ...when(
      !auth.enabled && jwt !== undefined && (header_map.user ?? header_map.role) !== undefined,
      ['proxy', 'header_map'],
      'is not read while proxy.jwt is set: remove one of the two',
    ),
    ...when(
      auth.enabled && jwt !== undefined,
      ['proxy', 'jwt'],
      'is not read while auth.enabled is true: set auth.enabled to false, or remove proxy.jwt',
    ),
  ];
}

function secrets({ proxy }: Settings): readonly Finding[] {
  return when(
    proxy.auth_secret.some((secret) => secret.length < SHORTEST_GOOD_SECRET),
    ['proxy', 'auth_secret'],
    `shorter than ${SHORTEST_GOOD_SECRET} characters: generate one with "openssl rand -hex 32"`,
  );
}

function rolesOfProxy({ auth, proxy }: Settings): readonly Finding[] {
  return mappedRoles(proxy.role_map, auth.roles, {
    path: ['proxy', 'role_map'],
    otherwise: 'proxy.default_role decides',
  });
}

/** Roles of a map that nothing defines. `otherwise`: what counts in their place. */
export function mappedRoles(
  roleMap: ReadonlyMap<Role, unknown>,
  custom: ReadonlyMap<Role, unknown>,
  { path, otherwise }: { readonly path: KeyPath; readonly otherwise: string },
): readonly Finding[] {
  const isKnown = (role: Role) => role === ADMIN || role === VIEWER || custom.has(role);
  const unknown = [...roleMap.keys()].filter((role) => !isKnown(role));
  return unknown.map((role) => ({
    path: [...path, role],
    message: `${JSON.stringify(role)} is not in auth.roles: until it is created in the console, its groups have no effect and ${otherwise}`,
  }));
}

/** Names of groups as directories have them, `cn=admins,ou=groups`, are cut at the default separator. */
function unmatchedGroups({ proxy: { role_map, separator } }: Settings): readonly Finding[] {
  return [...role_map].flatMap(([role, groups]) =>
    groups.flatMap((group, index) => {
      const path = ['proxy', 'role_map', role, index];
      const shown = JSON.stringify(group);
      return [
        ...when(
          group.includes(separator),
          path,
          `${shown} holds proxy.separator ${JSON.stringify(separator)}, at which the header is cut: it never matches; set another separator`,
        ),
        ...when(
          group.trim() !== group,
          path,
          `${shown} begins or ends with a blank: it never matches; remove the blank`,
        ),
      ];
    }),
  );
}

/** Roles in a header are compared without case, so one of the two can never be meant. */
function likeNamedRoles({ auth }: Settings): readonly Finding[] {
  const names = ['admin', 'viewer', 'none', ...auth.roles.keys()];
  return [...auth.roles.keys()].flatMap((role) => {
    const other = names.find((name) => name !== role && name.toLowerCase() === role.toLowerCase());
    const message = `differs from ${JSON.stringify(other)} in case only, which a role header cannot tell: rename it`;
    return when(other !== undefined, ['auth', 'roles', role], message);
  });
}

function withoutGrant({ auth }: Settings): readonly Finding[] {
  if (auth.enabled) return [];
  return [...auth.limits].flatMap(([role, { historySince }]) =>
    when(
      historySince?.kind === 'grant',
      ['auth', 'roles', role, 'history_since'],
      'grant shows no recordings and no events while auth.enabled is false, because users of a proxy have no account here: write a duration such as 7d',
    ),
  );
}
