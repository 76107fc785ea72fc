/** Short work, a piece for each turn of the event loop: many pieces at once keep nothing else waiting. */

/** Gives what the work gives; the first piece of a turn is done at once. */
export type InTurns = <Result>(work: () => Result) => Promise<Result>;

export function createTurns(): InTurns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const next = (): void => {
    const begin = waiting.shift();
    isTaken = begin !== undefined;
    if (!begin) return;
    setImmediate(next);
    begin();
  };
  return (work) => {
    if (isTaken) return new Promise<void>((resolve) => void waiting.push(resolve)).then(work);
    isTaken = true;
    setImmediate(next);
    return Promise.try(work);
  };
}
