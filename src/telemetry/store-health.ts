/** Health of the store, by a probe every 15 s, by one for each `/readyz`, and by each write that failed: the source of `postern_store_up` (SPEC 9, 10). */
import { findStoreFault, type StoreFault, thrownBy } from '../domain/store/store-fault.ts';

const EVERY_MS = 15_000;
const FRESH_MS = 1000;
const GLANCE_MS = 500;
/** Longer than a probe waits for a lock. It goes on, and its answer counts. */
const SILENT_MS = 1500;
const DOUBT_MS = 250;
const SILENT = new Error('the store gives no answer');

export function createStoreHealth({
  now,
  onFault,
  onChange,
}: {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Each statement that failed because of the store. */
  readonly onFault: (kind: StoreFault) => void;
  /** Undefined: the store works again. */
  readonly onChange: (fault: Error | undefined) => void;
}) {
  let probe = async (): Promise<void> => {};
  /** Damage that a query met stays reported, even where the probe does not look: a backup is restored with the service stopped. */
  let damage: Error | undefined;
  let known: Error | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Error | undefined> | undefined;
  let isAway = false;
  let doubt: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;
  let timers: readonly NodeJS.Timeout[] = [];

  const settle = (fault: Error | undefined): Error | undefined => {
    const isChanged = (fault === undefined) !== (known === undefined);
    known = fault;
    askedAt = fault ? Number.NEGATIVE_INFINITY : now();
    if (isChanged) onChange(fault);
    return fault;
  };
  const ask = (): Promise<Error | undefined> => {
    if (asking) return asking;
    const silence = setTimeout(() => settle(SILENT), SILENT_MS).unref();
    asking = probe()
      .then(
        () => settle(damage),
        (fault: unknown) => settle(fault instanceof Error ? fault : new Error(String(fault))),
      )
      .finally(() => {
        clearTimeout(silence);
        asking = undefined;
      });
    return asking;
  };
  const look = (glance: () => void): void => {
    const was = isAway;
    isAway = thrownBy(glance) !== undefined;
    if (isAway === was) return;
    // What was damaged while the file was away is in place again with it, or found by the probe.
    if (was) damage = undefined;
    void ask();
  };
  return {
    /** Something has happened to the store: asks it now, and waits no longer than a moment. */
    look(): void {
      void ask();
      clearTimeout(doubt);
      doubt = setTimeout(() => asking && settle(SILENT), DOUBT_MS).unref();
    },
    /** Notes each statement that failed; called by the engine. A write that failed counts until a probe has written. */
    note(fault: unknown, by: 'read' | 'write'): void {
      const kind = findStoreFault(fault);
      if (kind === undefined || !(fault instanceof Error)) return;
      if (kind === 'corrupt') damage = fault;
      askedAt = Number.NEGATIVE_INFINITY;
      onFault(kind);
      if (by === 'read' || isClosed) return;
      settle(fault);
      clearTimeout(again);
      again = setTimeout(() => void ask(), FRESH_MS).unref();
    },
    /** Undefined when the store works, as far as it is known. */
    known: () => known,
    /** Probes every 15 s from now on; what `glance` throws, which costs nothing, is seen within a second. */
    watch(work: () => Promise<void>, glance?: () => void): void {
      probe = work;
      timers = [setInterval(() => void ask(), EVERY_MS).unref()];
      if (glance) timers = [...timers, setInterval(() => look(glance), GLANCE_MS).unref()];
    },
    /** The same; asked anew unless it worked within the last second. */
    fault: async (): Promise<Error | undefined> => (now() - askedAt < FRESH_MS ? known : ask()),
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(again);
      clearTimeout(doubt);
      for (const timer of timers) clearInterval(timer);
      await asking;
    },
  };
}
