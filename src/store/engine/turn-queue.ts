/** A queue of turns, first come, first served: for writes to the store, and for scans through all events. */

/** Resolves when it is the caller's turn, with the way to end the turn; ending it twice does no harm. */
export type TurnQueue = () => Promise<() => void>;

export function createTurnQueue(): TurnQueue {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}
