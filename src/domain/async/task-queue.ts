/** Work in turns: a few pieces at a time, first come, first served. */

export interface TaskQueue {
  /** Resolves when it is the caller's turn, with the way to end the turn; ending it twice does no harm. */
  enter(): Promise<() => void>;
  /** Callers that wait for their turn. */
  waiting(): number;
}

export function createTaskQueue(atOnce: number): TaskQueue {
  const waiting: (() => void)[] = [];
  let running = 0;
  /** The turn passes to the next caller without becoming free in between, so that nothing overtakes. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    waiting: () => waiting.length,
    async enter() {
      if (running < atOnce) running += 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      let isOver = false;
      return () => {
        if (!isOver) leave();
        isOver = true;
      };
    },
  };
}
