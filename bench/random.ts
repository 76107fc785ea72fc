/** Chance that can be had again: the same seed gives the same numbers (mulberry32). */

export interface Random {
  /** From 0 up to, and without, this. */
  below(end: number): number;
  chance(probability: number): boolean;
  /** One of these, each as likely as its weight says. */
  pick<Choice extends { readonly weight: number }>(choices: readonly Choice[]): Choice;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (end) => Math.floor(next() * end),
    chance: (probability) => next() < probability,
    pick(choices) {
      let left = next() * choices.reduce((sum, { weight }) => sum + weight, 0);
      for (const choice of choices) {
        left -= choice.weight;
        if (left < 0) return choice;
      }
      throw new Error('there is nothing to pick from');
    },
  };
}
