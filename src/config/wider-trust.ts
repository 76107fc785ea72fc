/** Changes that would make a reload trust more than before. They wait for a restart: a file that lost a key still parses. */
import { BlockList, isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { ADMIN, type Role, VIEWER } from '../domain/names.ts';
import { writtenLimits } from '../domain/rights/role-limits.ts';
import { keyDirections, type Settings } from './schema/schema.ts';
import { type DirectedSchema, isWider } from './schema/widening.ts';
import { trustedPeersOf } from './trusted-peers.ts';

/**
 * Keys of `different` that keep the active value until a restart, because the new one would believe identity from more
 * places, or because the key is gone and its default allows more. `given`: the keys that have a value in the new file.
 */
export function heldKeys(
  running: Settings,
  read: Settings,
  different: readonly string[],
  given: ReadonlySet<string>,
): readonly string[] {
  const isSwitched = running.auth.enabled !== read.auth.enabled;
  const isHeld = (key: string): boolean => {
    // The source of identity and everything that it reads change together.
    if (isSwitched && (key === 'auth.enabled' || key === 'auth.trusted_proxies' || key.startsWith('proxy.')))
      return true;
    const widens = rowOf(key)?.widens ?? 'any';
    if (widens === 'roles') return losesRoles(running, read, given);
    if (key === 'proxy.header_map') return !running.auth.enabled && losesHeader(running.proxy, read.proxy);
    // Another issuer, other keys, or plain headers again: identity is believed from another place.
    if (key === 'proxy.jwt') return !running.auth.enabled;
    if (widens === 'providers') return trustsOthers(running.auth.oidc, read.auth.oidc);
    if (widens === 'proof') return believesMore(running, read);
    if (widens === 'entries' && losesGroups(running.proxy, read.proxy)) return true;
    return !given.has(key) && isWider(widens, valueAt(running, key), valueAt(read, key));
  };
  return different.filter(isHeld);
}

const rowOf = (key: string): DirectedSchema | undefined =>
  key.split('.').reduce<DirectedSchema | undefined>((part, step) => part?.properties?.[step], keyDirections());

const valueAt = (settings: Settings, key: string): unknown =>
  key.split('.').reduce<unknown>((part, step) => Object(part)[step], settings);

type Entries = ReadonlyMap<string, unknown>;

/**
 * Whether users who had an entry would now have the default role. A map that is written as empty says so; one that lacks
 * some of its entries may have been cut.
 */
const lacksEntries = (before: Entries, after: Entries, defaultRole: string): boolean =>
  defaultRole !== 'none' && after.size > 0 && [...before.keys()].some((name) => !after.has(name));

type HeaderMapped = Pick<Settings['proxy'], 'header_map'>;

/** A file that lacks the header of the groups, or how it is encoded, gives callers the default role. */
const losesHeader = ({ header_map: before }: HeaderMapped, { header_map: after }: HeaderMapped): boolean =>
  after.role === undefined || (before.encoding !== undefined && after.encoding === undefined);

type Mapped = Pick<Settings['proxy'], 'role_map' | 'default_role'>;

/**
 * Whether a role map is lost, or people whose groups gave a role would have a default role that is worth more. A group
 * that stands at another role was moved on purpose.
 */
function losesGroups(before: Mapped, after: Mapped): boolean {
  if (before.role_map.size > 0 && after.role_map.size === 0) return true;
  if (lacksEntries(before.role_map, after.role_map, after.default_role)) return true;
  const mapped = new Set([...after.role_map.values()].flat());
  return [...before.role_map].some(
    ([role, groups]) => mayBeMore(after.default_role, role) && groups.some((group) => !mapped.has(group)),
  );
}

const mayBeMore = (role: string, than: Role): boolean =>
  role !== 'none' && role !== than && than !== ADMIN && (than !== VIEWER || role === ADMIN);

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
    return Object.entries(writtenLimits(limit)).some(([key, value]) => {
      const isGiven = given.has(`auth.roles.${role}.${key}`);
      return !isGiven && isWider(limitRows()?.[key]?.widens ?? 'any', value, Object(written)[key]);
    });
  });
}

type Providers = Settings['auth']['oidc'];

/** Whether a provider is new, or one has another issuer or lost a key whose default allows more. */
const trustsOthers = (running: Providers, read: Providers): boolean =>
  read.some((after) => {
    const before = running.find(({ name }) => name === after.name);
    if (before?.issuer !== after.issuer) return true;
    if (losesGroups(before, after)) return true;
    return Object.entries(rowOf('auth.oidc')?.items?.properties ?? {}).some(([key, row]) => {
      const [then, now] = [before, after].map((entry): unknown => Object(entry)[key]);
      return isDeepStrictEqual(now, row.default) && isWider(row.widens ?? 'any', then, now);
    });
  });

/** The rows of a role that is written as a map. */
function limitRows(): DirectedSchema['properties'] {
  const role = rowOf('auth.roles')?.additionalProperties;
  return typeof role === 'object' ? role.anyOf?.find(({ properties }) => properties)?.properties : undefined;
}

/** Identity headers are read only while `auth.enabled` is false. */
function believesMore(running: Settings, read: Settings): boolean {
  if (running.auth.enabled) return false;
  const [before, after] = [trustedPeersOf(running), trustedPeersOf(read)];
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
    const [inner, outer] = [partsOf(network), partsOf(wider)];
    if (inner.family !== outer.family || inner.bits < outer.bits) return false;
    const list = new BlockList();
    list.addSubnet(outer.address, outer.bits, outer.family);
    return list.check(inner.address, inner.family);
  });

function partsOf(network: string) {
  const [address = '', length] = network.split('/');
  const family = isIP(address) === 6 ? ('ipv6' as const) : ('ipv4' as const);
  return { address, family, bits: length === undefined ? (family === 'ipv6' ? 128 : 32) : Number(length) };
}
