/** The list cut into pieces that come and go with the scroll position: ten thousand events are a few hundred rows. */
import { formatDay } from '../shared/times.ts';
import type { EventView } from './event-view.ts';

export interface Day {
  readonly name: string;
  readonly pieces: readonly (readonly EventView[])[];
}

/** Every number of columns up to six divides it, so that a gallery has no gaps between pieces. */
export const PIECE_SIZE = 60;

/** In the list's order; consecutive events of a day stand together. Without a `now` the whole is one day without a name. */
export function daysOf(events: readonly EventView[], now: number | undefined): Day[] {
  const days: { name: string; pieces: EventView[][] }[] = [];
  for (const event of events) {
    const name = now === undefined ? '' : formatDay(event.startTime, now);
    let day = days.at(-1);
    if (day?.name !== name) {
      day = { name, pieces: [] };
      days.push(day);
    }
    const piece = day.pieces.at(-1);
    if (piece && piece.length < PIECE_SIZE) piece.push(event);
    else day.pieces.push([event]);
  }
  return days;
}
