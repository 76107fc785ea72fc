/** The login limiter whose windows all replicas share; by itself where their server cannot be asked (SPEC 10). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clause } from '../../domain/rate-limit.ts';
import type { AttemptWindow, SharedPlace, SharedWindows } from '../../domain/shared-windows.ts';
import { clientKey, networkKey } from './client-key.ts';
import type { LoginLimiter, MemoryLimiter, Reservation } from './login-limiter.ts';
import { widened } from './network-limiter.ts';

export interface SharedLimiterDeps {
  readonly shared: SharedWindows;
  /** Counts what comes through this process. It refuses alone, too: what is full here is full for all. */
  readonly memory: MemoryLimiter;
  /** Without the server each process allows its part of each count. */
  readonly replicas: number;
  readonly windowsOf: WindowsOf;
}

/** The windows in which an attempt counts under these clauses, the narrowest first. */
export type WindowsOf = (key: string, isKnown: boolean, clauses: readonly Clause[]) => readonly AttemptWindow[];

/** Short, and without the text in it. */
type Digest = (text: string) => string;

/**
 * Passwords, by client and network. The group in braces keeps the windows of one question together in a cluster: a client
 * has one network.
 */
export const addressWindows =
  (digest: Digest): WindowsOf =>
  (address, isKnown, clauses) => {
    const group = `{${digest(networkKey(address))}}`;
    const own = { key: `login:${group}:client:${digest(clientKey(address))}`, clauses };
    return isKnown ? [own] : [own, { key: `login:${group}:network`, clauses: clauses.map(widened) }];
  };

/** Codes of a second factor, by account. */
export const accountWindows =
  (digest: Digest): WindowsOf =>
  (account, _, clauses) => [{ key: `code:{${digest(account)}}`, clauses }];

/** Attempts under way on other replicas are looked at again after a while. */
const LOOK_MS = 100;
const MOST_LOOKS = 100;

export function createSharedLimiter({ shared, memory, replicas, windowsOf }: SharedLimiterDeps): LoginLimiter {
  let clauses: readonly Clause[] = [];
  const enforce = (): void => memory.setClauses(shared.isUp() ? clauses : clauses.map(divided(replicas)));
  shared.onChange(enforce);

  const sharedPlace = async (windows: readonly AttemptWindow[]): Promise<SharedPlace> => {
    for (let looks = 1; ; looks += 1) {
      const place = await shared.reserve(windows);
      if (place.kind !== 'full' || !place.isUnderWay || looks === MOST_LOOKS) return place;
      await sleep(LOOK_MS);
    }
  };

  return {
    limited: memory.limited,
    size: memory.size,
    setClauses(given) {
      clauses = given;
      enforce();
    },
    async reserve(key, isKnown = false) {
      for (;;) {
        // Read with the place, in one turn: the counts in force are divided exactly while the server is away.
        const isTogether = shared.isUp();
        const own = memory.reserve(key, isKnown);
        if (own.kind === 'limited') {
          const settles = memory.settles(key, own.window);
          if (!settles) return own;
          await settles;
          continue;
        }
        if (clauses.length === 0 || !isTogether) return own;
        const place = await sharedPlace(windowsOf(key, isKnown, clauses));
        if (place.kind === 'reserved') return bothOf(own, place);
        own.release();
        if (place.kind === 'full') return limitedBy(place);
      }
    },
  };
}

const limitedBy = ({ clause, retryAfterSeconds, window }: Extract<SharedPlace, { kind: 'full' }>): Reservation => ({
  kind: 'limited',
  clause,
  retryAfterSeconds,
  ...(window > 0 && { window: 'network' as const }),
});

type Place = Pick<Extract<Reservation, { kind: 'reserved' }>, 'release' | 'keep'>;

const bothOf = (one: Place, other: Place): Reservation => ({
  kind: 'reserved',
  release() {
    one.release();
    other.release();
  },
  keep() {
    one.keep();
    other.keep();
  },
});

/** The part of one replica, at least 1: closed for everybody would be worse than one guess more. 0 stays 0. */
const divided =
  (replicas: number) =>
  ({ count, windowSeconds, text }: Clause): Clause => {
    const part = Math.ceil(count / replicas);
    return { count: part, windowSeconds, text: text.replace(/^\d+/, String(part)) };
  };
