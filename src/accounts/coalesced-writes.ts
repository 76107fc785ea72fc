/** Coalesced writes: each key at most once a minute, many keys in one write (SPEC 4.2, 4.4). */
import { LRUCache } from 'lru-cache';
import { repeated } from '../domain/async.ts';
import { upTo } from '../domain/bounded.ts';
import type { Clock } from '../domain/clock.ts';

const EVERY_MS = 60_000;
/** Long enough to gather what comes together. */
const GATHER_MS = 2_000;
const REMEMBERED_KEYS = 10_000;

/** `onFault`: a write failed. The data is dropped: it is only displayed, no decision depends on it. */
export function createCoalescedWrites<Sighting>({
  write,
  clock,
  onFault,
}: {
  readonly write: (sightings: readonly Sighting[]) => Promise<void>;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}) {
  const writtenAt = new LRUCache<string, number>(upTo(REMEMBERED_KEYS));
  let waiting = new Map<string, Sighting>();
  const writing = repeated(async () => {
    const sightings = [...waiting.values()];
    waiting = new Map();
    if (sightings.length > 0) await write(sightings).catch(onFault);
  });

  const put = (key: string, sighting: () => Sighting): void => {
    waiting.set(key, sighting());
    writing.after(GATHER_MS);
  };

  return {
    /** Writes what waits, now. */
    flush: writing.now,
    close: writing.now,
    /** The same as `note` for what something is decided by: it does not wait for its minute. */
    noteNews: put,
    /** `sighting` is asked for when it will be written. */
    note(key: string, sighting: () => Sighting): void {
      const now = clock.now();
      const last = writtenAt.get(key);
      if (last !== undefined && Math.abs(now - last) < EVERY_MS && !waiting.has(key)) return;
      if (!waiting.has(key)) writtenAt.set(key, now);
      put(key, sighting);
    },
  };
}
