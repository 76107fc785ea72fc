/** The login limiters: in the memory of this process, or with windows that all replicas share in their store (SPEC 4.5, 10). */
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../../domain/async.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { AttemptStore, AttemptWindow, FullWindow } from '../../store/engine/engine.ts';
import { clientKey, networkKey } from './client-key.ts';
import { CODE_CLAUSES, createCodeLimiter } from './guesses.ts';
import { createLoginBlocks, type LoginBlockSources, type NamesBlock } from './login-blocks.ts';
import {
  createNetworkLimiter,
  inTurn,
  type LimiterPlace,
  type LoginLimiter,
  once,
  type Reserved,
  widened,
} from './login-limiter.ts';

/** The windows in which an attempt counts under these clauses, the narrowest first. */
type WindowsOf = (key: string, isKnown: boolean, clauses: readonly Clause[]) => readonly AttemptWindow[];

/** Short, and without the text in it. */
type Digest = (text: string) => string;

/** Passwords, by client and network. */
const addressWindows =
  (digest: Digest): WindowsOf =>
  (address, isKnown, clauses) => {
    const own = { key: `client:${digest(clientKey(address))}`, clauses };
    if (isKnown) return [own];
    return [own, { key: `network:${digest(networkKey(address))}`, clauses: clauses.map(widened) }];
  };

/** Codes of a second factor, by account. */
const accountWindows =
  (digest: Digest): WindowsOf =>
  (account, _, clauses) => [{ key: `code:${digest(account)}`, clauses }];

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
  windowsOf: WindowsOf,
  now: (() => number) | undefined,
): LoginLimiter {
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
    ...local,
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

  function bothOf(own: Reserved, attempt: string): LimiterPlace {
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

/** A restart clears what one process counted in its memory. */
export async function openLimits(
  deps: LoginBlockSources & {
    /** `server.site`. */
    readonly site: string | undefined;
    /** The time that the store is told. Undefined: its server's own. */
    readonly sharedClock: Clock | undefined;
    /** All replicas have the same: the one that sessions are signed with. */
    readonly key: Uint8Array;
  },
) {
  const { attempts, steadyClock, sharedClock, key } = deps;
  const blocks = createLoginBlocks(deps);
  const limiter = inTurn(createNetworkLimiter({ clauses: [], clock: steadyClock }));
  const codeLimiter = inTurn(createCodeLimiter(steadyClock));
  if (!attempts) {
    // Those of another site on the same file last.
    if (deps.site === undefined) await deps.store.forgetBlocks();
    return {
      limiter: blocks.watched(limiter, addressBlocks()),
      codeLimiter: blocks.watched(codeLimiter, codeBlocks()),
      blocks,
    };
  }
  const digest = digestWith(key);
  const now = sharedClock && (() => sharedClock.now());
  const addresses = addressWindows(digest);
  const accounts = accountWindows(digest);
  const sharedLimiter = createSharedLimiter(attempts, limiter, addresses, now);
  const sharedCodes = createSharedLimiter(attempts, codeLimiter, accounts, now);
  sharedCodes.setClauses(CODE_CLAUSES);
  return {
    limiter: blocks.watched(sharedLimiter, addressBlocks(addresses)),
    codeLimiter: blocks.watched(sharedCodes, codeBlocks(accounts)),
    blocks,
  };
}

/** The shared window of a key: its own, or that of its network. */
const windowIn = (windowsOf: WindowsOf | undefined, key: string, at: 0 | 1): string | null =>
  windowsOf?.(key, false, [])[at]?.key ?? null;

const addressBlocks =
  (windowsOf?: WindowsOf): NamesBlock =>
  (address, window) =>
    window === 'network'
      ? { kind: 'network', subject: networkKey(address), window: windowIn(windowsOf, address, 1) }
      : { kind: 'address', subject: clientKey(address), window: windowIn(windowsOf, address, 0) };

/** The key is the account, the account and a session of it, or `link:` and the id of a link. No name has a colon. */
const codeBlocks =
  (windowsOf?: WindowsOf): NamesBlock =>
  (key) => {
    const [subject = key] = key.split(' ', 1);
    const window = windowIn(windowsOf, key, 0);
    const [, link] = subject.split(':');
    return link === undefined ? { kind: 'codes', subject, window } : { kind: 'pins', subject: link, window };
  };

const DIGEST_BYTES = 16;

/** A keyed digest: what is stored tells no address. */
function digestWith(key: Uint8Array): (text: string) => string {
  const own = createHmac('sha256', key).update('login limits').digest();
  return (text) => createHmac('sha256', own).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
