/** Compares the clock with that of the store's server: sessions of a replica whose clock is wrong are refused by the others (SPEC 10). */

import type { Logger } from 'pino';
import { hourly } from '../../domain/async/hourly.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { type CheckResult, OK } from '../../telemetry/readiness.ts';

export interface ClockOffset {
  check(): CheckResult;
  close(): void;
}

export interface ClockOffsetDeps {
  /** Unix seconds of the server; undefined for a store that is a file. */
  readonly serverTime: (() => Promise<number>) | undefined;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'storeClockOffset'>;
  readonly log: Logger;
}

/** Far below what a session or a code of a second factor can bear, and above what synchronized clocks differ by. */
const LARGEST_SECONDS = 10;

/** Measures the offset at once, and every hour. A server that does not answer is reported elsewhere. */
export function watchClockOffset({ serverTime, clock, metrics, log }: ClockOffsetDeps): ClockOffset {
  if (!serverTime) return { check: () => OK, close() {} };
  let seconds = 0;
  const look = async (): Promise<void> => {
    const server = await serverTime();
    const was = Math.abs(seconds) > LARGEST_SECONDS;
    seconds = Math.round(unixSeconds(clock) - server);
    metrics.storeClockOffset.set(seconds);
    if (Math.abs(seconds) > LARGEST_SECONDS)
      log.warn({ seconds }, `${sentence(seconds)}: check time synchronization (NTP)`);
    else if (was) log.info('the clock is again that of the PostgreSQL server');
  };
  const ask = (): void => void look().catch(() => {});
  ask();
  const stopAsking = hourly(ask);
  return {
    check: () => (Math.abs(seconds) > LARGEST_SECONDS ? { kind: 'degraded', reason: sentence(seconds) } : OK),
    close: stopAsking,
  };
}

const sentence = (seconds: number): string =>
  `the clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} that of the PostgreSQL server, so other replicas may refuse the sessions of this one`;
