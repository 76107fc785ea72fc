/** Moments as people write them at a terminal: a date with a time, a while from now, or Unix seconds. */
import { parseDuration } from '../domain/duration.ts';
import { err, ok, type Result } from '../domain/result.ts';

const UNIX = /^\d{9,11}$/;
/** A date and time; without a zone the local time of this machine. */
const DATE = /^(?<day>\d{4}-\d{2}-\d{2})(?:[ T](?<time>\d{2}:\d{2}(?::\d{2})?)(?<zone>Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix seconds; null for `never`; undefined for what is not said. `now` in Unix seconds. */
export function parseMoment(text: string | undefined, now: number): Result<number | null | undefined, string> {
  if (text === undefined) return ok(undefined);
  if (text === 'never') return ok(null);
  const seconds = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined;
  if (seconds !== undefined) return ok(now + seconds);
  if (UNIX.test(text)) return ok(Number(text));
  const { day, time = '00:00', zone = '' } = DATE.exec(text)?.groups ?? {};
  const moment = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  // 2026-02-30 would be read as 2 March.
  const isThere = !Number.isNaN(moment) && !Number.isNaN(Date.parse(`${day}T00:00Z`)) && isDay(day ?? '');
  if (isThere) return ok(Math.floor(moment / 1000));
  return err(
    `${JSON.stringify(text)} is not a moment: write "2026-12-24 18:00" (local time of this machine), +2h, +7d, Unix seconds, or never`,
  );
}

const isDay = (day: string): boolean => new Date(`${day}T00:00Z`).toISOString().startsWith(day);

/** The last moment of a Date, in ms (ECMA-262, 21.4.1.1). A token or a screen may end later. */
const LAST_MOMENT = 8.64e15;

/** `2026-12-24 18:00`, in UTC. */
export const dateText = (seconds: number): string =>
  new Date(Math.min(seconds * 1000, LAST_MOMENT))
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, '');

/** `2026-12-24 18:00 UTC` */
export const momentText = (seconds: number): string => `${dateText(seconds)} UTC`;
