/** Events that arrive while the list is looked at, shown at once or held back (SPEC 8); and the list in days and pieces, which come and go with the scroll position. */

import type { EventView } from '../shared/events/event-view.ts';
import { formatDay } from '../shared/words.ts';

export interface Arrivals {
  /** Newest first. */
  readonly events: readonly EventView[];
  /** So many at the head of `events` have arrived since the list was loaded. */
  readonly freshCount: number;
  /** Held back, newest first. */
  readonly waiting: readonly EventView[];
  /** The ids to mark as new. */
  readonly newIds: ReadonlySet<string>;
}

/** What is told of an event again and again while it lasts. */
const isSame = (one: EventView, other: EventView): boolean =>
  (['endTime', 'label', 'subLabel', 'score', 'picture'] as const).every((name) => one[name] === other[name]) &&
  ['has_clip', 'has_snapshot'].every((name) => one.record[name] === other.record[name]) &&
  one.zones.join() === other.zones.join();

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
  const replaced = (event: EventView): EventView => {
    const now = latest.get(event.id);
    return now && !isSame(now, event) ? now : event;
  };
  const known = new Set([...list.events, ...list.waiting].map(({ id }) => id));
  const oldest = hasMore ? (list.events.at(-1)?.startTime ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
  const added = arrived.filter(({ id, startTime }) => !known.has(id) && startTime >= oldest);
  const waiting = inOrder([...added, ...list.waiting.map(replaced)]);
  const updated = { ...list, events: list.events.map(replaced), waiting };
  return isHeldBack ? updated : withWaiting(updated);
}

/** Shows what waits. */
export function withWaiting<List extends Arrivals>(list: List): List {
  const { events, freshCount, waiting, newIds } = list;
  if (waiting.length === 0) return list;
  const [fresh, paged] = [events.slice(0, freshCount), events.slice(freshCount)];
  const newestPaged = paged[0]?.startTime ?? Number.NEGATIVE_INFINITY;
  const top = waiting.filter(({ startTime }) => startTime >= newestPaged);
  const late = waiting.filter(({ startTime }) => startTime < newestPaged);
  const head = inOrder([...top, ...fresh]);
  return {
    ...list,
    events: [...head, ...(late.length > 0 ? inOrder([...paged, ...late]) : paged)],
    freshCount: head.length,
    waiting: [],
    newIds: new Set([...newIds, ...waiting.map(({ id }) => id)]),
  };
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
 * The days of events in the list's order; consecutive events of a day stand together. Without a `now` the whole is one day
 * without a name. The first `freshCount` events have arrived since the list was loaded: pieces of theirs are counted from
 * their end.
 */
export function groupByDay(events: readonly EventView[], now: number | undefined, freshCount = 0) {
  const days: { name: string; fresh: EventView[]; paged: EventView[] }[] = [];
  for (const [at, event] of events.entries()) {
    const name = now === undefined ? '' : formatDay(event.startTime, now);
    let day = days.at(-1);
    if (day?.name !== name) {
      day = { name, fresh: [], paged: [] };
      days.push(day);
    }
    (at < freshCount ? day.fresh : day.paged).push(event);
  }
  return days.map(({ name, fresh, paged }) => ({
    name,
    pieces: [
      ...cut(fresh, fresh.length % PIECE_SIZE, (piece) => `to ${piece.at(-1)?.id}`),
      ...cut(paged, 0, (piece) => `from ${piece[0]?.id}`),
    ],
  }));
}

/** The first piece has so many events, when it has any. The key stays while the list grows at either end, so that no row is drawn anew. */
function cut(events: readonly EventView[], first: number, keyOf: (piece: readonly EventView[]) => string) {
  const pieces: { readonly key: string; readonly events: readonly EventView[] }[] = [];
  for (let from = 0, to = first || PIECE_SIZE; from < events.length; from = to, to += PIECE_SIZE) {
    const piece = events.slice(from, to);
    pieces.push({ key: keyOf(piece), events: piece });
  }
  return pieces;
}
