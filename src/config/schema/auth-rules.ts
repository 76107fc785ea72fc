/** Rules about keys of `auth`: accounts and roles (SPEC 1, 4). */
import { isDomain, isWithinDomain } from '../../domain/addresses.ts';
import { toScope, visibleCameras } from '../../domain/camera-scope.ts';
import { writtenLimits } from '../../domain/rights.ts';
import { about } from '../problems/problems.ts';
import { parsePublicUrl } from './addresses.ts';
import { authSection } from './auth-schema.ts';
import { isWider, readKeys } from './keys.ts';
import { believesMore, everyAddress, lacksEntries } from './proxy-rules.ts';
import { fails, type Rule, type Settings, warns } from './schema.ts';
import { everyCamera } from './server-rules.ts';

/** The keys of `auth`, by their place below it. */
const KEYS = readKeys(authSection({}));
const LONGEST_USUAL_SESSION = 90 * 86_400;
const USUAL_ITERATIONS = 600_000;

// biome-ignore format: a table
export const AUTH_RULES: readonly Rule[] = [
  warns('auth.cookie_secure', ({ auth, tls }) => auth.cookie_secure === false && tls.enabled &&
    'false although tls.enabled is true, so the session cookie is sent over plain HTTP too: use auto'),
  warns('auth.failed_login_rate_limit', ({ auth }) => auth.failed_login_rate_limit === null &&
    'null, so passwords can be guessed without limit: remove the key to get the default'),
  warns('auth.session_length', ({ auth: { session_length: length } }) => length > LONGEST_USUAL_SESSION &&
    `${length} is over 90 days, and a stolen session would stay valid as long: write fewer seconds`),
  warns('auth.session_length', ({ auth }) => auth.session_length === 0 &&
    '0, so a login lasts only a few seconds: write 86400 for a day'),
  warns('auth.hash_iterations', ({ auth: { hash_iterations: iterations } }) => iterations < USUAL_ITERATIONS &&
    `${iterations} is below ${USUAL_ITERATIONS}, so stolen hashes are guessed faster: remove the key to get the default`),
  {
    key: 'auth.trusted_proxies',
    warnings: ({ auth }) => everyAddress(['auth', 'trusted_proxies'], auth.trusted_proxies),
    widens: believesMore,
  },
  // A browser drops a cookie whose domain is not the end of the host name: no login would work.
  fails('auth.cookie_domain', (raw) => {
    const [domain, address] = [raw('auth.cookie_domain'), raw('server.public_url')];
    const url = typeof address === 'string' ? parsePublicUrl(address) : undefined;
    if (typeof domain !== 'string' || !isDomain(domain) || !url?.ok || isWithinDomain(url.value.hostname, domain))
      return undefined;
    return `${JSON.stringify(domain)} is not the end of the host name of server.public_url, ${url.value.hostname}: browsers would drop the session cookie; write the part that the host names have in common`;
  }),
  { key: 'auth.roles', warnings: lostCameras, widens: losesRoles },
  { key: 'auth.roles', warnings: namesAlikeInHeaders },
  { key: 'auth.roles', warnings: grantsOfProxyUsers },
];

function lostCameras(settings: Settings) {
  const known = everyCamera(settings);
  if (!known) return [];
  return [...settings.auth.roles].flatMap(([role, entries]) =>
    entries.flatMap((entry, index) =>
      about(
        ['auth', 'roles', role, index],
        visibleCameras(toScope([entry]), known).length === 0 &&
          `${JSON.stringify(entry)} is none of nvr.cameras, so it gives the role nothing: correct it, or add the camera to nvr.cameras`,
      ),
    ),
  );
}

/** Roles in a header are compared without case, so one of the two can never be meant. */
function namesAlikeInHeaders({ auth }: Settings) {
  const alike = Map.groupBy(['admin', 'viewer', 'none', ...auth.roles.keys()], (name) => name.toLowerCase());
  return [...auth.roles.keys()].flatMap((role) => {
    const other = alike.get(role.toLowerCase())?.find((name) => name !== role);
    const message = `differs from ${JSON.stringify(other)} in case only, which a role header cannot tell: rename it`;
    return about(['auth', 'roles', role], other !== undefined && message);
  });
}

function grantsOfProxyUsers({ auth }: Settings) {
  if (auth.enabled) return [];
  return [...auth.limits].flatMap(([role, { historySince }]) =>
    about(
      ['auth', 'roles', role, 'history_since'],
      historySince?.kind === 'grant' &&
        'grant shows no recordings and no events while auth.enabled is false, because users of a proxy have no account here: write a duration such as 7d',
    ),
  );
}

/**
 * Whether a role lost what limits it without a word in the file. A role that is gone altogether makes viewers: with
 * accounts its users are looked up, and the file is refused; of the users of a proxy nothing is known.
 */
function losesRoles(running: Settings, read: Settings, given: ReadonlySet<string>): boolean {
  const [before, after] = [running.auth, read.auth];
  if (!before.enabled && (!given.has('auth.roles') || lacksEntries(before.roles, after.roles, read.proxy.default_role)))
    return true;
  return [...before.limits].some(([role, limit]) => {
    if (!after.roles.has(role)) return false;
    const written = writtenLimits(after.limits.get(role) ?? { deny: [] });
    return Object.entries(writtenLimits(limit)).some(
      ([key, value]) =>
        !given.has(`auth.roles.${role}.${key}`) && isWider(KEYS.get(`roles.*.${key}`), value, Object(written)[key]),
    );
  });
}
