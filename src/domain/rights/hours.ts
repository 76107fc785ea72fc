/** The hours of a role: `Mon-Fri 07:00-18:00` as spans of a week, by the clock on the wall (SPEC 13). */
import { err, ok, type Result } from '../result.ts';

/** A span of so many minutes from a minute of the week on (Monday 00:00 is 0); it may reach over Sunday's midnight. */
export interface Span {
  readonly start: number;
  readonly minutes: number;
}

/** When a role may be used. */
export interface Hours {
  /** The hours as they were written. */
  readonly texts: readonly string[];
  readonly spans: readonly Span[];
}

export const DAY_MINUTES = 24 * 60;
export const WEEK_MINUTES = 7 * DAY_MINUTES;

const MOST_TEXTS = 50;
const EXAMPLE = 'write for example "Mon-Fri 07:00-18:00", "Sat,Sun 09:00-12:00" or "Fri 22:00-02:00"';
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const FULL_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SPAN = /^(?<days>\S(?:.*\S)?)\s+(?<from>\d{1,2}:\d{2})\s*-\s*(?<to>\d{1,2}:\d{2})$/;
const TIME = /^(?<hours>\d{1,2}):(?<minutes>[0-5]\d)$/;

/** Errs with what is wrong with the first bad one, and how to write it. */
export function parseHours(texts: readonly string[]): Result<Hours, string> {
  if (texts.length === 0) return err(`has no hours, so the role could never be used: leave the key out, or ${EXAMPLE}`);
  if (texts.length > MOST_TEXTS) return err(`has more than ${MOST_TEXTS} entries: join days by commas`);
  const spans: Span[] = [];
  for (const text of texts) {
    const parsed = parseSpans(text);
    if (!parsed.ok) return parsed;
    spans.push(...parsed.value);
  }
  return ok({ texts, spans });
}

/** One entry: a span for each of its days. */
function parseSpans(text: string): Result<readonly Span[], string> {
  const shown = JSON.stringify(text);
  const { days = '', from = '', to = '' } = SPAN.exec(text.trim())?.groups ?? {};
  if (from === '') return err(`${shown} is not days with a span of hours: ${EXAMPLE}`);
  const start = minuteOf(from);
  const end = minuteOf(to);
  if (start === undefined || start === DAY_MINUTES)
    return err(`${shown}: ${JSON.stringify(from)} is not a time of day: write 00:00 to 23:59`);
  if (end === undefined) return err(`${shown}: ${JSON.stringify(to)} is not a time of day: write 00:00 to 24:00`);
  if (end === start) return err(`${shown} begins and ends at the same time: for a whole day write 00:00-24:00`);
  const numbers = daysIn(days);
  if (!numbers.ok) return err(`${shown}: ${numbers.error}`);
  // One that ends before it begins goes on until then on the next day.
  const minutes = end > start ? end - start : end + DAY_MINUTES - start;
  return ok(numbers.value.map((day) => ({ start: day * DAY_MINUTES + start, minutes })));
}

function minuteOf(text: string): number | undefined {
  const { hours, minutes } = TIME.exec(text)?.groups ?? {};
  const minute = Number(hours) * 60 + Number(minutes);
  return minute <= DAY_MINUTES ? minute : undefined;
}

/** `Mon-Fri`, `Sat`, `Mon,Wed`, `Fri-Mon`, `daily`: days of the week from 0, Monday. */
function daysIn(text: string): Result<readonly number[], string> {
  const days = new Set<number>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [first = '', last, ...more] = part.toLowerCase() === 'daily' ? ['Mon', 'Sun'] : part.split('-');
    const from = dayOf(first);
    const to = last === undefined ? from : dayOf(last);
    if (from < 0 || to < 0 || more.length > 0)
      return err(`${JSON.stringify(part)} is not a day: write ${DAYS.join(', ')}, a range such as Mon-Fri, or daily`);
    for (let day = from; ; day = (day + 1) % DAYS.length) {
      days.add(day);
      if (day === to) break;
    }
  }
  return ok([...days].sort());
}

const dayOf = (text: string): number => {
  const name = text.trim().toLowerCase();
  return FULL_DAYS.findIndex((day) => day === name || day.slice(0, 3) === name);
};

/** `minute`: of the week, Monday 00:00 is 0. */
export const holds = ({ spans }: Hours, minute: number): boolean =>
  spans.some(({ start, minutes }) => (minute - start + WEEK_MINUTES) % WEEK_MINUTES < minutes);
