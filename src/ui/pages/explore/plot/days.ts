/** How many events there are by day, as the service tells it, and the bars of the plot. */
import { isFields, numberOf, textOf } from '../../shared/forms/fields.ts';

/** Counts by day, as `2026-11-22`. Undefined until they are there, null when they cannot be had. */
export type Days = ReadonlyMap<string, number> | undefined | null;

/** All cameras together. */
export function readDays(body: unknown): Days {
  if (!Array.isArray(body)) return null;
  const days = new Map<string, number>();
  for (const row of body.filter(isFields)) {
    const day = textOf(row['day']) ?? '';
    if (/^\d{4}-\d\d-\d\d$/.test(day)) days.set(day, (days.get(day) ?? 0) + (numberOf(row['count']) ?? 0));
  }
  return days;
}

/** So many days to the newest that is told; of one more, where it begins, which is where the last one ends. */
export function barsOf(days: ReadonlyMap<string, number>, most: number) {
  const last = [...days.keys()].sort().at(-1);
  if (last === undefined) return { starts: [], counts: [] };
  const [year = 0, month = 1, date = 1] = last.split('-').map(Number);
  const dates = Array.from({ length: most + 1 }, (_, at) => new Date(year, month - 1, date + at - most + 1));
  return {
    starts: dates.map((day) => day.getTime() / 1000),
    counts: dates.slice(0, -1).map((day) => days.get(dayKey(day)) ?? 0),
  };
}

const dayKey = (day: Date): string =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
