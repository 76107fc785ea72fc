/** Rules about keys of `server`, `tls`, `ui`, `nvr`, `events` and `store` (SPEC 1, 7, 12, 20). */
import { isFramedElsewhere, isWithinDomain } from '../../domain/addresses.ts';
import { namesAlike } from '../../domain/names.ts';
import { about, type Finding } from '../problems/problems.ts';
import { parseListenAddress, pathsDiffer, serverDefaults } from './addresses.ts';
import { fails, type Raw, type Rule, type Settings, warns } from './schema.ts';

/** The port that recorders have open in a container's own network, where the container's configuration sets it. */
const USUAL_INTERNAL_PORT = 5000;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1|::ffff:127\.[\d.]+)$/;
/** PgBouncer's own port and parameter: behind a transaction pooler LISTEN receives nothing. */
const POOLED = /:6432(?=[,/?])|[?&]pgbouncer=true/;
const MOST_TOLD = 5;

// biome-ignore format: a table
export const SERVER_RULES: readonly Rule[] = [
  { key: 'server', problems: listenersDiffer },
  // The peer of a Unix socket is a proxy on this machine.
  fails('server.external', (raw) => {
    const address = raw('server.external');
    const isUnix = typeof address === 'string' && address.startsWith('unix:');
    const isPlain = raw('tls.enabled') === false;
    return isUnix && !isPlain && 'a Unix socket is for a proxy on this machine: set tls.enabled to false';
  }),
  fails('server.public_url', (raw) => pathsDiffer(raw('server.public_url'), raw('server.base_path'))),
  { key: 'server.sites', problems: sitesDiffer, warnings: sitesWithoutLogin },
  warns('server.internal', ({ server: { internal } }) => internal !== false && internal.path === undefined && internal.port !== USUAL_INTERNAL_PORT && !LOOPBACK.test(internal.host) &&
    'is reachable from other machines, and every caller is an admin there: write 127.0.0.1 in the place of the address, or false'),
  // Browsers drop a cookie for the frames of other origins that is not Secure, and one that is Secure on plain HTTP.
  warns('ui.frame_ancestors', ({ auth, server, tls, ui }) => {
    const { origin } = server.public_url ?? {};
    const isEncrypted = tls.enabled || origin?.startsWith('https:');
    return (
      !isEncrypted &&
      isFramedElsewhere(ui.frame_ancestors, origin, auth.cookie_domain) &&
      'names another site, so the session cookie is sent over HTTPS alone, and tls.enabled is false: set it to true, or server.public_url to the https:// address of the proxy in front'
    );
  }),
  ...['events.source', 'ui.login'].map((key) =>
    fails(key, (raw) => raw('nvr.url') === undefined && raw(key) === 'nvr' && '"nvr" needs an NVR: set nvr.url'),
  ),
  fails('events.source', (raw) => raw('events.source') === 'nvr-database' && raw('events.nvr_database') === undefined &&
    "nvr-database needs the NVR's own SQLite file: set events.nvr_database"),
  // The table of events does not know sites: two cameras of one name would be one.
  fails('events.source', (raw) => {
    const source = raw('events.source') ?? (raw('nvr.url') === undefined ? 'store' : 'nvr');
    return (
      raw('server.site') !== undefined &&
      source === 'store' &&
      'is store, and events in the store belong to no site: with server.site set nvr.url, and here nvr or nvr-database'
    );
  }),
  warns('events.retention', ({ events }) => events.retention !== null && events.source !== 'store' &&
    "has no effect, because the events are the NVR's: set how long they are kept there, or remove the key"),
  warns('nvr.cameras', ({ nvr }) => {
    const pairs = namesAlike(nvr.cameras ?? []);
    return (
      pairs.length > 0 &&
      `the name of a camera is the beginning of another one (${pairs.slice(0, MOST_TOLD).join(', ')}), and the NVR finds preview frames by the beginning of a name: a role that sees the first one alone gets no picture of it while it is offline; rename one of them`
    );
  }),
  warns('store.url', ({ store: { url, listen_url } }) => url.engine === 'postgres' && POOLED.test(url.url) && listen_url === undefined &&
    'leads to a PgBouncer by its port or parameter, and store.listen_url is not set: changes of other replicas are not received through a transaction pooler; set store.listen_url to the server itself'),
];

const LISTENERS = ['external', 'internal', 'telemetry'] as const;
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** One that is no address is a problem of its own. */
function listenersDiffer(raw: Raw): readonly Finding[] {
  const given: Readonly<Record<string, unknown>> = Object(raw('server'));
  const placed = LISTENERS.flatMap((name) => {
    const text = given[name] ?? serverDefaults[name];
    const address = typeof text === 'string' ? parseListenAddress(text) : undefined;
    return address?.ok && address.value.port !== 0 ? [{ name, ...address.value }] : [];
  });
  return placed.flatMap((one, at) => {
    const other = placed.slice(0, at).find(({ host, port }) => port === one.port && overlaps(host, one.host));
    if (!other) return [];
    const named = one.name in given || !(other.name in given) ? one : other;
    const message = `port ${one.port} is that of server.${named === one ? other.name : one.name} too: choose another`;
    return [{ path: ['server', named.name], message }];
  });
}

const overlaps = (one: string, other: string): boolean =>
  one === other || EVERYWHERE.includes(one) || EVERYWHERE.includes(other);

/** All cameras that an entry of a role may name; undefined: not known, as with other sites, whose cameras it may name. */
export const everyCamera = ({ nvr, server }: Settings): Settings['nvr']['cameras'] =>
  server.site === undefined ? nvr.cameras : undefined;

function sitesDiffer(raw: Raw): readonly Finding[] {
  const [own, list] = [raw('server.site'), raw('server.sites')];
  const names = Array.isArray(list) ? list.map((entry) => Object(entry).name) : [];
  if (own === undefined)
    return about(
      ['server', 'sites'],
      names.length > 0 && 'names other sites, and this one has no name: set server.site, for example to house',
    );
  return names.flatMap((name, index) => {
    const path = ['server', 'sites', index, 'name'];
    const shown = JSON.stringify(name);
    const isTwice = name !== undefined && names.indexOf(name) < index;
    return [
      ...about(path, name === own && `${shown} is this site itself (server.site): name only the others`),
      ...about(path, isTwice && `${shown} is named twice: give each site a name of its own`),
    ];
  });
}

/** Browsers send the cookie of that domain nowhere else. */
function sitesWithoutLogin({ auth, server }: Settings): readonly Finding[] {
  const domain = auth.cookie_domain;
  if (domain === undefined) return [];
  return server.sites.flatMap(({ name, url }, index) =>
    about(
      ['server', 'sites', index, 'url'],
      !isWithinDomain(url.hostname, domain) &&
        `the host name of the site ${name}, ${url.hostname}, does not end in auth.cookie_domain (${domain}), so its people log in there once more: give it a host name below that domain`,
    ),
  );
}
