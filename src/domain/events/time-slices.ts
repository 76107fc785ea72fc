/** Time cut into slices that begin at whole minutes, hours, days and weeks of a time zone: what a plot counts by (SPEC 7). */
import type { Slicing, ZoneOffset } from './event-question.ts';

export interface TimeSlices {
  readonly slicing: Slicing;
  /** The number of the first slice. */
  readonly first: number;
  /** Unix seconds: where each slice begins. The last ends at `end`. */
  readonly starts: readonly number[];
  readonly end: number;
}

const HOUR = 3600;
const DAY = 86_400;
/** Whole weeks. */
const YEAR = 364 * DAY;
const STEPS = [60, 300, 900, HOUR, 3 * HOUR, 6 * HOUR, DAY, 7 * DAY, 28 * DAY, YEAR];
/** 1 January 1970 was a Thursday, and weeks begin on a Monday. */
const THURSDAY = 3 * DAY;

/** The finest usual slices of which no more than `most` (2 or more) reach from one moment to the other. Unix seconds. */
export function sliceTime(from: number, to: number, offsets: readonly ZoneOffset[], most: number): TimeSlices {
  const numbers = (slicing: Slicing) => ({ first: sliceOf(from, slicing), last: sliceOf(to, slicing) });
  const slicings = STEPS.map((seconds) => slicingBy(seconds, offsets, to));
  const slicing = slicings.find((one) => numbers(one).last - numbers(one).first < most) ?? longest(to - from, most);
  const { first, last } = numbers(slicing);
  const starts = Array.from({ length: last - first + 1 }, (_, at) => startOf(first + at, slicing));
  return { slicing, first, starts, end: startOf(last + 1, slicing) };
}

/**
 * The slices of a length. Up to an hour, a change of the clocks would make two slices of one: they go on by the clock of the
 * end.
 */
function slicingBy(seconds: number, offsets: readonly ZoneOffset[], to: number): Slicing {
  const phase = seconds > DAY ? THURSDAY : 0;
  return { seconds, phase, offsets: seconds > HOUR ? offsets : [{ since: 0, seconds: offsetAt(to, offsets) }] };
}

const longest = (span: number, most: number): Slicing => ({
  seconds: YEAR * Math.ceil(span / YEAR / (most - 1)),
  phase: THURSDAY,
  offsets: [],
});

export const sliceOf = (time: number, { seconds, phase, offsets }: Slicing): number =>
  Math.floor((time + offsetAt(time, offsets) + phase) / seconds);

const offsetAt = (time: number, offsets: readonly ZoneOffset[]): number =>
  (offsets.findLast(({ since }) => since <= time) ?? offsets[0])?.seconds ?? 0;

/** Where clocks go back over the beginning it is the first of two such moments; where they leap over it, the leap. */
function startOf(slice: number, { seconds, phase, offsets }: Slicing): number {
  const local = slice * seconds - phase;
  const [before, after] = [offsetAt(local - DAY, offsets), offsetAt(local + DAY, offsets)];
  const [first, second] = [local - before, local - after];
  if (offsetAt(first, offsets) === before) return first;
  if (offsetAt(second, offsets) === after) return second;
  return offsets.findLast(({ since }) => since > second && since <= first)?.since ?? first;
}
