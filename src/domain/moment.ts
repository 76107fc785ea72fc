/** Times as people write them at a terminal, and as commands print them. */
import { parseDuration } from './clock.ts';

/** A plain number is Unix seconds only where it is as long as those of today: a shorter one looks like days. */
const UNIX = /^\d{9,11}$/;
/** A date and time; without a zone the local time of this machine. */
const DATE = /^(?<day>\d{4}-\d\d-\d\d)(?:[ T](?<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/;

/** Unix seconds of a time, or of a while from `now`. Throws a sentence. */
export function parseExpiry(text: string, now: number): number {
  const seconds = /[a-z]$/.test(text) ? parseDuration(text.replace(/^\+/, '')) : undefined;
  if (seconds !== undefined) return now + seconds;
  if (UNIX.test(text)) return Number(text);
  const { day = '', time = '00:00', zone = '' } = DATE.exec(text)?.groups ?? {};
  const moment = Date.parse(`${day}T${time}${zone}`);
  // 2026-02-30 would be read as 2 March.
  if (!Number.isNaN(moment) && isDay(day)) return Math.floor(moment / 1000);
  throw new Error(
    `${JSON.stringify(text)} is not a time: write 90d, 12h, "2030-01-31 18:00" (local time of this machine), 2030-01-31T12:00:00Z or Unix seconds`,
  );
}

function isDay(day: string): boolean {
  const start = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
}

/** The same; null for `never`, undefined for what is not said. */
export const parseMoment = (text: string | undefined, now: number): number | null | undefined =>
  text === undefined ? undefined : text === 'never' ? null : parseExpiry(text, now);

/** The last moment of a Date, in ms (ECMA-262, 21.4.1.1). A grant may end later. */
const LAST_MOMENT = 8.64e15;

/** `2026-12-24 18:00`, in UTC. */
export const dateText = (seconds: number): string =>
  new Date(Math.min(seconds * 1000, LAST_MOMENT))
    .toISOString()
    .replace('T', ' ')
    .replace(/:\d\d\.\d+Z$/, '');

/** `2026-12-24 18:00 UTC` */
export const momentText = (seconds: number): string => `${dateText(seconds)} UTC`;

/** The end of a grant, and its last use, as lists of a command print them. */
export const endText = (at: number | null): string => (at === null ? 'never' : dateText(at));
export const useText = (at: number | null, from: string | null): string =>
  at === null ? 'never' : `${dateText(at)} from ${from}`;
