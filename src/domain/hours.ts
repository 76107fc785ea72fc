/** The hours of a role: `Mon-Fri 07:00-18:00` as spans of a week, by the clock on the wall, and whether they are open (SPEC 13). */

import { err, ok, type Result } from './result.ts';
import { momentOfChange, offsetReader } from './zone-offsets.ts';

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
const WEEK_MINUTES = 7 * DAY_MINUTES;

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
  const start = parseMinute(from);
  const end = parseMinute(to);
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

/** The minute of the day, to 24:00; undefined for a text that is no time of day. */
export function parseMinute(text: string): number | undefined {
  const { hours, minutes } = TIME.exec(text)?.groups ?? {};
  const minute = Number(hours) * 60 + Number(minutes);
  return minute <= DAY_MINUTES ? minute : undefined;
}

/** `Mon-Fri`, `Sat`, `Mon,Wed`, `Fri-Mon`, `daily`: days of the week from 0, Monday. */
function daysIn(text: string): Result<readonly number[], string> {
  const days = new Set<number>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [first = '', last, ...more] = part.toLowerCase() === 'daily' ? ['Mon', 'Sun'] : part.split('-');
    const from = parseDay(first);
    const to = last === undefined ? from : parseDay(last);
    if (from < 0 || to < 0 || more.length > 0)
      return err(`${JSON.stringify(part)} is not a day: write ${DAYS.join(', ')}, a range such as Mon-Fri, or daily`);
    for (let day = from; ; day = (day + 1) % DAYS.length) {
      days.add(day);
      if (day === to) break;
    }
  }
  return ok([...days].sort());
}

const parseDay = (text: string): number => {
  const name = text.trim().toLowerCase();
  return FULL_DAYS.findIndex((day) => day === name || day.slice(0, 3) === name);
};

/** `minute`: of the week, Monday 00:00 is 0. */
const holds = ({ spans }: Hours, minute: number): boolean =>
  spans.some(({ start, minutes }) => (minute - start + WEEK_MINUTES) % WEEK_MINUTES < minutes);

/** Whether a role is open now, and when that changes. */
interface OpeningState {
  readonly isOpen: boolean;
  /** Unix seconds: the next moment at which it is otherwise. Undefined: never. */
  readonly changesAt: number | undefined;
}

const MINUTE = 60;
const DAY = DAY_MINUTES * MINUTE;
/** 1 January 1970 was a Thursday: minutes from Monday 00:00 to there. */
const EPOCH_MINUTE = 3 * DAY_MINUTES;
/** A week, and a day for clocks that are set back in it. */
const LOOKED_AHEAD_DAYS = 9;

/** The last answer for these hours: it holds until the next change, and for a day where none is known. */
interface CachedOpening extends OpeningState {
  readonly zone: string;
  readonly since: number;
}
const known = new WeakMap<Hours, CachedOpening>();

/**
 * A role is open while the clock on the wall shows one of its hours. So an hour that the clocks skip in spring is not
 * there, and one that they show twice in autumn counts both times. `now` in whole Unix seconds.
 */
export function openingAt(hours: Hours, zone: string, now: number): OpeningState {
  const last = known.get(hours);
  if (last?.zone === zone && last.since <= now && now < (last.changesAt ?? last.since + DAY)) return last;
  const offsetAt = offsetReader(zone);
  const isOpenAt = (time: number): boolean => holds(hours, wallMinute(time, offsetAt));
  const isOpen = isOpenAt(now);
  const changesAt = boundaries(hours, now, offsetAt).find((time) => isOpenAt(time) !== isOpen);
  const opening: CachedOpening = { isOpen, changesAt, zone, since: now };
  known.set(hours, opening);
  return opening;
}

/** Minute of the week that the clock on the wall shows. */
function wallMinute(time: number, offsetAt: (time: number) => number): number {
  const minutes = Math.floor((time + offsetAt(time)) / MINUTE) + EPOCH_MINUTE;
  return ((minutes % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
}

/** Every moment behind `now` at which the answer may change, in order: beginnings and ends of spans, and changes of the clocks. */
function boundaries({ spans }: Hours, now: number, offsetAt: (time: number) => number): readonly number[] {
  const last = now + LOOKED_AHEAD_DAYS * DAY;
  const jumps: number[] = [];
  for (let from = now; from < last; from += DAY)
    if (offsetAt(from) !== offsetAt(from + DAY)) jumps.push(momentOfChange(from, from + DAY, offsetAt));
  const offsets = new Set([offsetAt(now), ...jumps.map(offsetAt)]);
  const edges = new Set(spans.flatMap(({ start, minutes }) => [start, (start + minutes) % WEEK_MINUTES]));
  const times = [...offsets].flatMap((offset) =>
    [...edges].flatMap((edge) => possibleMoments(edge, offset, now, last).filter((time) => offsetAt(time) === offset)),
  );
  return [...new Set([...jumps, ...times])].filter((time) => time > now).sort((one, other) => one - other);
}

/** When a clock that is always `offset` ahead of UTC shows this minute of the week. */
function possibleMoments(minute: number, offset: number, from: number, until: number): number[] {
  const week = WEEK_MINUTES * MINUTE;
  const first = (minute - EPOCH_MINUTE) * MINUTE - offset;
  const moments: number[] = [];
  for (let time = first + Math.ceil((from - first) / week) * week; time <= until; time += week) moments.push(time);
  return moments;
}

/** `2026-11-23 07:00 (Europe/Berlin)`: the same in every language. */
export function wallText(time: number, zone: string): string {
  const local = new Date((time + offsetReader(zone)(time)) * 1000).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 16)} (${zone})`;
}
