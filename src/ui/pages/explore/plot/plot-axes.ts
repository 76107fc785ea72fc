/** Where the marks of a plot's axes stand. */

/** Counts: zero, the middle where it is whole, and the top, which is a round number at or above the highest bar. */
export function countMarks(highest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)));
  const top = [1, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((round) => round >= highest) ?? 1;
  return top % 2 === 0 ? [0, top / 2, top] : [0, top];
}

export interface TimeMark {
  /** The slice that begins here. */
  readonly at: number;
  /** Unix seconds. */
  readonly time: number;
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
/** Seconds between two marks. */
// biome-ignore format: a table
const DISTANCES = [
  MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 3 * DAY, 4 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
];

export interface TimeMarks {
  readonly distance: number;
  readonly marks: readonly TimeMark[];
}

/** Marks at round times of the viewer's clock, `most` of them. `offsetAt`: seconds that it is ahead of UTC then. */
export function timeMarks(
  starts: readonly number[],
  stepSeconds: number,
  most: number,
  offsetAt: (time: number) => number = ownOffset,
): TimeMarks {
  const span = starts.length * stepSeconds;
  const distance = DISTANCES.find((one) => one >= stepSeconds && span / one <= most);
  const isRound = (time: number, at: number): boolean => {
    if (distance === undefined) return at % Math.ceil(starts.length / most) === 0;
    // Weeks begin on a Monday, and 1 January 1970 was a Thursday.
    const shift = distance >= 7 * DAY ? 3 * DAY : 0;
    return (((time + offsetAt(time) + shift) % distance) + distance) % distance < stepSeconds / 2;
  };
  const marks = starts.map((time, at) => ({ at, time })).filter(({ time, at }) => isRound(time, at));
  return { distance: distance ?? stepSeconds * Math.ceil(starts.length / most), marks: marks.slice(0, most + 1) };
}

const ownOffset = (time: number): number => -60 * new Date(time * 1000).getTimezoneOffset();
