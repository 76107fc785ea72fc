/** Hours as people choose and read them, and as the API takes them: `Mon-Fri 09:00-18:00`; and the ends of guests (SPEC 13). Pure. */
import { DAY_MINUTES, parseHours } from '../../../domain/hours.ts';
import { locale, words } from '../shared/words.ts';

/** The days of the API, Monday first. */
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** A span of hours as it is chosen by hand. Days are numbers from 0, Monday; times are `HH:MM`. */
export type HoursRow = { readonly days: readonly number[]; readonly from: string; readonly to: string };

/** Undefined for a line that is no span of hours. One that ends when it begins is on its way to another, and refused when it is sent. */
export function parseHoursLine(line: string): HoursRow | undefined {
  const { days: sameDays, time = '' } = /^(?<days>.+) (?<time>\d\d:\d\d)-\k<time>$/.exec(line)?.groups ?? {};
  const sameTime = sameDays && parseHoursLine(`${sameDays} 00:00-24:00`);
  if (sameTime) return { ...sameTime, from: time, to: time };
  const parsed = parseHours([line]);
  const [first] = parsed.ok ? parsed.value.spans : [];
  if (!parsed.ok || !first) return undefined;
  const days = parsed.value.spans.map(({ start }) => Math.floor(start / DAY_MINUTES));
  return { days, from: formatMinute(first.start), to: formatMinute(first.start + first.minutes) };
}

const formatMinute = (minute: number): string =>
  [Math.floor((minute % DAY_MINUTES) / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Text for the API: `Mon-Fri 07:00-18:00`. Midnight is an end of its day. */
export const formatHours = (row: HoursRow): string => written(row, DAYS, 'daily', '-');

/** Text for people: `lun.–ven. 07:00–18:00`. A line that is no span of hours stays as it is. */
export function hoursInWords(line: string, names = dayNames()): string {
  const row = parseHoursLine(line);
  return row ? written(row, names.short, names.daily, '–') : line;
}

function written({ days, from, to }: HoursRow, names: readonly string[], daily: string, dash: string): string {
  return `${daysText([...days].sort(), names, daily, dash)} ${from}${dash}${to === '00:00' ? '24:00' : to}`;
}

/** Days that follow each other are a range. */
function daysText(days: readonly number[], names: readonly string[], daily: string, dash: string): string {
  if (days.length === DAYS.length) return daily;
  const runs: [first: number, last: number][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.[1] === day - 1) run[1] = day;
    else runs.push([day, day]);
  }
  const texts = runs.map((run) => [...new Set(run)].map((day) => names[day]).join(dash));
  return texts.join(dash === '-' ? ',' : ', ');
}

/** Days from Monday on, `Mon`; and what all of them together are called. `language`: BCP 47; undefined is the browser's. `daily` has no name in Intl. */
export function dayNamesIn(language: string | undefined, daily: string) {
  // The fifth of January 1970 was a Monday.
  const format = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  return { short: Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(1970, 0, 5 + day))), daily };
}

/** The names in the language of the page. */
export const dayNames = () => dayNamesIn(locale, words.roles.daily);

export const END_NAMES = ['tonight', 'sunday', 'week'] as const;

/** One minute before midnight of that day, by the clock of the viewer; Unix seconds. A week ends at this time of the day. */
export function findEnd(name: (typeof END_NAMES)[number], now: Date): number {
  const days = { tonight: 0, sunday: (7 - now.getDay()) % 7, week: 7 };
  const [hour, minute] = name === 'week' ? [now.getHours(), now.getMinutes()] : [23, 59];
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days[name], hour, minute).getTime() / 1000;
}
