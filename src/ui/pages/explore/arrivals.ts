/** Events that arrive while the list is looked at, shown at once or held back (SPEC 8); and the list in days and pieces, which come and go with the scroll position. */

import type { EventView } from '../shared/events/event-view.ts';
import { formatDay } from '../shared/words.ts';

export interface Arrivals {
  /** Newest first. */
  readonly events: readonly EventView[];
  /** Held back, newest first. */
  readonly waiting: readonly EventView[];
  /** The ids of events that have arrived since the list was loaded, to mark them. */
  readonly newIds: ReadonlySet<string>;
}

/**
 * Known events are replaced where they stand. `hasMore`: older events are not loaded yet, so what is older than the
 * last loaded one is left to them. `isHeldBack`: new events wait.
 */
export function withArrivals<List extends Arrivals>(
  list: List,
  arrived: readonly EventView[],
  { hasMore, isHeldBack }: { readonly hasMore: boolean; readonly isHeldBack: boolean },
): List {
  const latest = new Map(arrived.map((event) => [event.id, event]));
  const replaced = (event: EventView): EventView => latest.get(event.id) ?? event;
  const known = new Set([...list.events, ...list.waiting].map(({ id }) => id));
  const oldest = (hasMore ? list.events.at(-1)?.startTime : undefined) ?? Number.NEGATIVE_INFINITY;
  const added = arrived.filter(({ id, startTime }) => !known.has(id) && startTime >= oldest);
  const waiting = inOrder([...added, ...list.waiting.map(replaced)]);
  const updated = { ...list, events: list.events.map(replaced), waiting };
  return isHeldBack ? updated : withWaiting(updated);
}

/** Shows what waits. */
export function withWaiting<List extends Arrivals>(list: List): List {
  const { events, waiting, newIds } = list;
  if (waiting.length === 0) return list;
  const ids = waiting.map(({ id }) => id);
  return { ...list, events: inOrder([...waiting, ...events]), waiting: [], newIds: new Set([...newIds, ...ids]) };
}

const inOrder = (events: readonly EventView[]): EventView[] =>
  events.toSorted((one, other) => other.startTime - one.startTime);

const OVERLAP_SECONDS = 300;
const LONGEST_EVENT_SECONDS = 3600;

/**
 * The moment from which to ask what is new, in Unix seconds. Some events are stored only minutes after they began, and those
 * in progress are asked for until they are over.
 */
export function askedSince(events: readonly EventView[]): number | undefined {
  const newest = events[0]?.startTime;
  if (newest === undefined) return undefined;
  const running = events.filter(
    ({ endTime, startTime }) => endTime === undefined && newest - startTime < LONGEST_EVENT_SECONDS,
  );
  return Math.min(newest - OVERLAP_SECONDS, ...running.map(({ startTime }) => startTime - 1));
}

/** Every number of columns up to six divides it, so that a gallery has no gaps between pieces. */
export const PIECE_SIZE = 60;

/**
 * The days of events in the list's order. Without a `now` the whole is one day
 * without a name. Pieces are counted from the first event that was loaded with the list: loaded pieces change neither when
 * events arrive above nor when more are loaded, so that no row is drawn anew.
 */
export function groupByDay({ events, newIds }: Pick<Arrivals, 'events' | 'newIds'>, now: number | undefined) {
  const days = Map.groupBy(events, ({ startTime }) => (now === undefined ? '' : formatDay(startTime, now)));
  return [...days].map(([name, all]) => {
    const loaded = all.findIndex(({ id }) => !newIds.has(id));
    const above = loaded < 0 ? all.length : loaded;
    return { name, pieces: [...Map.groupBy(all, (_, at) => Math.floor((at - above) / PIECE_SIZE))] };
  });
}
