/** Looks after the events in the store each hour: the months ahead, and events that are older than they must be kept (SPEC 10). */

import { hourly } from '../../domain/async/hourly.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { DeletionGuard } from '../../domain/deletion-guard.ts';
import type { Store } from '../../store/open-store.ts';

export interface EventUpkeepDeps {
  readonly store: Pick<Store, 'prepareForEvents' | 'forgetEvents'>;
  readonly clock: Clock;
  readonly mayDelete: DeletionGuard;
  /** `events.retention`, in seconds; null: none is deleted. */
  readonly retention: number | null;
  readonly onDeleted: (events: number) => void;
  /** It is tried again within the hour. `what` says what failed. */
  readonly onFault: (fault: unknown, what: string) => void;
}

export interface EventUpkeep {
  /** A deletion ends at its next step. */
  close(): Promise<void>;
}

/** Not longer than any month: the last of January and 31 days more would leave February out. */
const AHEAD_SECONDS = 28 * 86_400;

/** When the clock has been looked at for long enough (`createDeletionGuard`). */
const FIRST_DELETION_MS = 16 * 60_000;

/** Resolves when this month and the next have their places. */
export async function keepEvents(deps: EventUpkeepDeps): Promise<EventUpkeep> {
  const stop = new AbortController();
  await prepareMonths(deps);
  let deleting = Promise.resolve();
  /** One after another: the first may take hours. */
  const deleteNext = (): void => {
    deleting = deleting.then(() => deleteOld(deps, stop.signal));
  };
  const first = setTimeout(deleteNext, FIRST_DELETION_MS).unref();
  const stopChores = hourly(() => {
    void prepareMonths(deps);
    deleteNext();
  });
  return {
    async close() {
      clearTimeout(first);
      stopChores();
      stop.abort();
      await deleting;
    },
  };
}

async function prepareMonths({ store, clock, onFault }: EventUpkeepDeps): Promise<void> {
  const now = unixSeconds(clock);
  try {
    await store.prepareForEvents([now, now + AHEAD_SECONDS]);
  } catch (fault) {
    onFault(fault, 'the table of the next month of events could not be made');
  }
}

async function deleteOld(deps: EventUpkeepDeps, signal: AbortSignal): Promise<void> {
  const { store, clock, mayDelete, retention, onDeleted, onFault } = deps;
  if (retention === null || signal.aborted || !mayDelete()) return;
  try {
    onDeleted(await store.forgetEvents(unixSeconds(clock) - retention, signal));
  } catch (fault) {
    onFault(fault, 'events older than events.retention could not be deleted');
  }
}
