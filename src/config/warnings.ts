/** Warnings about settings that are valid but probably a mistake (SPEC 1, 4). */
import { isFramedElsewhere, isWithinDomain } from '../domain/addresses/cookie-domain.ts';
import { scopeOf, visibleCameras } from '../domain/camera-scope.ts';
import { namesAlike } from '../domain/names.ts';
import { type Finding, when } from './problems/problems.ts';
import { mappedRoles, PROXY_CHECKS, type SettingsCheck } from './proxy-warnings.ts';
import type { Settings } from './schema/schema.ts';

const LONGEST_USUAL_SESSION = 90 * 86_400;
const USUAL_ITERATIONS = 600_000;

const CHECKS: readonly SettingsCheck[] = [
  pooled,
  retention,
  sessions,
  hashes,
  networks,
  internalListener,
  roleCameras,
  camerasAlike,
  sitesWithoutLogin,
  framesWithoutTls,
  providers,
  ...PROXY_CHECKS,
];

/** PgBouncer's own port and parameter: behind a transaction pooler LISTEN receives nothing. */
const POOLED = /:6432(?=[,/?])|[?&]pgbouncer=true/;

function pooled({ store }: Settings): readonly Finding[] {
  const isPooled = store.url.engine === 'postgres' && POOLED.test(store.url.url) && store.listen_url === undefined;
  return when(
    isPooled,
    ['store', 'url'],
    'leads to a PgBouncer by its port or parameter, and store.listen_url is not set: changes of other replicas are not received through a transaction pooler; set store.listen_url to the server itself',
  );
}

function retention({ events }: Settings): readonly Finding[] {
  return when(
    events.retention !== null && events.source !== 'store',
    ['events', 'retention'],
    "has no effect, because the events are the NVR's: set how long they are kept there, or remove the key",
  );
}

/** The port that recorders have open in a container's own network, where the container's configuration sets it. */
const USUAL_INTERNAL_PORT = 5000;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1|::ffff:127\.[\d.]+)$/;

function internalListener({ server: { internal } }: Settings): readonly Finding[] {
  const isOpen =
    internal !== false &&
    internal.path === undefined &&
    internal.port !== USUAL_INTERNAL_PORT &&
    !LOOPBACK.test(internal.host);
  return when(
    isOpen,
    ['server', 'internal'],
    'is reachable from other machines, and every caller is an admin there: write 127.0.0.1 in the place of the address, or false',
  );
}

export const warningsOf = (settings: Settings): readonly Finding[] => CHECKS.flatMap((check) => check(settings));

function sessions({ auth, tls }: Settings): readonly Finding[] {
  return [
    ...when(
      auth.cookie_secure === false && tls.enabled,
      ['auth', 'cookie_secure'],
      'false although tls.enabled is true, so the session cookie is sent over plain HTTP too: use auto',
    ),
    ...when(
      auth.failed_login_rate_limit === null,
      ['auth', 'failed_login_rate_limit'],
      'null, so passwords can be guessed without limit: remove the key to get the default',
    ),
    ...when(
      auth.session_length > LONGEST_USUAL_SESSION,
      ['auth', 'session_length'],
      `${auth.session_length} is over 90 days, and a stolen session would stay valid as long: write fewer seconds`,
    ),
    ...when(
      auth.session_length === 0,
      ['auth', 'session_length'],
      '0, so a login lasts only a few seconds: write 86400 for a day',
    ),
  ];
}

function hashes({ auth }: Settings): readonly Finding[] {
  return when(
    auth.hash_iterations < USUAL_ITERATIONS,
    ['auth', 'hash_iterations'],
    `${auth.hash_iterations} is below ${USUAL_ITERATIONS}, so stolen hashes are guessed faster: remove the key to get the default`,
  );
}

/** `::ffff:0:0/96` is every IPv4 address, written as IPv6. */
const EVERYTHING = /\/0+$|^::ffff:[\d.:a-f]+\/(?:[0-8]?\d|9[0-6])$/i;

function networks({ auth, proxy }: Settings): readonly Finding[] {
  const everything = (section: string, key: string, list: readonly string[]) =>
    list.flatMap((network, index) =>
      when(
        EVERYTHING.test(network),
        [section, key, index],
        `${network} trusts every address: write the network of your proxy`,
      ),
    );
  return [
    ...everything('auth', 'trusted_proxies', auth.trusted_proxies),
    ...everything('proxy', 'trusted_peers', proxy.trusted_peers),
  ];
}

function camerasAlike({ nvr }: Settings): readonly Finding[] {
  const pairs = namesAlike(nvr.cameras ?? []);
  return when(
    pairs.length > 0,
    ['nvr', 'cameras'],
    `the name of a camera is the beginning of another one (${pairs.slice(0, MOST_TOLD).join(', ')}), and the NVR finds preview frames by the beginning of a name: a role that sees the first one alone gets no picture of it while it is offline; rename one of them`,
  );
}

const MOST_TOLD = 5;

/** Browsers drop a cookie for the frames of other sites that is not Secure, and one that is Secure on plain HTTP. */
function framesWithoutTls({ auth, server, tls, ui }: Settings): readonly Finding[] {
  const { origin } = server.public_url ?? {};
  const isEncrypted = tls.enabled || origin?.startsWith('https:');
  return when(
    !isEncrypted && isFramedElsewhere(ui.frame_ancestors, origin, auth.cookie_domain),
    ['ui', 'frame_ancestors'],
    'names another site, so the session cookie is sent over HTTPS alone, and tls.enabled is false: set it to true, or server.public_url to the https:// address of the proxy in front',
  );
}

/** Browsers send the cookie of that domain nowhere else. */
function sitesWithoutLogin({ auth, server }: Settings): readonly Finding[] {
  const domain = auth.cookie_domain;
  if (domain === undefined) return [];
  return server.sites.flatMap(({ name, url }, index) =>
    when(
      !isWithinDomain(url.hostname, domain),
      ['server', 'sites', index, 'url'],
      `the host name of the site ${name}, ${url.hostname}, does not end in auth.cookie_domain (${domain}), so its people log in there once more: give it a host name below that domain`,
    ),
  );
}

function providers({ auth }: Settings): readonly Finding[] {
  return auth.oidc.flatMap(({ create, default_role, role_map }, index) => {
    const path = ['auth', 'oidc', index];
    return [
      ...mappedRoles(role_map, auth.roles, { path: [...path, 'role_map'], otherwise: 'default_role decides' }),
      ...when(
        create && default_role === 'none' && role_map.size === 0,
        [...path, 'create'],
        'true, but nothing gives a person a role, so no account is made: name groups in role_map, or set default_role',
      ),
      ...when(
        create && default_role !== 'none',
        [...path, 'default_role'],
        `${default_role} with create: true, so every person whom the provider lets in gets an account with that role: use role_map and remove default_role, unless the provider knows your people alone`,
      ),
    ];
  });
}

function roleCameras({ auth, nvr, server }: Settings): readonly Finding[] {
  const known = nvr.cameras;
  // With other sites it may be a camera of one of them.
  if (!known || server.site !== undefined) return [];
  return [...auth.roles].flatMap(([role, entries]) =>
    entries.flatMap((entry, index) =>
      when(
        visibleCameras(scopeOf([entry]), known).length === 0,
        ['auth', 'roles', role, index],
        `${JSON.stringify(entry)} is none of nvr.cameras, so it gives the role nothing: correct it, or add the camera to nvr.cameras`,
      ),
    ),
  );
}
