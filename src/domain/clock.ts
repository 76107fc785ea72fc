/** The time as an argument, durations, chores of each hour, and whether the clock may be believed before something is deleted. */

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
}

/** Whole Unix seconds, the unit of tokens and cookies (interface 2.3). */
export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);

export const HOUR_MS = 3_600_000;

/** Runs a chore each hour, and gives the way to end it. No chore keeps the process running. */
export function hourly(chore: () => unknown): () => void {
  const timer = setInterval(chore, HOUR_MS).unref();
  return () => clearInterval(timer);
}

export const DURATION_EXAMPLES = '90, 15m, 1h or 7d';

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };
/** The pattern of a duration in the JSON Schema. */
export const DURATION_PATTERN = '^\\d{1,10} ?[smhdw]?$';
const DURATION = /^(?<count>\d{1,10}) ?(?<unit>[smhdw]?)$/;

/** A duration as people write it, in the configuration and at the command line, in whole seconds; undefined for any other text. */
export function parseDuration(written: string): number | undefined {
  const { count, unit = '' } = DURATION.exec(written)?.groups ?? {};
  return count === undefined ? undefined : Number(count) * (SECONDS[unit] ?? Number.NaN);
}

/** Asked before each deletion by age, and as often as may be: a step between two questions is found by the second. */
export type DeletionGuard = () => boolean;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** NTP slews by less between two questions. */
const STEP_MS = 10 * SECOND_MS;
const AFTER_STEP_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SECOND_LOOK_MS = 15 * MINUTE_MS;

/**
 * Nothing is deleted within an hour of a step of the clock. At the start, and where more than a day has passed since the
 * last question, the clock must have run on for a quarter of an hour first: a second look, before more than a day's worth
 * is deleted in one go. `steady` is a clock that is never set.
 */
export function createDeletionGuard(clock: Clock, steady: Clock): DeletionGuard {
  let last = { wall: clock.now(), steady: steady.now() };
  let heldUntil = last.steady + SECOND_LOOK_MS;
  return () => {
    const now = { wall: clock.now(), steady: steady.now() };
    const passed = now.wall - last.wall;
    const isStep = Math.abs(passed - (now.steady - last.steady)) >= STEP_MS;
    const held = isStep ? AFTER_STEP_MS : passed > DAY_MS ? SECOND_LOOK_MS : 0;
    if (held > 0) heldUntil = Math.max(heldUntil, now.steady + held);
    last = now;
    return now.steady >= heldUntil;
  };
}

/** How long something that was found out about a caller may be used again. */
export interface Remembering {
  /** Another text after any change of accounts, roles and revocations. */
  readonly version: () => string;
  /** Unix seconds: what was found out is good within one second. */
  readonly now: () => number;
}

/** Milliseconds of a clock that only goes forward: durations must not change when the machine's time is set. */
export const steadyNow = (): number => performance.now();

const REMINDED_MS = 60_000;

/** Whether something is due to be said of the subject: once a minute. */
export function createReminder<Subject>(now = steadyNow): (subject: Subject) => boolean {
  const saidAt = new Map<Subject, number>();
  return (subject) => {
    const isDue = now() - (saidAt.get(subject) ?? Number.NEGATIVE_INFINITY) >= REMINDED_MS;
    if (isDue) saidAt.set(subject, now());
    return isDue;
  };
}
