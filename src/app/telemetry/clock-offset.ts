/** Compares the clock with that of the store's server at the start: other replicas refuse the sessions of one whose clock is wrong (SPEC 10). */
import type { Logger } from 'pino';
import { type Clock, unixSeconds } from '../../domain/clock.ts';

/** Far below what a session or a code of a second factor can bear, and above what synchronized clocks differ by. */
const LARGEST_SECONDS = 10;

/** `serverTime`: Unix seconds; undefined for a store that is a file. A server that does not answer is reported elsewhere. */
export async function warnOfClock(
  serverTime: (() => Promise<number>) | undefined,
  clock: Clock,
  log: Logger,
): Promise<void> {
  const server = await serverTime?.().catch(() => undefined);
  if (server === undefined) return;
  const seconds = Math.round(unixSeconds(clock) - server);
  if (Math.abs(seconds) > LARGEST_SECONDS)
    log.warn(
      { seconds },
      `the clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} that of the PostgreSQL server, so other replicas may refuse the sessions of this one: check time synchronization (NTP)`,
    );
}
