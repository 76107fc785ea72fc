/** Coalesced writes: each key at most once a minute, many keys in one write (SPEC 4.2, 4.4). */
import { LRUCache } from 'lru-cache';
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
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const writeWaiting = async (): Promise<void> => {
    const sightings = [...waiting.values()];
    waiting = new Map();
    try {
      if (sightings.length > 0) await write(sightings);
    } catch (fault) {
      onFault(fault);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeWaiting);
    return writing;
  };

  const put = (key: string, sighting: () => Sighting): void => {
    waiting.set(key, sighting());
    timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
  };

  return {
    /** Writes what waits, now. */
    flush,
    close: flush,
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
