/** The client's address behind trusted proxies: X-Forwarded-For (interface 5.4, SPEC 4.5). */
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import { upTo } from '../bounded.ts';
import { err, ok, type Result } from '../result.ts';

/** Networks of `auth.trusted_proxies`. */
export interface TrustedNetworks {
  /** The address may be in any spelling. */
  includes(address: string): boolean;
}

/** More proxies than real set-ups chain; a longer list costs time and is not read to its end. */
const MOST_HOPS = 20;
const MOST_REMEMBERED = 1000;
const MAPPED_PREFIX = '::ffff:';
const MAPPED_BITS = 96;

/**
 * Starts at the TCP peer and steps left through X-Forwarded-For for as long as the address in hand is a trusted
 * proxy: a hop is believed only when a trusted proxy reported it. An entry that is no address ends the walk.
 */
export function clientAddress(peer: string, forwardedForLines: readonly string[], trusted: TrustedNetworks): string {
  let client = foldAddress(peer) ?? peer;
  if (forwardedForLines.length === 0 || !trusted.includes(client)) return client;
  for (const entry of hopsFromTheRight(forwardedForLines)) {
    const hop = foldAddress(entry);
    if (!hop || !trusted.includes(client)) return client;
    client = hop;
  }
  return client;
}

export const isTrustedPeer = (peer: string, trusted: TrustedNetworks): boolean => trusted.includes(peer);

const NONE_TRUSTED: TrustedNetworks = { includes: () => false };

/** The networks of a checked configuration. Throws where one does not parse. */
export function trustedNetworks(cidrs: readonly string[]): TrustedNetworks {
  const created = createTrustedNetworks(cidrs);
  if (!created.ok) throw new Error(created.error);
  return created.value;
}

/** An address or `address/bits` each; host bits are ignored. Errs with one sentence that names every bad entry. */
export function createTrustedNetworks(cidrs: readonly string[]): Result<TrustedNetworks, string> {
  // One list for each family: in a single one `::/0` would hold every IPv4 address as well.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const bad = cidrs.filter((cidr) => !addNetwork(lists, cidr.trim()));
  if (bad.length > 0) {
    const named = bad.map((cidr) => `"${cidr}"`).join(', ');
    return err(`${named} is not a network: write an address and its prefix, such as 10.0.0.0/8 or fd00::/8`);
  }
  if (cidrs.length === 0) return ok(NONE_TRUSTED);
  const isListed = (text: string): boolean => {
    const address = foldAddress(text) ?? text;
    return lists[familyOf(address)].check(address, familyOf(address));
  };
  // The same few peers are looked up thousands of times a second.
  const known = new LRUCache<string, boolean>({ ...upTo(MOST_REMEMBERED), memoMethod: isListed });
  return ok({ includes: (address) => known.memo(address) });
}

/**
 * One spelling for each client, so that one client is one key: port, brackets and zone cut, IPv4-mapped IPv6 as IPv4,
 * IPv6 in its short form. Undefined when the text is no address.
 */
export function foldAddress(text: string): string | undefined {
  const plain = unmapped(text);
  if (isIPv4(plain)) return plain;
  const bare = withoutZone(withoutPort(text));
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? unmapped(new SocketAddress({ address: bare, family: 'ipv6' }).address) : undefined;
}

/** The way Node writes an IPv4 peer on a listener of both families. */
const unmapped = (address: string): string =>
  address.startsWith(MAPPED_PREFIX) && isIPv4(address.slice(MAPPED_PREFIX.length))
    ? address.slice(MAPPED_PREFIX.length)
    : address;

/** How many proxies in a row, the peer first, are trusted. */
export function trustedHops(peer: string, forwardedForLines: readonly string[], trusted: TrustedNetworks): number {
  const known = [peer, ...hopsFromTheRight(forwardedForLines)].map((hop) => foldAddress(hop));
  const first = known.findIndex((hop) => hop === undefined || !trusted.includes(hop));
  return first < 0 ? known.length : first;
}

/** The entries of a header that proxies add to, the nearest one first. */
export const hopsFromTheRight = (lines: readonly string[]): string[] =>
  lines
    .join(',')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .slice(-MOST_HOPS)
    .reverse();

const WITH_PORT = /^(?:\[(?<v6>[^\]]*)\](?::\d{1,5})?|(?<v4>[\d.]+):\d{1,5})$/;

function withoutPort(text: string): string {
  const groups = WITH_PORT.exec(text)?.groups;
  return groups?.['v6'] ?? groups?.['v4'] ?? text;
}

const withoutZone = (address: string): string => address.replace(/%[\w.-]+$/, '');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

function addNetwork(lists: Record<'ipv4' | 'ipv6', BlockList>, cidr: string): boolean {
  const [, address = '', bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(cidr) ?? [];
  const folded = foldAddress(address);
  if (isIP(address) === 0 || folded === undefined) return false;
  const given = bits === undefined ? undefined : Number(bits);
  const isMapped = isIPv6(address) && isIPv4(folded);
  const family = familyOf(folded);
  const width = family === 'ipv4' ? 32 : 128;
  const prefix = given === undefined ? width : given - (isMapped ? MAPPED_BITS : 0);
  if (prefix < 0 || prefix > width) return false;
  lists[family].addSubnet(folded, prefix, family);
  return true;
}
