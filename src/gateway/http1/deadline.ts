/** How long a connection waits for what, by the clock of its pool. */
import type { FaultCode } from './fault.ts';

/** In ticks of the pool's clock. */
export interface Patience {
  readonly connect: number;
  readonly head: number;
  readonly idle: number;
}

export const NEVER = Number.POSITIVE_INFINITY;

export interface Deadline {
  /** From now on so many ticks, and what it is called when they are over. */
  wait(ticks: number, code?: FaultCode): void;
  /** The code, once it is too late. */
  missed(): FaultCode | undefined;
}

export function createDeadline(ticks: () => number, first: number): Deadline {
  let at = ticks() + first;
  let lateness: FaultCode = 'ETIMEDOUT';
  return {
    wait(more, code = 'ETIMEDOUT') {
      at = ticks() + more;
      lateness = code;
    },
    missed: () => (ticks() >= at ? lateness : undefined),
  };
}
