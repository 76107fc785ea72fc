/** A worker's part of a budget that is one for all workers: it grows by asking the primary, and what is free goes back (SPEC 5, 10). */
import { type BufferBudget, createBufferBudget } from '../../gateway/narrow/buffer-budget.ts';

export interface Lender {
  /** Whether there are so many bytes more. */
  readonly ask: (wanted: number) => Promise<boolean>;
  readonly giveBack: (bytes: number) => void;
}

/** Asked for at once, so that a response is not a message for each of its chunks. */
const LEASE_BYTES = 4 * 1024 * 1024;

export function createLeasedBudget({ ask, giveBack }: Lender): BufferBudget {
  let leased = 0;
  const own = createBufferBudget(() => leased);
  const lease = async (bytes: number): Promise<boolean> => {
    const wanted = Math.max(bytes, LEASE_BYTES);
    const got = (await ask(wanted)) ? wanted : bytes < wanted && (await ask(bytes)) ? bytes : 0;
    leased += got;
    return got > 0;
  };
  const freed = (): void => {
    const spare = leased - own.held();
    if (spare === 0) return;
    leased -= spare;
    giveBack(spare);
  };
  return {
    hold() {
      const hold = own.hold();
      const take = (bytes: number): boolean | Promise<boolean> =>
        hold.take(bytes) || lease(bytes).then((isLeased) => isLeased && take(bytes));
      return {
        take,
        release() {
          hold.release();
          freed();
        },
      };
    },
  };
}
