/** Addresses from which people logged in before: they keep a lane of their own when strangers fill the line (SPEC 4.5). */
import { LRUCache } from 'lru-cache';
import { upTo } from '../../domain/bounded.ts';
import { clientKey } from './client-key.ts';

export interface KnownClients {
  note(address: string): void;
  has(address: string): boolean;
}

const REMEMBERED_CLIENTS = 10_000;

/** Known clients in memory; seeded at a start with the addresses of the sessions that go on. */
export function createKnownClients(addresses: readonly string[] = []): KnownClients {
  const keys = new LRUCache<string, true>(upTo(REMEMBERED_CLIENTS));
  const note = (address: string): void => void keys.set(clientKey(address), true);
  for (const address of addresses) note(address);
  return { note, has: (address) => keys.has(clientKey(address)) };
}
