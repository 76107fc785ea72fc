/** Random numbers from a seed: the same seed, the same run (xorshift32). */
export interface Chance {
  /** A whole number from 0 up to, but without, `below`. */
  below(below: number): number;
  pick<It>(list: readonly It[]): It | undefined;
}

export function createChance(seed: number): Chance {
  let state = seed | 0 || 1;
  const below = (most: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % most;
  };
  return { below, pick: (list) => (list.length === 0 ? undefined : list[below(list.length)]) };
}
