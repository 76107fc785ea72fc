/** Recent failures for the Status page: failed logins by the hour, and requests that could not be answered (SPEC 8). */
import { type Clock, unixSeconds } from '../domain/clock.ts';
import type { RefusalReason } from '../domain/refusal.ts';

const HOUR = 3600;
const HOURS = 24;
const MOST_FAILURES = 50;

/** `at`: Unix seconds. */
interface FailedRequest {
  readonly at: number;
  readonly reason: RefusalReason;
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

export type RecentFailures = ReturnType<typeof createRecentFailures>;

export function createRecentFailures(clock: Clock) {
  const byHour = new Map<number, number>();
  const failed: FailedRequest[] = [];
  const thisHour = (): number => Math.floor(unixSeconds(clock) / HOUR) * HOUR;
  return {
    noteLoginFailure(): void {
      const hour = thisHour();
      byHour.set(hour, (byHour.get(hour) ?? 0) + 1);
      for (const old of byHour.keys()) if (old <= hour - HOURS * HOUR) byHour.delete(old);
    },
    noteFailure(request: Omit<FailedRequest, 'at'>): void {
      failed.unshift({ at: unixSeconds(clock), ...request });
      failed.length = Math.min(failed.length, MOST_FAILURES);
    },
    /** An entry for each of the last 24 hours by its start, the oldest first. */
    loginFailures() {
      const hours = Array.from({ length: HOURS }, (_, back) => thisHour() - (HOURS - 1 - back) * HOUR);
      return hours.map((start) => ({ start, count: byHour.get(start) ?? 0 }));
    },
    /** The latest first. */
    failures: (): readonly FailedRequest[] => [...failed],
  };
}
