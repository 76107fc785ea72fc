/** Deletes events that are older than they must be kept, each hour (SPEC 10). */
import { repeated } from '../domain/async.ts';
import { type Clock, type DeletionGuard, HOUR_MS, unixSeconds } from '../domain/clock.ts';
import type { Store } from '../store/open-store.ts';

/** When the clock has been looked at for long enough (`createDeletionGuard`). */
const FIRST_DELETION_MS = 16 * 60_000;

/** `retention`: the key `events.retention`, in seconds; null: none is deleted. `onFault`: it is tried again within the hour. */
export function keepEvents(
  { store, clock, mayDelete }: { readonly store: Pick<Store, 'forgetEvents'>; clock: Clock; mayDelete: DeletionGuard },
  retention: number | null,
  onDeleted: (events: number) => unknown,
  onFault: (fault: unknown) => unknown,
) {
  const stop = new AbortController();
  const deleting = repeated(async () => {
    if (retention !== null && mayDelete())
      await store.forgetEvents(unixSeconds(clock) - retention, stop.signal).then(onDeleted, onFault);
    return HOUR_MS;
  });
  deleting.after(FIRST_DELETION_MS);
  return {
    /** A deletion ends at its next step. */
    close(): Promise<void> {
      stop.abort();
      return deleting.close();
    },
  };
}
