/**
 * What the console learns when it starts, and how people read it: the facts of the service; texts, names and times in the language
 * that the server chose (`<html lang>`), by the browser's preferences (SPEC 8). Times are Unix seconds.
 */
import { loadTexts } from '../../../locales/catalogs.ts';
import { type ConsoleTexts, labelIn } from '../../../locales/texts.ts';
import type { PageFacts } from './page-facts.ts';
import { localeFor, type Option, spaced, unbroken } from './spelling.ts';

/**
 * Read these at render time, not when a module is loaded: the console learns them in between. Always with the name of a
 * group behind: a build finds by it which texts a page says.
 */
export const words = {} as ConsoleTexts;
export let facts: PageFacts;

/** How times are written: undefined is the browser's own way. */
export let locale: string | undefined;

type Group = { [name: string]: Group | string };

function add(known: Group, more: Group): Group {
  for (const [name, text] of Object.entries(more))
    known[name] = typeof text === 'object' ? add(Object(known[name]), text) : text;
  return known;
}

/** Loads the words of the start, or of a part; await it before anything of it is shown. Builds ask for a part beside its script. */
export async function learnWords(language: string, part?: string): Promise<void> {
  locale = localeFor(language, navigator.languages);
  add(words as never, (await loadTexts(language, part)) as never);
}

export const learnFacts = ({ dataset }: { readonly dataset: Record<string, string | undefined> }): void => {
  facts = JSON.parse(dataset['facts'] ?? '');
};

let friendly: ReadonlyMap<string, string> = new Map();

/** `names`: what people call the cameras, by their names, where the NVR has such. Read it at render time: the profile tells them. */
export const learnCameraNames = (names: Readonly<Record<string, string>> = {}): void => {
  friendly = new Map(Object.entries(names));
};

export const cameraName = (camera: string): string => friendly.get(camera) ?? spaced(camera);

/** An entry of a role or a token: a camera by its name, or a pattern as it was written. */
export function entryName(entry: string): string {
  if (entry === '*') return words.ui.common.allCameras;
  return entry.includes('*') ? entry : cameraName(entry);
}

export const labelName = (label: string): string => labelIn(words.explore.labels, label);

const FEW = 5;

/** `street, garden gate, hall, yard, roof and 7 more` */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, names.length > FEW + 1 ? FEW : names.length);
  const more = names.length - shown.length;
  return [shown.join(', '), more > 0 ? words.access.andMore({ number: more }) : ''].filter(Boolean).join(' ');
}

export const suggested = (values: readonly string[], nameOf: (value: string) => string = (value) => value): Option[] =>
  values
    .map((value) => [value, nameOf(value)] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, undefined, { numeric: true }));

/** `locale`: BCP 47; undefined: that of the page. `timeZone`: IANA name; undefined: the browser's. */
type Region = { readonly locale?: string | undefined; readonly timeZone?: string | undefined };

export const DAY_SECONDS = 86_400;
/** The last moment of a Date, in ms (ECMA-262, 21.4.1.1): to format one beyond it would be an exception. */
const LAST_MOMENT = 8.64e15;

/** Creating a formatter is slow, and a long list uses the same few again and again. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatterFor({ locale: named = locale, timeZone }: Region, options: Intl.DateTimeFormatOptions) {
  const key = JSON.stringify([named, timeZone, options]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(named, { ...options, timeZone });
  formats.set(key, format);
  return format;
}

const format = (time: number, region: Region, options: Intl.DateTimeFormatOptions): string =>
  unbroken(formatterFor(region, options).format(Math.min(time * 1000, LAST_MOMENT)));

const formatted =
  (options: Intl.DateTimeFormatOptions) =>
  (time: number, region: Region = {}): string =>
    format(time, region, options);

/** `14:05:09` */
export const formatTime = formatted({ timeStyle: 'medium' });

/** `4 August 2026 at 14:05:09 CEST` */
export const formatMoment = formatted({ dateStyle: 'long', timeStyle: 'long' });

/** `4 Aug 2026, 14:05:09` */
export const formatSecond = formatted({ dateStyle: 'medium', timeStyle: 'medium' });

/** `4 August 2026` */
export const formatDate = formatted({ dateStyle: 'long' });

/** `4 Aug, 14:05`; `4 Aug 2025, 14:05` in another year. */
export function formatShortMoment(time: number, region: Region = {}, now: number = Date.now() / 1000): string {
  const yearOf = (moment: number): string => format(moment, region, { year: 'numeric' });
  const year = yearOf(time) === yearOf(now) ? {} : ({ year: 'numeric' } as const);
  return format(time, region, { day: 'numeric', month: 'short', ...year, hour: 'numeric', minute: '2-digit' });
}

/** `4 Aug, 14:05 – 15:05`; the day twice where there are two. */
export function formatSpan(from: number, to: number, region: Region = {}): string {
  const written = formatterFor(region, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
  return unbroken(written.formatRange(from * 1000, to * 1000));
}

/** `Today`, `Yesterday`, else the date; the heading that an event stands under. */
export function formatDay(time: number, now: number, region: Region = {}): string {
  const day = dayKey(time, region);
  if (day === dayKey(now, region)) return words.explore.today;
  if (day === dayKey(now - DAY_SECONDS, region)) return words.explore.yesterday;
  return format(time, region, { dateStyle: 'full' });
}

/** A mark of the time axis: the hour, but the day at midnight, and the month where marks are far apart. */
export function formatTick(time: number, stepSeconds: number, region: Region = {}): string {
  if (stepSeconds >= 28 * DAY_SECONDS) return format(time, region, { month: 'short', year: 'numeric' });
  const isMidnight = /^0?0:00/.test(format(time, { ...region, locale: 'en-GB' }, { timeStyle: 'short' }));
  if (stepSeconds >= DAY_SECONDS || isMidnight) return format(time, region, { day: 'numeric', month: 'short' });
  return format(time, region, { hour: 'numeric', minute: '2-digit' });
}

/** `1 hr 5 min`, in German `1 Std. 5 Min.`: in whole seconds at least. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${inUnit(minutes, 'minute')} ${inUnit(whole % 60, 'second')}`.trim();
  if (hours < 24) return `${inUnit(hours, 'hour')} ${inUnit(minutes % 60, 'minute')}`.trim();
  return `${inUnit(Math.floor(hours / 24), 'day', 'long')} ${inUnit(hours % 24, 'hour')}`.trim();
}

/** Empty for none. */
const inUnit = (number: number, unit: string, unitDisplay: 'long' | 'short' = 'short'): string =>
  number === 0 ? '' : unbroken(number.toLocaleString(locale, { style: 'unit', unit, unitDisplay }));

/** `14,000` */
export const formatCount = (number: number): string => number.toLocaleString(locale);

/** `5 min ago`, `3 hr ago`, `yesterday`. `seconds` ago; below a minute it is now. */
export function formatAgo(seconds: number, { locale: named = locale }: Region = {}): string {
  const format = new Intl.RelativeTimeFormat(named, { style: 'short', numeric: 'auto' });
  const minutes = Math.round(Math.max(0, seconds) / 60);
  const hours = Math.round(minutes / 60);
  if (minutes === 0) return format.format(0, 'second');
  if (minutes <= 60) return format.format(-minutes, 'minute');
  return hours < 24 ? format.format(-hours, 'hour') : format.format(-Math.round(hours / 24), 'day');
}

/** `87%`, in German `87 %`. `score`: from 0 to 1. */
export const formatScore = (score: number): string => score.toLocaleString(locale, { style: 'percent' });

/** `12.5`, in German `12,5`. */
export const formatTenths = (number: number): string =>
  number.toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const dayKey = (time: number, region: Region): string => format(time, region, { dateStyle: 'short' });

// biome-ignore format: a table
const BROWSERS: readonly [pattern: RegExp, name: string][] = [
  [/HomeAssistant|Home Assistant/, 'Home Assistant'],
  [/\bEdg(?:A|iOS)?\//,            'Edge'],
  [/\bOPR\//,                      'Opera'],
  [/SamsungBrowser\//,             'Samsung Internet'],
  [/Firefox\/|FxiOS\//,            'Firefox'],
  [/Chrome\/|CriOS\//,             'Chrome'],
  [/Version\/[\d.]+.*Safari\//,    'Safari'],
  [/^curl\//,                      'curl'],
];

// biome-ignore format: a table
const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/iPhone|iPod/,  'iPhone'],
  [/iPad/,         'iPad'],
  [/Android/,      'Android'],
  [/Windows/,      'Windows'],
  [/Mac OS X/,     'macOS'],
  [/CrOS/,         'ChromeOS'],
  [/Linux|X11/,    'Linux'],
];

const LONGEST_SHOWN = 60;

/** An unknown user agent is shown as it is written: it may be a user's own program. */
export function deviceName(agent: string): string {
  const named = (table: typeof BROWSERS): string | undefined => table.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser !== undefined && system !== undefined) return words.sessions.on({ browser, system });
  const name = agent.trim().slice(0, LONGEST_SHOWN);
  return browser ?? system ?? (name === '' ? words.sessions.unknownDevice : words.sessions.program({ name }));
}
