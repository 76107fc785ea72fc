/** Chance that can be repeated: the same seed gives the same events. */

export interface Chance {
  /** A number in [0, 1). */
  next(): number;
  /** A number in [low, high). */
  between(low: number, high: number): number;
  isLikely(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Each item with its weight. */
  weighted<Item>(items: readonly (readonly [Item, number])[]): Item;
}

export function createChance(seed: number): Chance {
  const next = mulberry32(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  return {
    next,
    pick,
    between: (low, high) => low + next() * (high - low),
    isLikely: (probability) => next() < probability,
    weighted(items) {
      let rest = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = items.find(([, weight]) => {
        rest -= weight;
        return rest < 0;
      });
      return (chosen ?? (items.at(-1) as (typeof items)[number]))[0];
    },
  };
}

/** Tommy Ettinger's generator: 32 bits of state, enough for samples and for nothing secret. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
