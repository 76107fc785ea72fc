/** The login limiter whose windows all replicas share, in their store (SPEC 10). */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../../domain/async/time-limit.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { AttemptStore, AttemptWindow, FullWindow } from '../../domain/store/attempt-store.ts';
import { clientKey, networkKey } from './client-key.ts';
import { type LimiterPlace, type LoginLimiter, once } from './login-limiter.ts';
import { widened } from './network-limiter.ts';

export interface SharedLimiterDeps {
  readonly attempts: AttemptStore;
  /** Counts what comes through this process. It refuses alone, too: what is full here is full for all. */
  readonly local: LoginLimiter;
  readonly windowsOf: WindowsOf;
  /** The time that the store is told, in milliseconds. Undefined: its server's own. */
  readonly now: (() => number) | undefined;
}

/** The windows in which an attempt counts under these clauses, the narrowest first. */
export type WindowsOf = (key: string, isKnown: boolean, clauses: readonly Clause[]) => readonly AttemptWindow[];

/** Short, and without the text in it. */
type Digest = (text: string) => string;

/** Passwords, by client and network. */
export const addressWindows =
  (digest: Digest): WindowsOf =>
  (address, isKnown, clauses) => {
    const own = { key: `client:${digest(clientKey(address))}`, clauses };
    if (isKnown) return [own];
    return [own, { key: `network:${digest(networkKey(address))}`, clauses: clauses.map(widened) }];
  };

/** Codes of a second factor, by account. */
export const accountWindows =
  (digest: Digest): WindowsOf =>
  (account, _, clauses) => [{ key: `code:${digest(account)}`, clauses }];

/** Attempts under way on other replicas are looked at again after a while. */
const LOOK_MS = 100;
const MOST_LOOKS = 100;
const ATTEMPT_BYTES = 12;

/** Rejects with the fault of the store, so that no login is checked without a limit. */
export function createSharedLimiter({ attempts, local, windowsOf, now }: SharedLimiterDeps): LoginLimiter {
  let clauses: readonly Clause[] = [];
  const giveBack = givenBackTo(attempts);

  const reserveShared = async (attempt: string, windows: readonly AttemptWindow[], signal?: AbortSignal) => {
    for (let looks = 1; ; looks += 1) {
      const full = await attempts.reserve(attempt, windows, now?.());
      if (!full?.isUnderWay || looks === MOST_LOOKS) return full;
      await unlessAborted(sleep(LOOK_MS), signal);
    }
  };

  return {
    limited: local.limited,
    size: local.size,
    full: local.full,
    lift: local.lift,
    setClauses(given) {
      clauses = given;
      local.setClauses(given);
    },
    async reserve(key, isKnown = false, waiter = {}) {
      const own = await local.reserve(key, isKnown, waiter);
      if (own.kind !== 'reserved' || clauses.length === 0) return own;
      const attempt = randomBytes(ATTEMPT_BYTES).toString('base64url');
      try {
        const full = await reserveShared(attempt, windowsOf(key, isKnown, clauses), waiter.signal);
        if (full) own.release();
        return full ? limitedBy(full) : bothOf(own, attempt);
      } catch (fault) {
        own.release();
        giveBack(attempt); // the server may have counted it
        throw fault;
      }
    },
  };

  function bothOf(own: Extract<LimiterPlace, { kind: 'reserved' }>, attempt: string): LimiterPlace {
    const settle = once((act: () => void) => act());
    return {
      kind: 'reserved',
      release: () =>
        settle(() => {
          own.release();
          giveBack(attempt);
        }),
      keep: () =>
        settle(() => {
          own.keep();
          // Told in vain, it counts as under way a while longer.
          attempts.keep(attempt).catch(() => {});
        }),
    };
  }
}

const limitedBy = ({ clause, retryAfterSeconds, window }: FullWindow): LimiterPlace => ({
  kind: 'limited',
  clause,
  retryAfterSeconds,
  ...(window > 0 && { window: 'network' as const }),
});

/** Attempts that wait for the store to be given back; of more, the oldest stay taken until they leave their window. */
const MOST_WAITING = 1000;
const AGAIN_MS = 1000;

/** One statement at a time, for all that wait; a store that is away is asked again until it has done it. */
function givenBackTo({ release }: AttemptStore): (attempt: string) => void {
  let waiting: string[] = [];
  let isAtIt = false;
  const work = async (): Promise<void> => {
    isAtIt = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await release(batch).catch(() => {
        waiting = [...batch, ...waiting].slice(-MOST_WAITING);
        return sleep(AGAIN_MS, undefined, { ref: false });
      });
    }
    isAtIt = false;
  };
  return (attempt) => {
    waiting.push(attempt);
    if (!isAtIt) void work();
  };
}
