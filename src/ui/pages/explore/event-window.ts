/** The list cut into pieces that come and go with the scroll position: ten thousand events are a few hundred rows. */
import { formatDay } from '../shared/times.ts';
import type { EventView } from './event-view.ts';

/** The key stays while the list grows at either end, so that no row is drawn anew. */
export interface Piece {
  readonly key: string;
  readonly events: readonly EventView[];
}

export interface Day {
  readonly name: string;
  readonly pieces: readonly Piece[];
}

/** Every number of columns up to six divides it, so that a gallery has no gaps between pieces. */
export const PIECE_SIZE = 60;

/**
 * The days of events in the list's order; consecutive events of a day stand together. Without a `now` the whole is one day
 * without a name. The first `freshCount` events have arrived since the list was loaded: pieces of theirs are counted from
 * their end.
 */
export function daysOf(events: readonly EventView[], now: number | undefined, freshCount = 0): Day[] {
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

/** The first piece has so many events, when it has any. */
function cut(events: readonly EventView[], first: number, keyOf: (piece: readonly EventView[]) => string): Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0, to = first || PIECE_SIZE; from < events.length; from = to, to += PIECE_SIZE) {
    const piece = events.slice(from, to);
    pieces.push({ key: keyOf(piece), events: piece });
  }
  return pieces;
}
