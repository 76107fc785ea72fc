/** How much of answers that must be read whole is held at once, by all requests together (SPEC 5: 32 MB each, at most). */

export interface BufferBudget {
  /** For one answer. */
  hold(): Hold;
}

export interface Hold {
  /** Whether there is room for so many bytes more. */
  take(bytes: number): boolean;
  /** Gives all of it back; may be called more than once. */
  release(): void;
}

/** Most answers are smaller, and pass whoever else keeps the rest occupied by reading slowly. */
const ALWAYS_ROOM_FOR = 512 * 1024;

export function createBufferBudget(most: number): BufferBudget {
  let held = 0;
  return {
    hold() {
      let seen = 0;
      let own = 0;
      return {
        take(bytes) {
          seen += bytes;
          if (seen <= ALWAYS_ROOM_FOR) return true;
          if (held + bytes > most) return false;
          held += bytes;
          own += bytes;
          return true;
        },
        release() {
          held -= own;
          own = 0;
        },
      };
    },
  };
}
