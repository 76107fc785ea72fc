/** Deletes events that are older than they must be kept, each hour (SPEC 10). */
import { type Clock, type DeletionGuard, hourly, unixSeconds } from '../domain/clock.ts';
import type { Store } from '../store/open-store.ts';

interface EventUpkeepDeps {
  readonly store: Pick<Store, 'forgetEvents'>;
  readonly clock: Clock;
  readonly mayDelete: DeletionGuard;
  /** `events.retention`, in seconds; null: none is deleted. */
  readonly retention: number | null;
  readonly onDeleted: (events: number) => void;
  /** It is tried again within the hour. */
  readonly onFault: (fault: unknown) => void;
}

/** When the clock has been looked at for long enough (`createDeletionGuard`). */
const FIRST_DELETION_MS = 16 * 60_000;

export function keepEvents({ store, clock, mayDelete, retention, onDeleted, onFault }: EventUpkeepDeps) {
  const stop = new AbortController();
  const deleteOld = async (): Promise<void> => {
    if (retention === null || stop.signal.aborted || !mayDelete()) return;
    await store
      .forgetEvents(unixSeconds(clock) - retention, stop.signal)
      .then(onDeleted)
      .catch(onFault);
  };
  let deleting = Promise.resolve();
  /** One after another: the first may take hours. */
  const deleteNext = (): void => {
    deleting = deleting.then(deleteOld);
  };
  const first = setTimeout(deleteNext, FIRST_DELETION_MS).unref();
  const stopChores = hourly(deleteNext);
  return {
    /** A deletion ends at its next step. */
    async close(): Promise<void> {
      clearTimeout(first);
      stopChores();
      stop.abort();
      await deleting;
    },
  };
}
