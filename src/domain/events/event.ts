/** The event record (interface 2.4), and days of events (SPEC 7). Times are Unix seconds. */
import { isRecord } from '../json.ts';

export interface EventField<Value = unknown> {
  readonly is: (value: unknown) => value is Value;
  readonly kind: string;
  /** Stands in for a field that is not there: answers of older NVRs lack some. */
  readonly absent?: unknown;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const orNull = <Value>({ is, kind }: EventField<Value>): EventField<Value | null> => ({
  is: (value): value is Value | null => value === null || is(value),
  kind: `${kind} or null`,
  absent: null,
});
const TEXT: EventField<string> = { is: isText, kind: 'a text' };
const NAME: EventField<string> = { is: (value): value is string => isText(value) && value !== '', kind: 'a text' };
const TIME: EventField<number> = { is: (value): value is number => Number.isFinite(value), kind: 'a number' };
const FLAG: EventField<boolean> = {
  is: (value): value is boolean => typeof value === 'boolean' || value === 0 || value === 1,
  kind: 'true or false',
};
const TEXTS: EventField<readonly string[]> = {
  is: (value): value is readonly string[] => Array.isArray(value) && value.every(isText),
  kind: 'a list of texts',
  absent: [],
};
const OBJECT: EventField<Readonly<Record<string, unknown>>> = { is: isRecord, kind: 'an object', absent: {} };

/** The seventeen fields, always all of them. `thumbnail`: base64 of the stored picture. */
// biome-ignore format: a table
export const EVENT_FIELDS = {
  id: NAME, label: TEXT, sub_label: orNull(TEXT), camera: NAME, start_time: TIME, end_time: orNull(TIME),
  false_positive: { ...orNull(FLAG), kind: 'true, false or null' }, zones: TEXTS, thumbnail: orNull(TEXT),
  has_clip: FLAG, has_snapshot: FLAG, retain_indefinitely: { ...FLAG, absent: false }, plus_id: orNull(TEXT),
  model_hash: orNull(TEXT), detector_type: orNull(TEXT), model_type: orNull(TEXT), data: OBJECT,
} as const satisfies Readonly<Record<string, EventField>>;

export type EventRecord = {
  readonly [Name in keyof typeof EVENT_FIELDS]: (typeof EVENT_FIELDS)[Name] extends EventField<infer Value>
    ? Value
    : never;
};

/** The end of the year 9999: calendars go no further. Unix seconds. */
export const LATEST_TIME = 253_402_300_799;
/** The beginning of the year 1. */
export const EARLIEST_TIME = -62_135_596_800;

/** Events by day: how many days are told, and how they are written (SPEC 7). */
const DAY = 86_400;
/** Days that are told where no beginning is asked for: the newest ones. */
export const USUAL_DAYS = 90;
export const MOST_DAYS = 400;
/** Seconds by which days are longer than usual, where clocks change in between. */
const CLOCK_CHANGE = 3600;

/** Times are Unix seconds. */
export const isTooManyDays = (after: number | undefined, before: number | undefined, now: number): boolean =>
  after !== undefined && (before ?? now) - after > MOST_DAYS * DAY + CLOCK_CHANGE;

/** `2026-11-22`. `number`: days since 1 January 1970. */
export const dayText = (number: number): string => new Date(number * DAY * 1000).toISOString().slice(0, 10);

/** The local day of a moment, as it is written; a moment beyond every calendar has the nearest one. */
export function dayOf(time: number, offsetAt: (time: number) => number): string {
  const moment = within(time);
  return dayText(Math.floor(within(moment + offsetAt(moment)) / DAY));
}

const within = (time: number): number => Math.min(Math.max(time, EARLIEST_TIME), LATEST_TIME);
