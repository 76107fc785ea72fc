/** What the status page counts: failed logins by the hour. Pure. */
import type { FailuresInHour } from '../../../domain/status.ts';

const HOUR = 3600;
const HOURS_SHOWN = 24;

/** The last 24 hours without gaps, oldest first, the running hour last. */
export function lastHours(counted: readonly FailuresInHour[], now: number): FailuresInHour[] {
  const hourOf = (time: number): number => Math.floor(time / HOUR) * HOUR;
  return Array.from({ length: HOURS_SHOWN }, (_, at) => {
    const start = hourOf(now) - (HOURS_SHOWN - 1 - at) * HOUR;
    const counts = counted.filter((one) => hourOf(one.start) === start).map(({ count }) => count);
    return { start, count: counts.reduce((sum, count) => sum + count, 0) };
  });
}
