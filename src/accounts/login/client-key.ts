/** Which addresses count as one client for the login limiter (SPEC 4.5). */

import { isIPv4, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { deviceOf } from '../../domain/accounts/logins.ts';
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import { foldAddress } from '../../domain/addresses.ts';
import { upTo } from '../../domain/bounded.ts';

const GROUPS = 8;
/** A /64 is what one subscriber has to himself. */
const NETWORK_GROUPS = 4;

/** What one customer of a provider or of a data centre may have whole: a /48. */
const WIDE_GROUPS = 3;

/** The network that an address belongs to: the /24 of IPv4, the /48 of IPv6. */
export function networkKey(address: string): string {
  const client = clientKey(address);
  if (isIPv4(client)) return `${client.slice(0, client.lastIndexOf('.'))}.0/24`;
  const groups = client.split(':');
  return groups.length > WIDE_GROUPS ? `${groups.slice(0, WIDE_GROUPS).join(':')}::/48` : client;
}

/** An IPv4 address, plain or mapped into IPv6, is itself; an IPv6 address is its /64. */
export function clientKey(address: string): string {
  const plain = foldAddress(address.replace(/%.*$/s, '')) ?? address;
  // A piece of a string keeps all of it in memory: here, the whole header that an address was cut from.
  return isIPv6(plain) ? `${ipv6Groups(plain).slice(0, NETWORK_GROUPS).join(':')}::/64` : Buffer.from(plain).toString();
}

/** The eight groups of an address in its short form; an IPv4 address at the end stands behind zeros alone. */
function ipv6Groups(address: string): readonly string[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  return [...head, ...Array<string>(GROUPS - head.length - tail.length).fill('0'), ...tail];
}

const REMEMBERED_CLIENTS = 10_000;

/** Addresses from which people logged in before: they keep a lane of their own when strangers fill the line (SPEC 4.5). */
export type KnownClients = ReturnType<typeof createKnownClients>;

/** Kept in memory; seeded at a start with the addresses of the sessions that go on. */
export function createKnownClients(addresses: readonly string[] = []) {
  const keys = new LRUCache<string, true>(upTo(REMEMBERED_CLIENTS));
  const note = (address: string): void => void keys.set(clientKey(address), true);
  for (const address of addresses) note(address);
  return { note, has: (address: string): boolean => keys.has(clientKey(address)) };
}

/** The device and the network of a login, as roughly as a person tells them apart: an update of a browser is no new device. */
export const toPlace = (address: string, agent: string | undefined): LoginPlace => ({
  device: deviceOf(agent ?? ''),
  network: networkKey(address),
});
