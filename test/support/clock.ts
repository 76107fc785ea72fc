/** A clock that a test moves. */
import type { Clock } from '../../src/domain/clock.ts';

export interface MovableClock extends Clock {
  /** Seconds, forwards. */
  advance(seconds: number): void;
}

export function movableClock(start = Date.now()): MovableClock {
  let now = start;
  return {
    now: () => now,
    advance: (seconds) => {
      now += seconds * 1000;
    },
  };
}
