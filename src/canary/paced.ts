/** Questions at a pace: after each answer a pause, so that only a share of the time has a question under way. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, Stopped } from './answer.ts';

export interface Pace {
  /** The part of the time in which a question may be under way: 1 for no pauses. */
  readonly share: number;
  /** Aborted: no further question. */
  readonly signal: AbortSignal;
  /** Whether another configuration holds by now. */
  readonly isOver: () => boolean;
  /** Milliseconds of a steady clock. */
  readonly ticks: () => number;
}

export function paced(ask: Ask, { share, signal, isOver, ticks }: Pace): Ask {
  return async (as, target) => {
    if (signal.aborted || isOver()) throw new Stopped();
    const startedAt = ticks();
    try {
      return await ask(as, target);
    } finally {
      const pause = (ticks() - startedAt) * (1 / share - 1);
      if (pause >= 1) await sleep(pause, undefined, { signal }).catch(() => {});
    }
  };
}
