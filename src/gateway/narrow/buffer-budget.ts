/** The memory that responses which must be read whole may hold, all requests together (SPEC 5: at most 32 MB each). */
import { boundsOf, createShares, type Hold, type Sharer } from '../../domain/async/shares.ts';

export interface BufferBudget {
  hold(sharer: Sharer): Hold;
}

/** Bytes of one response that are always allowed: most responses are smaller, and pass while others hold all that there is. */
const ALWAYS_ROOM_FOR = 512 * 1024;
/** One caller has room for the largest response. */
const OF_CALLER = 1 / 4;
const ALL = '';

export function createBufferBudget(most: number): BufferBudget {
  const shares = createShares();
  return {
    hold(sharer) {
      const hold = shares.hold([[ALL, most], ...boundsOf(sharer, most * OF_CALLER)]);
      let seen = 0;
      return {
        take(bytes = 0) {
          seen += bytes;
          return seen <= ALWAYS_ROOM_FOR || hold.take(bytes);
        },
        release: hold.release,
      };
    },
  };
}
