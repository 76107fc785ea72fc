/** How many answers of providers are asked about at once, and how often for one attempt: any visitor can make one up (SPEC 16). */
import { LRUCache } from 'lru-cache';
import { upTo } from '../../domain/bounded.ts';
import { clientKey } from '../login/client-key.ts';

export interface CallbackPlaces {
  /** What to call when the provider has answered; `over`: the attempt was tried too often. */
  enter(address: string, state: string): (() => void) | 'busy' | 'over';
}

const MOST = 32;
const MOST_OF_ADDRESS = 5;
const MOST_TRIES = 3;
const REMEMBERED_ATTEMPTS = 10_000;

export function createCallbackPlaces(): CallbackPlaces {
  const tries = new LRUCache<string, number>(upTo(REMEMBERED_ATTEMPTS));
  /** The clients of the places that are taken. */
  const taken: string[] = [];
  return {
    enter(address, state) {
      const client = clientKey(address);
      const tried = tries.get(state) ?? 0;
      if (tried >= MOST_TRIES) return 'over';
      if (taken.length >= MOST || taken.filter((other) => other === client).length >= MOST_OF_ADDRESS) return 'busy';
      // Counted before it is known how it ends: one that succeeds is over as well.
      tries.set(state, tried + 1);
      taken.push(client);
      return () => void taken.splice(taken.indexOf(client), 1);
    },
  };
}
