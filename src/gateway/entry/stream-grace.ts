/** How long open streams outlive a store that cannot be reached: as long as requests of their callers do (SPEC 10). */
import type { Clock } from '../../domain/clock.ts';
import { storeFaultOf } from '../../domain/store/store-fault.ts';

export interface StreamGrace {
  /** `store.grace`. */
  readonly seconds: number;
  /** One that is never set. */
  readonly clock: Clock;
  /** Whether the store can be heard now; else an answer about a caller is a remembered one. */
  readonly isHeard: () => boolean;
}

/** The moment at which the store last confirmed a stream's holder, in milliseconds of the grace's clock. */
export interface Confirmation {
  confirmedAt: number;
}

export const isUnreachable = (fault: unknown): boolean => storeFaultOf(fault) === 'unreachable';

/** While the store is not heard, nothing counts as confirmed: a stream that is opened then ends with the first refusal. */
export const confirmationNow = (grace: StreamGrace | undefined): number =>
  grace?.isHeard() ? grace.clock.now() : Number.NEGATIVE_INFINITY;

export function confirm(stream: Confirmation, grace: StreamGrace | undefined): void {
  stream.confirmedAt = Math.max(stream.confirmedAt, confirmationNow(grace));
}

/** False for a store that has no grace: there a stream goes on until its session ends. */
export const isOver = ({ confirmedAt }: Confirmation, grace: StreamGrace | undefined): boolean =>
  grace !== undefined && grace.clock.now() - confirmedAt >= grace.seconds * 1000;
