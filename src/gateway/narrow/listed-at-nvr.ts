/** The events that an NVR lists, page by page, as a camera, a label and a start each: asked once, then only for what is new (SPEC 7). */

import type { AskNvr } from '../../access/nvr-adapter.ts';
import { isRecord } from '../../domain/json.ts';
import { UnexpectedForm } from '../../domain/unexpected-form.ts';

/** Camera, label and start of an event, by its id. */
export type ListedEvents = ReadonlyMap<string, ListedEvent>;
export interface ListedEvent {
  readonly camera: string;
  readonly label: string;
  /** Unix seconds. */
  readonly start: number;
}

export interface NvrList {
  /** Events that began after `after`, and maybe more. `complete`: no such event is missing. */
  read(after: number): Promise<{ readonly events: ListedEvents; readonly complete: boolean }>;
}

/** An NVR serializes a page in a fraction of a second, and parsing it takes some milliseconds. */
const PAGE = 1000;
/** An event is some hundred bytes of memory. */
export const MOST_LISTED = 50_000;
/** Milliseconds. What the NVR has deleted is forgotten then. */
const KEPT_FOR = 10 * 60_000;
const FRESH_FOR = 10_000;
/** Seconds: an event may be listed later than one that began after it. */
const OVERLAP = 600;

export interface NvrListDeps {
  readonly ask: AskNvr;
  /** Where the NVR lists its events. */
  readonly path: string;
  /** Parameters of that list, without cameras, times and order. */
  readonly filter: URLSearchParams;
  /** Milliseconds that are never set. */
  readonly now: () => number;
}

export function createNvrList({ ask, path, filter, now }: NvrListDeps): NvrList {
  let events = new Map<string, ListedEvent>();
  /** Everything that began after it is listed. */
  let since = Number.POSITIVE_INFINITY;
  let begunAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<unknown> = Promise.resolve();

  const page = async (times: Readonly<Record<string, number>>): Promise<[id: string, ListedEvent][]> => {
    const query = new URLSearchParams(filter);
    for (const [name, value] of Object.entries({ include_thumbnails: 0, limit: PAGE, ...times }))
      query.set(name, String(value));
    const list = await ask(`${path}?${query}`);
    if (!Array.isArray(list)) throw new UnexpectedForm(`${path} was not answered with a list`);
    return list.flatMap((event) => listed(event));
  };
  /** Adds pages, newest first, until all that began from `until` to `from` is there, or `most` events are; gives how far it came. */
  const walk = async (from: number, until: number, most: number): Promise<number> => {
    let before = from;
    while (before > until && events.size < most) {
      const known = events.size;
      const found = await page({
        ...(Number.isFinite(before) && { before }),
        ...(Number.isFinite(until) && { after: until }),
      });
      for (const [id, event] of found) events.set(id, event);
      if (found.length < PAGE) return until;
      const oldest = found.reduce((least, [, { start }]) => Math.min(least, start), before);
      const isNews = events.size > known;
      if (!isNews && oldest >= before) return before; // an NVR that does not know the parameter
      // Several may begin at once: the next page has those of the first moment again, unless they fill a page.
      before = isNews ? oldest + SMALLEST : oldest;
    }
    return before;
  };
  const look = async (after: number): Promise<void> => {
    const newest = [...events.values()].reduce((most, { start }) => Math.max(most, start), Number.NEGATIVE_INFINITY);
    if (now() - begunAt > KEPT_FOR) {
      events = new Map();
      since = Number.POSITIVE_INFINITY;
      begunAt = now();
    } else if (Number.isFinite(newest) && now() - lookedAt > FRESH_FOR) {
      await walk(Number.POSITIVE_INFINITY, Math.max(newest - OVERLAP, since), Number.POSITIVE_INFINITY);
    }
    lookedAt = now();
    if (since > after) since = await walk(since, after, MOST_LISTED);
  };
  return {
    async read(after) {
      // One after the other: two at once would ask for the same pages.
      reading = reading.then(
        () => look(after),
        () => look(after),
      );
      await reading;
      return { events, complete: since <= after };
    },
  };
}

/** Seconds. The times of an NVR have six digits behind the point. */
const SMALLEST = 0.000_001;

function listed(event: unknown): [id: string, ListedEvent][] {
  if (!isRecord(event)) return [];
  const { id, camera, label, start_time: start } = event;
  return typeof id === 'string' && typeof camera === 'string' && typeof start === 'number'
    ? [[id, { camera, label: typeof label === 'string' ? label : '', start }]]
    : [];
}
