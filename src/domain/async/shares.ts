/** Bounded resources that callers share: what is taken is counted by key, each key has its bound, and one call gives all of it back. */

/** No more than `most` is taken under the key at a time. */
export type Bound = readonly [key: string, most: number];

/**
 * Whose share of any such resource something is taken from: keys, each with the part of one caller's share that may be taken under
 * it. Empty where nothing names the caller.
 */
export type Sharer = readonly (readonly [key: string, part: number])[];

/** `ofCaller`: how much one caller may have. */
export const boundsOf = (sharer: Sharer, ofCaller: number): Bound[] =>
  sharer.map(([key, part]) => [key, ofCaller * part]);

export interface Shares {
  /** What one piece of work takes, under all keys alike. Nothing is taken yet. */
  hold(bounds: readonly Bound[]): Hold;
  taken(key: string): number;
  /** Keys under which something is taken. */
  size(): number;
}

export interface Hold {
  /** False where one key has no room for so much more: then nothing is taken. */
  take(amount?: number): boolean;
  /** Gives all of it back; may be called more than once. */
  release(): void;
}

export function createShares(): Shares {
  const taken = new Map<string, number>();
  const takenBy = (key: string): number => taken.get(key) ?? 0;
  const add = (bounds: readonly Bound[], amount: number): void => {
    for (const [key] of bounds) {
      const sum = takenBy(key) + amount;
      if (sum > 0) taken.set(key, sum);
      else taken.delete(key);
    }
  };
  return {
    taken: takenBy,
    size: () => taken.size,
    hold(bounds) {
      let own = 0;
      return {
        take(amount = 1) {
          if (bounds.some(([key, most]) => takenBy(key) + amount > most)) return false;
          add(bounds, amount);
          own += amount;
          return true;
        },
        release() {
          add(bounds, -own);
          own = 0;
        },
      };
    },
  };
}
