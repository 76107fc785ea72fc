/** What is allowed in a configuration but seldom meant (SPEC 1, 3, 4). */

import { scopeOf, visibleCameras } from '../domain/camera-scope.ts';
import { ADMIN, type Role, VIEWER } from '../domain/names.ts';
import type { Finding } from './problems.ts';
import type { Settings } from './schema.ts';

const LONGEST_USUAL_SESSION = 90 * 86_400;
const USUAL_ITERATIONS = 600_000;
const SHORTEST_GOOD_SECRET = 16;

type Check = (settings: Settings) => readonly Finding[];

const CHECKS: readonly Check[] = [
  sessions,
  hashes,
  networks,
  headerTrust,
  secrets,
  mappedRoles,
  likeNamedRoles,
  roleCameras,
];

export const warningsOf = (settings: Settings): readonly Finding[] => CHECKS.flatMap((check) => check(settings));

const when = (holds: boolean, path: Finding['path'], message: string): readonly Finding[] =>
  holds ? [{ path, message }] : [];

function sessions({ auth, tls }: Settings): readonly Finding[] {
  return [
    ...when(
      auth.cookie_secure === false && tls.enabled,
      ['auth', 'cookie_secure'],
      'false although tls.enabled is true: the session cookie would go over plain HTTP too; use auto',
    ),
    ...when(
      auth.failed_login_rate_limit === null,
      ['auth', 'failed_login_rate_limit'],
      'null: passwords can be guessed without limit; remove the key to get the default',
    ),
    ...when(
      auth.session_length > LONGEST_USUAL_SESSION,
      ['auth', 'session_length'],
      `${auth.session_length} is over 90 days: a stolen session lives as long; write fewer seconds`,
    ),
    ...when(
      auth.session_length === 0,
      ['auth', 'session_length'],
      '0: a login lasts a few seconds only; write 86400 for a day',
    ),
  ];
}

function hashes({ auth }: Settings): readonly Finding[] {
  return when(
    auth.hash_iterations < USUAL_ITERATIONS,
    ['auth', 'hash_iterations'],
    `${auth.hash_iterations} is below ${USUAL_ITERATIONS}: stolen hashes are guessed faster; remove the key to get the default`,
  );
}

function networks({ auth, proxy }: Settings): readonly Finding[] {
  const everything = (section: string, key: string, list: readonly string[]) =>
    list.flatMap((network, index) =>
      when(
        /\/0+$/.test(network),
        [section, key, index],
        `${network} trusts every address: write the network of your proxy`,
      ),
    );
  return [
    ...everything('auth', 'trusted_proxies', auth.trusted_proxies),
    ...everything('proxy', 'trusted_peers', proxy.trusted_peers),
  ];
}

function headerTrust({ auth, proxy }: Settings): readonly Finding[] {
  const proofs = [...proxy.auth_secret, ...auth.trusted_proxies, ...proxy.trusted_peers];
  return when(
    !auth.enabled && proofs.length === 0,
    ['auth', 'enabled'],
    'false, so the headers of whoever connects are believed: set proxy.auth_secret, auth.trusted_proxies or proxy.trusted_peers',
  );
}

function secrets({ proxy }: Settings): readonly Finding[] {
  return when(
    proxy.auth_secret.some((secret) => secret.length < SHORTEST_GOOD_SECRET),
    ['proxy', 'auth_secret'],
    `shorter than ${SHORTEST_GOOD_SECRET} characters: generate one with "openssl rand -hex 32"`,
  );
}

function mappedRoles({ auth, proxy }: Settings): readonly Finding[] {
  const isKnown = (role: Role) => role === ADMIN || role === VIEWER || auth.roles.has(role);
  const unknown = [...proxy.role_map.keys()].filter((role) => !isKnown(role));
  return unknown.map((role) => ({
    path: ['proxy', 'role_map', role],
    message: `${JSON.stringify(role)} is not in auth.roles: its users see nothing unless the role is made in the console`,
  }));
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

function roleCameras({ auth, nvr }: Settings): readonly Finding[] {
  const known = nvr.cameras;
  if (!known) return [];
  return [...auth.roles].flatMap(([role, entries]) =>
    entries.flatMap((entry, index) =>
      when(
        visibleCameras(scopeOf([entry]), known).length === 0,
        ['auth', 'roles', role, index],
        `${JSON.stringify(entry)} is none of nvr.cameras: the role sees nothing by it`,
      ),
    ),
  );
}
