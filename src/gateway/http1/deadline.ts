/** How long a connection waits for what, by the clock of its pool. */
import type { FaultCode } from './fault.ts';

/** The ticks of the pool's clock that each wait may take. */
export interface Patience {
  readonly connect: number;
  readonly head: number;
  readonly idle: number;
}

export const NEVER = Number.POSITIVE_INFINITY;

export interface Deadline {
  /** Restarts the deadline: `ticks` from now. `code` is the fault when it is missed. */
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
