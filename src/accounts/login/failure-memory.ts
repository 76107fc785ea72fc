/** Failures of clients, for as many clients as there is room: a limited one is never forgotten for a new one (SPEC 4.5). */
import { LRUCache } from 'lru-cache';
import { upTo } from '../../domain/bounded.ts';
import type { Failure, Full } from './sliding-window.ts';

export interface FailureMemoryDeps {
  readonly capacity: number;
  /** Undefined: the client may be forgotten. */
  readonly limitOf: (failures: readonly Failure[], now: number) => Full | undefined;
}

export interface FailureMemory {
  /** One bucket for new clients while every remembered one is limited. */
  readonly shared: Failure[];
  /** Marks the client as used. */
  find(key: string): Failure[] | undefined;
  peek(key: string): Failure[] | undefined;
  /** False: there is no room. */
  add(key: string, failures: Failure[], now: number): boolean;
  forget(key: string): void;
  all(): readonly Failure[][];
  size(): number;
  /** Limits have ended before their time. */
  lookAgain(): void;
}

export function createFailureMemory({ capacity, limitOf }: FailureMemoryDeps): FailureMemory {
  const clients = new LRUCache<string, Failure[]>(upTo(capacity));
  let allLimitedUntil = Number.NEGATIVE_INFINITY;

  const makeRoom = (now: number): boolean => {
    if (clients.size < capacity) return true;
    if (now < allLimitedUntil) return false;
    let soonest = Number.POSITIVE_INFINITY;
    for (let looked = 0; looked < capacity; looked += 1) {
      const [key] = clients.rkeys();
      const failures = key === undefined ? undefined : clients.peek(key);
      if (key === undefined || failures === undefined) return true;
      const full = limitOf(failures, now);
      if (!full) return clients.delete(key);
      soonest = Math.min(soonest, now + full.retryAfterSeconds * 1000);
      clients.get(key); // marks it as used, so that the next round begins with another client
    }
    allLimitedUntil = soonest;
    return false;
  };

  return {
    shared: [],
    find: (key) => clients.get(key),
    peek: (key) => clients.peek(key),
    add(key, failures, now) {
      const isRoom = makeRoom(now);
      if (isRoom) clients.set(key, failures);
      return isRoom;
    },
    forget: (key) => void clients.delete(key),
    all: () => [...clients.values()],
    size: () => clients.size,
    lookAgain() {
      allLimitedUntil = Number.NEGATIVE_INFINITY;
    },
  };
}
