/** A few lanes for costly work, with a short line before them: past that the answer is "busy" (SPEC 4.1). */

export interface ConcurrencyLimit {
  /** The work's own outcome, or `busy` at once when the line is full. */
  run<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | 'busy'>;
  /** Jobs that wait for a lane. */
  waiting(): number;
}

export function createConcurrencyLimit({
  lanes,
  queue,
}: {
  readonly lanes: number;
  readonly queue: number;
}): ConcurrencyLimit {
  const line: (() => void)[] = [];
  let taken = 0;

  const lane = (): Promise<void> | undefined => {
    if (taken < lanes) taken += 1;
    else return new Promise((enter) => line.push(enter));
  };
  // The lane goes to the next in line without becoming free in between, so nobody overtakes.
  const leave = (): void => {
    const next = line.shift();
    if (next) next();
    else taken -= 1;
  };

  return {
    waiting: () => line.length,
    async run(work) {
      if (taken >= lanes && line.length >= queue) return 'busy';
      await lane();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
