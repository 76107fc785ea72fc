/** Viewing that is unlike what was usual: three plain counters for each viewer, compared with the days before (SPEC 14). Pure. */
import type { LedgerDay } from '../domain/ledger.ts';

export type Unusual =
  /** No day before has a viewing in this hour of the clock. */
  | { readonly kind: 'unusual-hour'; readonly hour: number }
  | { readonly kind: 'unusual-camera'; readonly camera: string }
  | { readonly kind: 'many-minutes'; readonly minutes: number; readonly usual: number }
  | { readonly kind: 'many-exports'; readonly exports: number; readonly usual: number };

/** Days with viewings, before which everything is new and nothing is told. */
export const LEARNING_DAYS = 7;
const MANY_TIMES = 10;
/** Who watches less, or exports nothing, is judged by this: ten times nothing is nothing. */
const LEAST_USUAL = { minutes: 3, exports: 1 } as const;

const isLearned = (before: readonly LedgerDay[]): boolean =>
  new Set(before.map(({ day }) => day)).size >= LEARNING_DAYS;

/**
 * The days that a viewer is compared with. Links are judged as their maker while they are new: a stolen session could make one,
 * and watch by it unnoticed.
 */
export function habitDays(
  viewer: string,
  own: readonly LedgerDay[],
  person: readonly LedgerDay[],
): readonly LedgerDay[] {
  return viewer === 'link' && !isLearned(own) ? [...own, ...person] : own;
}

/** `today` and `before` are of one viewer. The usual amount is the median of the days on which something was watched. */
export function unusualIn(today: readonly LedgerDay[], before: readonly LedgerDay[]): readonly Unusual[] {
  if (!isLearned(before)) return [];
  const usual = habitOf(before);
  const now = amountsOf(today);
  const hour = lowestHour(hoursOf(today) & ~usual.hours);
  const camera = today.map((one) => one.camera).find((name) => name !== '' && !usual.cameras.has(name));
  const many = (amount: 'minutes' | 'exports'): boolean => now[amount] > MANY_TIMES * usual[amount];
  return [
    ...(hour === undefined ? [] : [{ kind: 'unusual-hour', hour } as const]),
    ...(camera === undefined ? [] : [{ kind: 'unusual-camera', camera } as const]),
    ...(many('minutes') ? [{ kind: 'many-minutes', minutes: now.minutes, usual: usual.minutes } as const] : []),
    ...(many('exports') ? [{ kind: 'many-exports', exports: now.exports, usual: usual.exports } as const] : []),
  ];
}

interface Amounts {
  readonly minutes: number;
  readonly exports: number;
}

interface Habit extends Amounts {
  readonly hours: number;
  readonly cameras: ReadonlySet<string>;
}

function habitOf(before: readonly LedgerDay[]): Habit {
  const days = [...Map.groupBy(before, ({ day }) => day).values()].map(amountsOf);
  return {
    hours: hoursOf(before),
    cameras: new Set(before.map(({ camera }) => camera)),
    minutes: Math.max(LEAST_USUAL.minutes, median(days.map(({ minutes }) => minutes))),
    exports: Math.max(LEAST_USUAL.exports, median(days.map(({ exports }) => exports))),
  };
}

function amountsOf(sums: readonly LedgerDay[]): Amounts {
  let [seconds, exports] = [0, 0];
  for (const sum of sums) {
    if (sum.kind === 'export') exports += sum.records;
    else seconds += sum.seconds;
  }
  return { minutes: seconds / 60, exports };
}

const hoursOf = (sums: readonly LedgerDay[]): number => sums.reduce((all, { hours }) => all | hours, 0);

function lowestHour(hours: number): number | undefined {
  return hours === 0 ? undefined : 31 - Math.clz32(hours & -hours);
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [upper = 0, lower = 0] = [sorted[middle], sorted[sorted.length % 2 === 1 ? middle : middle - 1]];
  return (upper + lower) / 2;
}
