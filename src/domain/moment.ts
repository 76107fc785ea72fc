/** Moments as people write them at a terminal: a date with a time, a while from now, or Unix seconds. */
import { parseDuration } from './clock.ts';

const UNIX = /^\d{9,11}$/;
/** A date and time; without a zone the local time of this machine. */
const DATE = /^(?<day>\d{4}-\d{2}-\d{2})(?:[ T](?<time>\d{2}:\d{2}(?::\d{2})?)(?<zone>Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix seconds; null for `never`; undefined for what is not said. `now` in Unix seconds. Throws a sentence. */
export function parseMoment(text: string | undefined, now: number): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'never') return null;
  const seconds = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined;
  if (seconds !== undefined) return now + seconds;
  if (UNIX.test(text)) return Number(text);
  const { day, time = '00:00', zone = '' } = DATE.exec(text)?.groups ?? {};
  const moment = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  // 2026-02-30 would be read as 2 March.
  const isThere = !Number.isNaN(moment) && !Number.isNaN(Date.parse(`${day}T00:00Z`)) && isDay(day ?? '');
  if (isThere) return Math.floor(moment / 1000);
  throw new Error(
    `${JSON.stringify(text)} is not a moment: write "2026-12-24 18:00" (local time of this machine), +2h, +7d, Unix seconds, or never`,
  );
}

const isDay = (day: string): boolean => new Date(`${day}T00:00Z`).toISOString().startsWith(day);

/** The end of a credential in Unix seconds: `90d`, `12h`, or a date or time that says where it is valid. Throws a sentence. */
export function parseExpiry(text: string, now: number): number {
  // A plain number would be taken for days by the eye, and for seconds by the rule.
  const seconds = /[a-z]$/.test(text) ? parseDuration(text) : undefined;
  if (seconds !== undefined) return now + seconds;
  const at = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return Math.floor(at / 1000);
  throw new Error(`${JSON.stringify(text)} is not a time: write 90d, 12h, 2030-01-31 or 2030-01-31T12:00:00Z`);
}

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
