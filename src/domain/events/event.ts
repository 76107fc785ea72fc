/** The event record (interface 2.4), and days of events (SPEC 7). Times are Unix seconds. */

export interface EventRecord {
  readonly id: string;
  readonly label: string;
  readonly sub_label: string | null;
  readonly camera: string;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly false_positive: boolean | null;
  readonly zones: readonly string[];
  /** Base64 of the stored picture. */
  readonly thumbnail: string | null;
  readonly has_clip: boolean;
  readonly has_snapshot: boolean;
  readonly retain_indefinitely: boolean;
  readonly plus_id: string | null;
  readonly model_hash: string | null;
  readonly detector_type: string | null;
  readonly model_type: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

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

/** Unix seconds. */
interface AskedTime {
  readonly after: number | undefined;
  readonly before: number | undefined;
}

export const isTooManyDays = ({ after, before }: AskedTime, now: number): boolean =>
  after !== undefined && (before ?? now) - after > MOST_DAYS * DAY + CLOCK_CHANGE;

/** `2026-11-22`. `number`: days since 1 January 1970. */
export const dayText = (number: number): string => new Date(number * DAY * 1000).toISOString().slice(0, 10);

/** The local day of a moment, as it is written; a moment beyond every calendar has the nearest one. */
export function dayOf(time: number, offsetAt: (time: number) => number): string {
  const moment = within(time);
  return dayText(Math.floor(within(moment + offsetAt(moment)) / DAY));
}

const within = (time: number): number => Math.min(Math.max(time, EARLIEST_TIME), LATEST_TIME);
