/** Coalesced writes: each key at most once a minute, many keys in one write (SPEC 4.2, 4.4). */
import { LRUCache } from 'lru-cache';
import { upTo } from '../domain/bounded.ts';
import type { Clock } from '../domain/clock.ts';

export interface CoalescedWriteDeps<Sighting> {
  readonly write: (sightings: readonly Sighting[]) => Promise<void>;
  readonly clock: Clock;
  /** Called when a write failed. The data is dropped: it is only displayed, no decision depends on it. */
  readonly onFault: (fault: unknown) => void;
}

export interface CoalescedWrites<Sighting> {
  /** `sighting` is asked for when it will be written. */
  note(key: string, sighting: () => Sighting): void;
  /** The same for what something is decided by: it does not wait for its minute. */
  noteNews(key: string, sighting: () => Sighting): void;
  /** Writes what waits, now. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const EVERY_MS = 60_000;
/** Long enough to gather what comes together. */
const GATHER_MS = 2_000;
const REMEMBERED_KEYS = 10_000;

export function createCoalescedWrites<Sighting>(deps: CoalescedWriteDeps<Sighting>): CoalescedWrites<Sighting> {
  const { write, clock, onFault } = deps;
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
    flush,
    close: flush,
    noteNews: put,
    note(key, sighting) {
      const now = clock.now();
      const last = writtenAt.get(key);
      if (last !== undefined && Math.abs(now - last) < EVERY_MS && !waiting.has(key)) return;
      if (!waiting.has(key)) writtenAt.set(key, now);
      put(key, sighting);
    },
  };
}
