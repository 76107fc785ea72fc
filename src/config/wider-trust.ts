/** Changes that would make a reload trust more than before. They wait for a restart: a file that was cut still parses. */
import { BlockList, isIP } from 'node:net';
import type { Settings } from './schema/schema.ts';
import { trustedPeersOf } from './trusted-peers.ts';

/**
 * Keys whose default grants more than the value in force may do. Removing one by accident must not act at once: the
 * value in force stays until a restart.
 */
const WIDER_WHEN_ABSENT: readonly string[] = ['proxy.role_map', 'proxy.default_role', 'nvr.policy'];

/**
 * Keys of `different` that keep the value in force until a restart, because the new one would believe identity from more
 * places, or because the key is gone and its default grants more. `given`: the keys that have a value in the new file.
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
    if (WIDER_WHEN_ABSENT.includes(key)) return !given.has(key);
    // With accounts of one's own, users whose role is gone are looked up, and the file is refused.
    if (key === 'auth.roles') return !given.has(key) && !running.auth.enabled;
    // Without the header of the groups every caller has the default role.
    if (key === 'proxy.header_map') return read.proxy.header_map.role === undefined && !running.auth.enabled;
    return PROOFS.includes(key) && believesMore(running, read);
  };
  return different.filter(isHeld);
}

/** What a request must show before its identity headers are believed. */
const PROOFS: readonly string[] = ['proxy.auth_secret', 'proxy.trusted_peers', 'auth.trusted_proxies'];

/** Identity headers are read only while `auth.enabled` is false. */
function believesMore(running: Settings, read: Settings): boolean {
  if (running.auth.enabled) return false;
  const [before, after] = [trustedPeersOf(running), trustedPeersOf(read)];
  const losesSecret = running.proxy.auth_secret.length > 0 && read.proxy.auth_secret.length === 0;
  if (losesSecret && after.length === 0) return true;
  return before.length > 0 && (after.length === 0 || after.some((network) => !isWithin(network, before)));
}

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
