/** Hours as people type them, as the API takes them: `9-18` is `daily 09:00-18:00`, `Mo-Fr 9-18` is `Mon-Fri 09:00-18:00` (SPEC 13). Pure. */

import { DAY_MINUTES, parseHours } from '../../../../domain/rights/hours.ts';

const SPAN =
  /^(?<days>.*?)\s*(?<from>\d{1,2})(?::(?<fromMinute>\d{2}))?\s*[-–]\s*(?<to>\d{1,2})(?::(?<toMinute>\d{2}))?$/;

/** Days in German, by two letters. */
const DAYS: Readonly<Record<string, string>> = {
  mo: 'Mon',
  di: 'Tue',
  mi: 'Wed',
  do: 'Thu',
  fr: 'Fri',
  sa: 'Sat',
  so: 'Sun',
  täglich: 'daily',
};

/** A line that is no span of hours stays as it is: the API says what is wrong with it. */
export function spelledHours(line: string): string {
  const { days = '', from, to, fromMinute = '00', toMinute = '00' } = SPAN.exec(line.trim())?.groups ?? {};
  if (from === undefined || to === undefined) return line.trim();
  const named = days.replaceAll(/\p{L}+/gu, (word) => DAYS[word.toLowerCase()] ?? word);
  return `${named === '' ? 'daily' : named} ${from.padStart(2, '0')}:${fromMinute}-${to.padStart(2, '0')}:${toMinute}`;
}

/** A span of hours as it is chosen by hand. Days are numbers from 0, Monday; times are `HH:MM`. */
export interface HoursRow {
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
}

/** Undefined for a line that is no span of hours. */
export function hoursRowOf(line: string): HoursRow | undefined {
  const parsed = parseHours([spelledHours(line)]);
  const [first] = parsed.ok ? parsed.value.spans : [];
  if (!parsed.ok || !first) return undefined;
  const days = parsed.value.spans.map(({ start }) => Math.floor(start / DAY_MINUTES));
  return { days, from: timeOf(first.start), to: timeOf(first.start + first.minutes) };
}

const timeOf = (minute: number): string =>
  [Math.floor((minute % DAY_MINUTES) / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** `Mon-Fri 07:00-18:00`. Midnight is an end of its day. */
export const hoursLineOf = ({ days, from, to }: HoursRow): string =>
  `${daysText([...days].sort())} ${from}-${to === '00:00' ? '24:00' : to}`;

const NAMES = Object.values(DAYS).slice(0, 7);

/** Days that follow each other are a range. */
function daysText(days: readonly number[]): string {
  if (days.length === NAMES.length) return 'daily';
  const runs: number[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run?.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => [...new Set([run[0], run.at(-1)])].map((day) => NAMES[day ?? 0]).join('-')).join(',');
}
