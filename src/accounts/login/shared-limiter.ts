/** The login limiters: in the memory of this process, or with windows that all replicas share in their store (SPEC 4.5, 10). */

import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeated, unlessAborted } from '../../domain/async.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { AttemptStore, AttemptWindow } from '../../store/engine/engine.ts';
import { BY_ACCOUNT, CODE_RULES } from './guesses.ts';
import { createLoginBlocks, type LoginBlockSources } from './login-blocks.ts';
import {
  BY_ADDRESS,
  clausesOf,
  createWindowLimiter,
  inTurn,
  type LimiterRules,
  type LoginLimiter,
  once,
  type Window,
  type Windows,
  windowsFor,
} from './login-limiter.ts';

/** The name of a window in the store. */
type NameOf = (window: Window, key: string) => string;

/** Attempts under way on other replicas are looked at again after a while. */
const LOOK_MS = 100;
const MOST_LOOKS = 100;
const ATTEMPT_BYTES = 12;

/**
 * Rejects with the fault of the store, so that no login is checked without a limit. `local`: counts what comes through this
 * process. It refuses alone, too: what is full here is full for all. `now`: as `sharedClock`.
 */
function createSharedLimiter(
  attempts: AttemptStore,
  local: LoginLimiter,
  windows: Windows,
  nameOf: NameOf,
  now: (() => number) | undefined,
): LoginLimiter {
  let clauses: readonly Clause[] = [];
  const giveBack = givenBackTo(attempts);

  const reserveShared = async (attempt: string, asked: readonly AttemptWindow[], signal?: AbortSignal) => {
    for (let looks = 1; ; looks += 1) {
      const full = await attempts.reserve(attempt, asked, now?.());
      if (!full?.isUnderWay || looks === MOST_LOOKS) return full;
      await unlessAborted(sleep(LOOK_MS), signal);
    }
  };

  return {
    ...local,
    setClauses(given) {
      clauses = given;
      local.setClauses(given);
    },
    async reserve(key, isKnown = false, waiter = {}) {
      const own = await local.reserve(key, isKnown, waiter);
      if (own.kind !== 'reserved' || clauses.length === 0) return own;
      const attempt = randomBytes(ATTEMPT_BYTES).toString('base64url');
      const settle = once((how: 'keep' | 'release') => {
        own[how]();
        if (how === 'release') giveBack(attempt);
        // Told in vain, it counts as under way a while longer.
        else attempts.keep(attempt).catch(() => {});
      });
      try {
        const counted = windowsFor(windows, isKnown);
        const asked = counted.map((window) => ({ key: nameOf(window, key), clauses: clausesOf(window, clauses) }));
        const full = await reserveShared(attempt, asked, waiter.signal);
        if (!full) return { kind: 'reserved', keep: () => settle('keep'), release: () => settle('release') };
        own.release();
        const { clause, retryAfterSeconds } = full;
        const window = counted[full.window];
        return { kind: 'limited', clause, retryAfterSeconds, ...(window && { window }) };
      } catch (fault) {
        settle('release'); // the server may have counted it
        throw fault;
      }
    },
  };
}

/** Attempts that wait for the store to be given back; of more, the oldest stay taken until they leave their window. */
const MOST_WAITING = 1000;
const AGAIN_MS = 1000;

/** One statement at a time, for all that wait; a store that is away is asked again until it has done it. */
function givenBackTo({ release }: AttemptStore): (attempt: string) => void {
  let waiting: string[] = [];
  const giving = repeated(async () => {
    const batch = waiting;
    waiting = [];
    return release(batch).catch(() => {
      waiting = [...batch, ...waiting].slice(-MOST_WAITING);
      return AGAIN_MS;
    });
  });
  return (attempt) => {
    waiting.push(attempt);
    giving.after(0);
  };
}

/** A restart clears what one process counted in its memory. */
export async function openLimits(
  deps: LoginBlockSources & {
    /** What former processes kept is forgotten, if they counted in their memory. */
    readonly isAlone: boolean;
    /** The time that the store is told. Undefined: its server's own. */
    readonly sharedClock: Clock | undefined;
    /** All replicas have the same: the one that sessions are signed with. */
    readonly key: Uint8Array;
  },
) {
  const { attempts, steadyClock, sharedClock, key } = deps;
  const blocks = createLoginBlocks(deps);
  // What is stored tells no address.
  const own = createHmac('sha256', key).update('login limits').digest();
  const digest = (text: string): string =>
    createHmac('sha256', own).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
  const nameOf: NameOf = ({ prefix, keyOf }, of) => `${prefix}:${digest(keyOf(of))}`;
  const now = sharedClock && (() => sharedClock.now());
  const open = (windows: Windows, rules: Pick<LimiterRules, 'clauses' | 'filledBy'>): LoginLimiter => {
    const local = inTurn(createWindowLimiter(windows, { ...rules, clock: steadyClock }));
    if (!attempts) return blocks.watched(local, windows, () => null);
    const shared = createSharedLimiter(attempts, local, windows, nameOf, now);
    shared.setClauses(rules.clauses);
    return blocks.watched(shared, windows, nameOf);
  };
  // Those of another service on the same file last.
  if (!attempts && deps.isAlone) await deps.store.forgetBlocks();
  return { limiter: open(BY_ADDRESS, { clauses: [] }), codeLimiter: open(BY_ACCOUNT, CODE_RULES), blocks };
}

const DIGEST_BYTES = 16;
