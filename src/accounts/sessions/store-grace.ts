/** While the store is away: its answers are remembered for a grace (SPEC 10), and a session that was ended is over at once (SPEC 4.2). */
import { LRUCache } from 'lru-cache';
import { type MaybePromise, repeated, withTimeLimit } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Clock } from '../../domain/clock.ts';
import { findStoreFault, storeFault } from '../../domain/store/store-fault.ts';
import type { HeardChanges } from '../../store/engine/engine.ts';
import type { Store } from '../../store/open-store.ts';

/** The answer under that key: remembered if it still holds, else by `read`. Rejects as `read` does when there is no grace for it. */
export type StoreMemory<Result> = (key: string, read: () => Promise<Result>) => MaybePromise<Result>;

interface Remembered<Result> {
  readonly result: Result;
  /** When the store gave the answer, or nothing that it is made from had changed since. */
  version: string | undefined;
  /** What had been heard of when the store was asked. */
  readonly revision: number;
  /** Milliseconds: when the store gave the answer, or said that nothing has changed since. */
  confirmedAt: number;
}

/** A server that is frozen says nothing at all: a question of a request is given up after so long. */
const PATIENCE_MILLISECONDS = 1500;
/** The pause after a failed question: callers in their grace do not wait for another one for so long. */
const PAUSE_MILLISECONDS = 250;

/**
 * An answer that this process knows to be outdated is never used: a change of its rows that was heard of ends it, with
 * the store or without. Only a store that cannot be reached has a grace: one that is locked or damaged still answers for itself.
 */
export function createStoreGrace({
  version,
  heard,
  clock,
  seconds = 0,
}: {
  /** Changes with every change of the store, and at each call while changes may go unheard; without it each question is asked. */
  readonly version?: (() => string) | undefined;
  /** Which rows have changed, as far as this process has heard. Default: no grace. */
  readonly heard?: HeardChanges | undefined;
  /** One that is never set. */
  readonly clock?: Clock;
  /** How long an answer that the store gave or confirmed may be used while the store cannot be reached. */
  readonly seconds?: number;
} = {}) {
  const now = (): number => clock?.now() ?? 0;
  const graceMilliseconds = heard && clock ? seconds * 1000 : 0;
  let failedAt: number | undefined;
  let isRetrying = false;

  const isInTime = ({ confirmedAt }: Remembered<unknown>): boolean => now() - confirmedAt < graceMilliseconds;

  /** Whether the store has just failed, or is being tried again: then a known caller need not wait for it. */
  const isTroubled = (): boolean => failedAt !== undefined && (isRetrying || now() - failedAt < PAUSE_MILLISECONDS);

  const asked = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    const isRetry = failedAt !== undefined && !isRetrying;
    if (isRetry) isRetrying = true;
    try {
      const result = await (graceMilliseconds > 0 ? withPatience(read()) : read());
      failedAt = undefined;
      return result;
    } catch (fault) {
      if (isUnreachable(fault)) failedAt = now();
      throw fault;
    } finally {
      if (isRetry) isRetrying = false;
    }
  };

  return {
    /** `capacity` in answers. */
    memory<Result>(
      capacity: number,
      {
        rowsOf,
        isOfRows = false,
        isKept = () => true,
        inGrace = (result) => result,
      }: {
        /** The rows that the answer was made from: a change of another row leaves it its grace. */
        readonly rowsOf: (key: string, result: Result) => readonly string[];
        /** Nothing else is in it, and each change of one of them is heard of by its name: no other change has it read again. */
        readonly isOfRows?: boolean;
        /** An answer that it refuses is not remembered. Default: all are. */
        readonly isKept?: (result: Result) => boolean;
        /** Marks an answer that is used in its grace. Default: it is given as it is. */
        readonly inGrace?: (result: Result) => Result;
      },
    ): StoreMemory<Result> {
      const hasRows = (key: string, known: Remembered<Result>): boolean =>
        heard?.haveChanged(rowsOf(key, known.result), known.revision) === false;
      const holdsInGrace = (key: string, known: Remembered<Result>): boolean => isInTime(known) && hasRows(key, known);
      const results = new LRUCache<string, Remembered<Result>>(upTo(capacity));
      return (key, read) => {
        // Taken before the read: a change during it makes the next call read again.
        const asOf = version?.();
        const known = results.get(key);
        const isSame = known?.version === asOf;
        // A version that differs at each call says that changes may go unheard.
        if (known && asOf !== undefined && (isSame || (isOfRows && asOf === version?.() && hasRows(key, known)))) {
          known.version = asOf;
          known.confirmedAt = now();
          return known.result;
        }
        if (known && isTroubled() && holdsInGrace(key, known)) return inGrace(known.result);
        const revision = heard?.revision() ?? 0;
        return asked(read).then(
          (result) => {
            if (isKept(result)) results.set(key, { result, version: asOf, revision, confirmedAt: now() });
            return result;
          },
          (fault: unknown) => {
            if (known && isUnreachable(fault) && holdsInGrace(key, known)) return inGrace(known.result);
            throw fault;
          },
        );
      };
    },
  };
}

export type StoreGrace = ReturnType<typeof createStoreGrace>;

const isUnreachable = (fault: unknown): boolean => findStoreFault(fault) === 'unreachable';

const withPatience = <Result>(result: Promise<Result>): Promise<Result> =>
  withTimeLimit(result, PATIENCE_MILLISECONDS, () => {
    throw storeFault('unreachable', 'the store gave no answer in time');
  });

export type HoldingStore = ReturnType<typeof holdRevocations>;

const RETRY_MS = 1000;

/** The store, with a `revokeToken` that takes effect in this process even when it rejects. */
export function holdRevocations(
  store: Store,
  log: Record<'error' | 'info', (fields: object, message: string) => void>,
) {
  /** The Unix second until which each must be remembered. */
  const held = new Map<string, number>();
  let changes = 0;
  const writing = repeated(async () => {
    const waiting = [...held];
    try {
      for (const [tokenId, expiresAt] of waiting) {
        await store.accounts.revokeToken(tokenId, expiresAt);
        held.delete(tokenId);
      }
    } catch {
      return RETRY_MS; // the first attempt told of it
    }
    if (waiting.length > 0 && held.size === 0)
      log.info({ count: waiting.length }, 'ended sessions that were held in memory are stored now');
    return undefined;
  });
  let joined = { stored: '', changes: 0, text: '' };
  /** One text while nothing changes: it is compared several times for each request. */
  const version = (): string => {
    const stored = store.version();
    if (changes === 0) return stored;
    if (joined.stored !== stored || joined.changes !== changes)
      joined = { stored, changes, text: `${stored} ${changes}` };
    return joined.text;
  };
  return {
    ...store,
    /** How many wait to be written. */
    heldRevocations: () => held.size,
    /** Whether the end of that session is held. */
    isHeld: (tokenId: string): boolean => held.has(tokenId),
    version,
    accounts: {
      ...store.accounts,
      async revokeToken(tokenId: string, expiresAt: number): Promise<boolean> {
        // Held before it is written: the write may wait for seconds, and the session ends now.
        held.set(tokenId, Math.max(expiresAt, held.get(tokenId) ?? 0));
        changes += 1;
        try {
          const isNew = await store.accounts.revokeToken(tokenId, expiresAt);
          held.delete(tokenId);
          return isNew;
        } catch (fault) {
          writing.after(RETRY_MS);
          log.error(
            { err: fault },
            'the end of a session could not be stored and is held in memory: see the cause, and do not restart before the store can be written',
          );
          throw fault;
        }
      },
      isRevoked: async (tokenId: string): Promise<boolean> => held.has(tokenId) || store.accounts.isRevoked(tokenId),
    },
    async close(): Promise<void> {
      await writing.close();
      if (held.size > 0) await writing.now();
      await store.close();
    },
  };
}
