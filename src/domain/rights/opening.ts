/** Whether a role is open now, and when that changes: hours of the wall clock in a time zone, right over both of its changes (SPEC 13). */
import { offsetReader } from '../events/zone-offsets.ts';
import { DAY_MINUTES, type Hours, holds, WEEK_MINUTES } from './hours.ts';

export interface OpeningState {
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
const readers = new Map<string, (time: number) => number>();

/**
 * A role is open while the clock on the wall shows one of its hours. So an hour that the clocks skip in spring is not
 * there, and one that they show twice in autumn counts both times. `now` in whole Unix seconds.
 */
export function openingAt(hours: Hours, zone: string, now: number): OpeningState {
  const last = known.get(hours);
  if (last?.zone === zone && last.since <= now && now < (last.changesAt ?? last.since + DAY)) return last;
  const offsetAt = readerOf(zone);
  const isOpenAt = (time: number): boolean => holds(hours, wallMinute(time, offsetAt));
  const isOpen = isOpenAt(now);
  const changesAt = boundaries(hours, now, offsetAt).find((time) => isOpenAt(time) !== isOpen);
  const opening: CachedOpening = { isOpen, changesAt, zone, since: now };
  known.set(hours, opening);
  return opening;
}

function readerOf(zone: string): (time: number) => number {
  const made = readers.get(zone) ?? offsetReader(zone);
  readers.set(zone, made);
  return made;
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
  for (let from = now; from < last; from += DAY) jumps.push(...jumpBetween(from, from + DAY, offsetAt));
  const offsets = new Set([offsetAt(now), ...jumps.map(offsetAt)]);
  const edges = new Set(spans.flatMap(({ start, minutes }) => [start, (start + minutes) % WEEK_MINUTES]));
  const times = [...offsets].flatMap((offset) =>
    [...edges].flatMap((edge) => momentsOf(edge, offset, now, last).filter((time) => offsetAt(time) === offset)),
  );
  return [...new Set([...jumps, ...times])].filter((time) => time > now).sort((one, other) => one - other);
}

/** When a clock that is always `offset` ahead of UTC shows this minute of the week. */
function momentsOf(minute: number, offset: number, from: number, until: number): number[] {
  const week = WEEK_MINUTES * MINUTE;
  const first = (minute - EPOCH_MINUTE) * MINUTE - offset;
  const moments: number[] = [];
  for (let time = first + Math.ceil((from - first) / week) * week; time <= until; time += week) moments.push(time);
  return moments;
}

/** The first second of another offset; none where it is the same at both ends. */
function jumpBetween(from: number, until: number, offsetAt: (time: number) => number): number[] {
  const before = offsetAt(from);
  if (offsetAt(until) === before) return [];
  let [same, changed] = [from, until];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetAt(middle) === before) same = middle;
    else changed = middle;
  }
  return [changed];
}

/** `2026-11-23 07:00 (Europe/Berlin)`: the same in every language. */
export function wallText(time: number, zone: string): string {
  const local = new Date((time + readerOf(zone)(time)) * 1000).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 16)} (${zone})`;
}
