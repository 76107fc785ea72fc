/** Problems between keys. They are found in the raw values, so that they are reported together with those of single keys (SPEC 1). */
import { isDeepStrictEqual } from 'node:util';
import { isDomain, isWithinDomain } from '../domain/addresses/cookie-domain.ts';
import { nearest } from './problems/nearest.ts';
import { type Finding, type KeyPath, valueAt, when } from './problems/problems.ts';
import { parseListenAddress, serverDefaults } from './schema/addresses.ts';
import { parsePublicUrl, pathsDiffer } from './schema/parse-public-url.ts';

type TreeCheck = (tree: unknown) => readonly Finding[];

const CHECKS: readonly TreeCheck[] = [
  defaultRolesAreKnown,
  oneRoleMap,
  nvrIsThere,
  nvrDatabaseIsNamed,
  listenersDiffer,
  unixIsPlain,
  publicPathFits,
  sitesDiffer,
  siteHasNoEvents,
  cookieReaches,
];

/** `isWhole`: what the store holds is in the tree too, and nothing else can give what is owed. */
export const crossFindings = (tree: unknown, isWhole: boolean): readonly Finding[] => [
  ...CHECKS.flatMap((check) => check(tree)),
  ...providersFit(tree, isWhole),
];

function defaultRolesAreKnown(tree: unknown): readonly Finding[] {
  const ofProviders = providersIn(tree).map((_, index) => ['auth', 'oidc', index, 'default_role']);
  return [['proxy', 'default_role'], ...ofProviders].flatMap((path) => defaultRoleIsKnown(tree, path));
}

const providersIn = (tree: unknown): readonly unknown[] => {
  const list = valueAt(tree, ['auth', 'oidc']);
  return Array.isArray(list) ? list : [];
};

function providersFit(tree: unknown, isWhole: boolean): readonly Finding[] {
  const [path, passwords] = [
    ['auth', 'oidc'],
    ['auth', 'password_login'],
  ];
  if (providersIn(tree).length === 0)
    return when(
      valueAt(tree, passwords) === 'none',
      passwords,
      'none leaves nothing to log in with, because auth.oidc names no provider: add one, or write admins or everyone',
    );
  return [
    ...when(
      isWhole && valueAt(tree, ['server', 'public_url']) === undefined,
      path,
      'needs the address of this service, to which the provider sends people back: set server.public_url, for example to https://nvr.example.com',
    ),
    ...when(
      valueAt(tree, ['auth', 'enabled']) === false,
      path,
      'needs accounts, and auth.enabled is false: set auth.enabled to true, or remove auth.oidc',
    ),
  ];
}

function defaultRoleIsKnown(tree: unknown, path: KeyPath): readonly Finding[] {
  const role = valueAt(tree, path);
  const custom = Object.keys(valueAt(tree, ['auth', 'roles']) ?? {});
  const known = [...new Set(['admin', 'viewer', 'none', ...custom])];
  if (typeof role !== 'string' || known.includes(role)) return [];
  const meant = nearest(role, known);
  const ending = meant ? `did you mean ${meant}?` : `write one of ${known.join(', ')}`;
  return [{ path, message: `${JSON.stringify(role)} is not a role: ${ending}` }];
}

function oneRoleMap(tree: unknown): readonly Finding[] {
  const path = ['proxy', 'header_map', 'role_map'];
  const [alias, map] = [valueAt(tree, path), valueAt(tree, ['proxy', 'role_map'])];
  if (alias === undefined || map === undefined || isDeepStrictEqual(alias, map)) return [];
  return [{ path, message: 'proxy.role_map is given too, with other content: remove one of the two' }];
}

function nvrIsThere(tree: unknown): readonly Finding[] {
  if (valueAt(tree, ['nvr', 'url']) !== undefined) return [];
  const needing: readonly KeyPath[] = [
    ['events', 'source'],
    ['ui', 'login'],
  ];
  return needing
    .filter((path) => valueAt(tree, path) === 'nvr')
    .map((path) => ({ path, message: '"nvr" needs an NVR: set nvr.url' }));
}

function nvrDatabaseIsNamed(tree: unknown): readonly Finding[] {
  const path = ['events', 'source'];
  if (valueAt(tree, path) !== 'nvr-database' || valueAt(tree, ['events', 'nvr_database']) !== undefined) return [];
  return [{ path, message: "nvr-database needs the NVR's own SQLite file: set events.nvr_database" }];
}

/** The peer of a Unix socket is a proxy on this machine. */
function unixIsPlain(tree: unknown): readonly Finding[] {
  const path = ['server', 'external'];
  const address = valueAt(tree, path);
  const isUnix = typeof address === 'string' && address.startsWith('unix:');
  if (!isUnix || valueAt(tree, ['tls', 'enabled']) === false) return [];
  return [{ path, message: 'a Unix socket is for a proxy on this machine: set tls.enabled to false' }];
}

function publicPathFits(tree: unknown): readonly Finding[] {
  const path = ['server', 'public_url'];
  const message = pathsDiffer(valueAt(tree, path), valueAt(tree, ['server', 'base_path']));
  return message === undefined ? [] : [{ path, message }];
}

const LISTENERS = ['external', 'internal', 'telemetry'] as const;
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Compares the raw values. One that is no address is a problem of its own. */
function listenersDiffer(tree: unknown): readonly Finding[] {
  const given: Readonly<Record<string, unknown>> = Object(Object(tree).server);
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

const sitesIn = (tree: unknown): readonly unknown[] => {
  const list = valueAt(tree, ['server', 'sites']);
  return Array.isArray(list) ? list : [];
};

function sitesDiffer(tree: unknown): readonly Finding[] {
  const own = valueAt(tree, ['server', 'site']);
  const names = sitesIn(tree).map((entry) => valueAt(entry, ['name']));
  if (own === undefined)
    return when(
      names.length > 0,
      ['server', 'sites'],
      'names other sites, and this one has no name: set server.site, for example to house',
    );
  return names.flatMap((name, index) => {
    const path = ['server', 'sites', index, 'name'];
    return [
      ...when(name === own, path, `${JSON.stringify(name)} is this site itself (server.site): name only the others`),
      ...when(
        name !== undefined && names.indexOf(name) < index,
        path,
        `${JSON.stringify(name)} is named twice: give each site a name of its own`,
      ),
    ];
  });
}

/** The table of events does not know sites: two cameras of one name would be one. */
function siteHasNoEvents(tree: unknown): readonly Finding[] {
  if (valueAt(tree, ['server', 'site']) === undefined) return [];
  const source = valueAt(tree, ['events', 'source']);
  const isStore = source === 'store' || (source === undefined && valueAt(tree, ['nvr', 'url']) === undefined);
  return when(
    isStore,
    ['events', 'source'],
    'is store, and events in the store belong to no site: with server.site set nvr.url, and here nvr or nvr-database',
  );
}

/** A browser drops a cookie whose domain is not the end of the host name: nobody could log in. */
function cookieReaches(tree: unknown): readonly Finding[] {
  const path = ['auth', 'cookie_domain'];
  const domain = valueAt(tree, path);
  if (typeof domain !== 'string' || !isDomain(domain)) return [];
  const address = valueAt(tree, ['server', 'public_url']);
  const parsed = typeof address === 'string' ? parsePublicUrl(address) : undefined;
  if (!parsed?.ok || isWithinDomain(parsed.value.hostname, domain)) return [];
  const message = `${JSON.stringify(domain)} is not the end of the host name of server.public_url, ${parsed.value.hostname}: browsers would drop the session cookie; write the part that the host names have in common`;
  return [{ path, message }];
}
