/** What a plot of days shows: its bars as paths, a slice one unit wide and the whole 100 high, and where the marks of its axes stand. Pure. */
import { isRecord } from '../../../../domain/json.ts';
import { toLocalInput } from '../spelling.ts';
import { readNumber, readText } from '../untrusted.ts';

/** The number of names that have a colour of their own. */
export const COLOURS = 8;

export const colourAt = (place: number): string => `var(--camera-${place < COLOURS ? place + 1 : 'other'})`;

/** Midnights of the viewer's clock, in Unix seconds, and the days' names, such as `2026-11-22`. */
export const daysFrom = (first: Date, count: number): { readonly start: number; readonly day: string }[] =>
  Array.from({ length: count }, (_, at) => {
    const date = new Date(first.getFullYear(), first.getMonth(), first.getDate() + at);
    const start = date.getTime() / 1000;
    return { start, day: toLocalInput(start).slice(0, 10) };
  });

/** Counts by day, as `2026-11-22`, of all cameras together; null when they cannot be had. */
export function readDays(body: unknown): ReadonlyMap<string, number> | null {
  if (!Array.isArray(body)) return null;
  const days = new Map<string, number>();
  for (const row of body.filter(isRecord)) {
    const day = readText(row['day']) ?? '';
    if (/^\d{4}-\d\d-\d\d$/.test(day)) days.set(day, (days.get(day) ?? 0) + (readNumber(row['count']) ?? 0));
  }
  return days;
}

/** So many days to the newest that is told; of one more, where it begins, which is where the last one ends. */
export function toBars(counts: ReadonlyMap<string, number>, most: number) {
  const last = [...counts.keys()].sort().at(-1);
  if (last === undefined) return { starts: [], counts: [] };
  const [year = 0, month = 1, date = 1] = last.split('-').map(Number);
  const days = daysFrom(new Date(year, month - 1, date - most + 1), most + 1);
  return {
    starts: days.map(({ start }) => start),
    counts: days.slice(0, -1).map(({ day }) => counts.get(day) ?? 0),
  };
}

const [GAP, WIDTH] = [0.08, 0.84];

/** A path for each row, the first at the bottom. `top`: the count at the upper edge. */
export function stackedBars(rows: readonly (readonly number[])[], top: number): string[] {
  const sums: number[] = [];
  return rows.map((counts) => {
    let path = '';
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue;
      const below = sums[at] ?? 0;
      sums[at] = below + count;
      path += `M${at + GAP} ${barHeight(below, top)}h${WIDTH}V${barHeight(below + count, top)}h-${WIDTH}z`;
    }
    return path;
  });
}

const barHeight = (count: number, top: number): number => Math.round(10_000 - (count / top) * 10_000) / 100;

/** How many there are in each slice. */
export const sumSlices = (rows: readonly (readonly number[])[], slices: number): number[] =>
  Array.from({ length: slices }, (_, at) => rows.reduce((sum, counts) => sum + (counts[at] ?? 0), 0));

/** Counts: zero, the middle where it is whole, and the top, which is a round number at or above the highest bar. */
export function countMarks(highest: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)));
  const top = [1, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((round) => round >= highest) ?? 1;
  return top % 2 === 0 ? [0, top / 2, top] : [0, top];
}

/** Days between two marks. */
const DISTANCES = [1, 2, 3, 4, 7, 14, 28];
const DAY_SECONDS = 86_400;

/** Some `most` marks, at the same days whatever the first one is. `starts`: midnights of the viewer's clock. */
export function dayMarks(starts: readonly number[], most: number) {
  const distance = DISTANCES.find((days) => starts.length / days <= most) ?? 28;
  // Weeks begin on a Monday, and 1 January 1970 was a Thursday.
  const shift = distance >= 7 ? 3 : 0;
  const dayOf = (time: number): number =>
    Math.round(time / DAY_SECONDS - new Date(time * 1000).getTimezoneOffset() / 1440);
  const marks = starts.map((time, at) => ({ at, time })).filter(({ time }) => (dayOf(time) + shift) % distance === 0);
  return { distanceSeconds: distance * DAY_SECONDS, marks };
}
