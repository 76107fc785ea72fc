/** Time cut into slices of whole local days, the same cuts for every caller, so that the count of a slice can be cached (SPEC 7). */
import type { ZoneOffset } from '../domain/events/event-question.ts';

export const DAY = 86_400;
/** So many days are counted at a time: between two slices other questions get their turn. */
const DAYS_PER_SLICE = 4;

export interface CalendarSlice {
  /** Start times in `[from, until)`, Unix seconds. */
  readonly from: number;
  readonly until: number;
}

/** The slice that holds the time. */
export function sliceAround(time: number, offsets: readonly ZoneOffset[]): CalendarSlice {
  const day = Math.floor((time + offsetAt(time, offsets)) / DAY);
  let number = Math.floor(day / DAYS_PER_SLICE);
  if (time < startOfSlice(number, offsets)) number -= 1;
  return { from: startOfSlice(number, offsets), until: startOfSlice(number + 1, offsets) };
}

const offsetAt = (time: number, offsets: readonly ZoneOffset[]): number =>
  (offsets.findLast(({ since }) => since <= time) ?? offsets[0])?.seconds ?? 0;

/** A local midnight. Where clocks change about then, a day may come twice: the cut is made two days later. */
function startOfSlice(number: number, offsets: readonly ZoneOffset[]): number {
  const midnight = number * DAYS_PER_SLICE * DAY;
  const calm = [midnight, midnight + 2 * DAY].find((at) => offsetAt(at - DAY, offsets) === offsetAt(at + DAY, offsets));
  return (calm ?? midnight) - offsetAt(calm ?? midnight, offsets);
}
