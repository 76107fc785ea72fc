/** Times and lengths as a person says them, in the viewer's own time zone and language. Times are Unix seconds. */

import { locale as ownLocale, words } from './words.ts';

export interface Region {
  /** BCP 47; undefined: that of the page. */
  readonly locale?: string | undefined;
  /** IANA name; undefined: the browser's. */
  readonly timeZone?: string | undefined;
}

const DAY_SECONDS = 86_400;

/** Making a format is slow, and a long list asks for the same few again and again. */
const formats = new Map<string, Intl.DateTimeFormat>();

function say(time: number, { locale = ownLocale, timeZone }: Region, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([locale, timeZone, options]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formats.set(key, format);
  return format.format(time * 1000);
}

/** `14:05:09` */
export const sayTime = (time: number, region: Region = {}): string => say(time, region, { timeStyle: 'medium' });

/** `4 August 2026 at 14:05:09 CEST` */
export const sayMoment = (time: number, region: Region = {}): string =>
  say(time, region, { dateStyle: 'long', timeStyle: 'long' });

/** `4 August 2026` */
export const sayDate = (time: number, region: Region = {}): string => say(time, region, { dateStyle: 'long' });

/** `4 Aug, 14:05`; `4 Aug 2025, 14:05` in another year. */
export function sayShortMoment(time: number, region: Region = {}, now: number = Date.now() / 1000): string {
  const yearOf = (moment: number): string => say(moment, region, { year: 'numeric' });
  const year = yearOf(time) === yearOf(now) ? {} : ({ year: 'numeric' } as const);
  return say(time, region, { day: 'numeric', month: 'short', ...year, hour: 'numeric', minute: '2-digit' });
}

/** `Today`, `Yesterday`, else the date; the heading that an event stands under. */
export function sayDay(time: number, now: number, region: Region = {}): string {
  const day = dayKey(time, region);
  if (day === dayKey(now, region)) return words.explore.today;
  if (day === dayKey(now - DAY_SECONDS, region)) return words.explore.yesterday;
  return say(time, region, { dateStyle: 'full' });
}

/** A mark of the time axis: the hour, but the day at midnight, and the month where marks are far apart. */
export function sayTick(time: number, stepSeconds: number, region: Region = {}): string {
  if (stepSeconds >= 28 * DAY_SECONDS) return say(time, region, { month: 'short', year: 'numeric' });
  const isMidnight = /^0?0:00/.test(say(time, { ...region, locale: 'en-GB' }, { timeStyle: 'short' }));
  if (stepSeconds >= DAY_SECONDS || isMidnight) return say(time, region, { day: 'numeric', month: 'short' });
  return say(time, region, { hour: 'numeric', minute: '2-digit' });
}

/** `850 ms` is of no use here: a length begins at a second. */
export function sayLength(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const { second, minute, hour, day } = words.units;
  if (whole < 60) return `${whole} ${second}`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return two(minutes, minute, whole % 60, second);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, hour, minutes % 60, minute);
  return two(Math.floor(hours / 24), day, hours % 24, hour);
}

export const sayScore = (score: number): string => `${Math.round(score * 100)} %`;

const two = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;

const dayKey = (time: number, region: Region): string => say(time, region, { dateStyle: 'short' });
