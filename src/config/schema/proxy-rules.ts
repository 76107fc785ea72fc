/** Rules about keys of `proxy`: whose identity headers are believed, and which role they give (interface 5.5; SPEC 3). */
import { BlockList } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { parseNetwork } from '../../domain/addresses.ts';
import { ADMIN, type Role, VIEWER } from '../../domain/names.ts';
import { about, type Finding, type KeyPath, nearest } from '../problems/problems.ts';
import { fails, type Raw, type Rule, type Settings, warns } from './schema.ts';

const SHORTEST_GOOD_SECRET = 16;

/**
 * Whose identity headers are believed while `auth.enabled` is false: networks (CIDR). Empty: every peer is believed, if it
 * sends the proxy secret where one is configured.
 */
export const trustedPeers = ({ auth, proxy }: Pick<Settings, 'auth' | 'proxy'>): readonly string[] =>
  proxy.trusted_peers.length > 0 ? proxy.trusted_peers : auth.trusted_proxies;

const isMapped = ({ proxy: { header_map } }: Settings): boolean => (header_map.user ?? header_map.role) !== undefined;

// biome-ignore format: a table
export const PROXY_RULES: readonly Rule[] = [
  warns('auth.enabled', ({ auth, proxy }) => !auth.enabled && !proxy.jwt && [...proxy.auth_secret, ...auth.trusted_proxies, ...proxy.trusted_peers].length === 0 &&
    'false, and no proof is required, so the identity headers of every client are trusted: set proxy.auth_secret, auth.trusted_proxies or proxy.trusted_peers'),
  {
    key: 'proxy.trusted_peers',
    warnings: ({ proxy }) => everyAddress(['proxy', 'trusted_peers'], proxy.trusted_peers),
    widens: believesMore,
  },
  // Nothing else says why the headers of a proxy are not believed.
  warns('proxy.header_map', (settings) => settings.auth.enabled && isMapped(settings) &&
    'is not read while auth.enabled is true: set auth.enabled to false, or remove the map'),
  // One of the two is a mistake, and which one is not known here.
  warns('proxy.header_map', (settings) => !settings.auth.enabled && settings.proxy.jwt !== undefined && isMapped(settings) &&
    'is not read while proxy.jwt is set: remove one of the two'),
  { key: 'proxy.header_map', widens: losesHeader },
  // Another issuer, other keys, or plain headers again: identity is believed from another place.
  { key: 'proxy.jwt', widens: ({ auth }) => !auth.enabled },
  warns('proxy.jwt', ({ auth, proxy }) => auth.enabled && proxy.jwt !== undefined &&
    'is not read while auth.enabled is true: set auth.enabled to false, or remove proxy.jwt'),
  { key: 'proxy.auth_secret', widens: believesMore },
  warns('proxy.auth_secret', ({ proxy }) => proxy.auth_secret.some((secret) => secret.length < SHORTEST_GOOD_SECRET) &&
    `shorter than ${SHORTEST_GOOD_SECRET} characters: generate one with "openssl rand -hex 32"`),
  {
    key: 'proxy.role_map',
    warnings: ({ auth, proxy }) =>
      mappedRoles(proxy.role_map, auth.roles, ['proxy', 'role_map'], 'proxy.default_role decides'),
    widens: (running, read) => losesGroups(running.proxy, read.proxy),
  },
  { key: 'proxy.role_map', warnings: unmatchedGroups },
  fails('proxy.default_role', (raw) => unknownRole(raw, 'proxy.default_role')),
  fails('proxy.header_map.role_map', (raw) => {
    const [alias, map] = [raw('proxy.header_map.role_map'), raw('proxy.role_map')];
    const isOne = alias === undefined || map === undefined || isDeepStrictEqual(alias, map);
    return !isOne && 'proxy.role_map is given too, with other content: remove one of the two';
  }),
];

export const everyAddress = (path: KeyPath, networks: readonly string[]): readonly Finding[] =>
  networks.flatMap((network, index) =>
    about(
      [...path, index],
      parseNetwork(network)?.bits === 0 && `${network} trusts every address: write the network of your proxy`,
    ),
  );

/** Roles of a map that nothing defines. `otherwise`: what counts in their place. */
export function mappedRoles(
  roleMap: ReadonlyMap<Role, unknown>,
  custom: ReadonlyMap<Role, unknown>,
  path: KeyPath,
  otherwise: string,
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
        ...about(
          path,
          group.includes(separator) &&
            `${shown} holds proxy.separator ${JSON.stringify(separator)}, at which the header is cut: it never matches; set another separator`,
        ),
        ...about(
          path,
          group.trim() !== group && `${shown} begins or ends with a blank: it never matches; remove the blank`,
        ),
      ];
    }),
  );
}

/** What is said of a default role that is none. */
export function unknownRole(raw: Raw, key: string): string | undefined {
  const role = raw(key);
  const known = [...new Set(['admin', 'viewer', 'none', ...Object.keys(raw('auth.roles') ?? {})])];
  if (typeof role !== 'string' || known.includes(role)) return undefined;
  const meant = nearest(role, known);
  return `${JSON.stringify(role)} is not a role: ${meant ? `did you mean ${meant}?` : `write one of ${known.join(', ')}`}`;
}

type Entries = ReadonlyMap<string, unknown>;

/**
 * Whether users who had an entry would now have the default role. A map that is written as empty says so; one that lacks
 * some of its entries may have been cut.
 */
export const lacksEntries = (before: Entries, after: Entries, defaultRole: string): boolean =>
  defaultRole !== 'none' && after.size > 0 && [...before.keys()].some((name) => !after.has(name));

/** A file that lacks the header of the groups, or how it is encoded, gives callers the default role. */
function losesHeader({ auth, proxy: { header_map: before } }: Settings, { proxy: { header_map: after } }: Settings) {
  const isLost = after.role === undefined || (before.encoding !== undefined && after.encoding === undefined);
  return !auth.enabled && isLost;
}

type Mapped = Pick<Settings['proxy'], 'role_map' | 'default_role'>;

/**
 * Whether a role map is lost, or people whose groups gave a role would have a default role that is worth more. A group
 * that stands at another role was moved on purpose.
 */
export function losesGroups(before: Mapped, after: Mapped): boolean {
  if (before.role_map.size > 0 && after.role_map.size === 0) return true;
  if (lacksEntries(before.role_map, after.role_map, after.default_role)) return true;
  const mapped = new Set([...after.role_map.values()].flat());
  return [...before.role_map].some(
    ([role, groups]) => mayBeMore(after.default_role, role) && groups.some((group) => !mapped.has(group)),
  );
}

const mayBeMore = (role: string, than: Role): boolean =>
  role !== 'none' && role !== than && than !== ADMIN && (than !== VIEWER || role === ADMIN);

/** Identity headers are read only while `auth.enabled` is false. */
export function believesMore(running: Settings, read: Settings): boolean {
  if (running.auth.enabled) return false;
  const [before, after] = [trustedPeers(running), trustedPeers(read)];
  const losesSecret = running.proxy.auth_secret.length > 0 && read.proxy.auth_secret.length === 0;
  if (losesSecret && after.length === 0) return true;
  if (read.proxy.auth_secret.some((secret) => isBeginning(secret, running.proxy.auth_secret))) return true;
  return before.length > 0 && (after.length === 0 || after.some((network) => !isWithin(network, before)));
}

/** A file of a secret that was cut holds a shorter one. */
const isBeginning = (secret: string, secrets: readonly string[]): boolean =>
  !secrets.includes(secret) && secrets.some((known) => known.startsWith(secret));

/** Whether one of the networks holds all of this one. */
const isWithin = (network: string, networks: readonly string[]): boolean =>
  networks.some((wider) => {
    const [inner, outer] = [parseNetwork(network), parseNetwork(wider)];
    if (!inner || !outer || inner.family !== outer.family || inner.bits < outer.bits) return false;
    const list = new BlockList();
    list.addSubnet(outer.address, outer.bits, outer.family);
    return list.check(inner.address, inner.family);
  });
