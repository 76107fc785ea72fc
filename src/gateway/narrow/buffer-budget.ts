/** The memory that responses which must be read whole may hold, all requests together (SPEC 5: at most 32 MB each). */
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';

export interface BufferBudget {
  hold(): Hold;
}

export interface Hold {
  /** Whether there is room for so many bytes more. */
  take(bytes: number): MaybePromise<boolean>;
  /** Gives all of it back; may be called more than once. */
  release(): void;
}

/** Bytes of one response that are always allowed: most responses are smaller, and pass while slow readers hold the rest. */
const ALWAYS_ROOM_FOR = 512 * 1024;

/** A budget of memory in this process. `most` may change. */
export function createBufferBudget(most: () => number) {
  let held = 0;
  return {
    held: (): number => held,
    hold() {
      let seen = 0;
      let own = 0;
      return {
        take(bytes: number): boolean {
          seen += bytes;
          if (seen <= ALWAYS_ROOM_FOR) return true;
          if (held + bytes > most()) return false;
          held += bytes;
          own += bytes;
          return true;
        },
        release(): void {
          held -= own;
          own = 0;
        },
      };
    },
  };
}
