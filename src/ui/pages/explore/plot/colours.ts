/** A colour for each camera of the plot: its own, whatever the filter, as far as there are colours. */

export const COLOURS = 8;
export const OTHERS = 'camera-other';

/**
 * The colours of the cameras that are shown. `known`: all cameras, in an order that does not change. A camera keeps the
 * colour that it had first; one that comes later gives way when the two have the same.
 */
export function createColours() {
  const first = new Map<string, number>();
  return (shown: readonly string[], known: readonly string[]): ReadonlyMap<string, string> => {
    const taken = new Map<number, string>();
    const take = (name: string, colour: number): void => {
      taken.set(colour, name);
      if (!first.has(name)) first.set(name, colour);
    };
    for (const [name, colour] of first) if (shown.includes(name) && !taken.has(colour)) taken.set(colour, name);
    const without = shown.filter((name) => ![...taken.values()].includes(name)).slice(0, COLOURS - taken.size);
    for (const name of without) take(name, freeColour(Math.max(0, known.indexOf(name)), taken, first));
    return new Map([...taken].map(([colour, name]) => [name, `camera-${colour + 1}`]));
  };
}

/** The next free one, before all a colour that no other camera had. */
function freeColour(position: number, taken: ReadonlyMap<number, string>, first: ReadonlyMap<string, number>): number {
  const inOrder = Array.from({ length: COLOURS }, (_, at) => (position + at) % COLOURS);
  const free = inOrder.filter((colour) => !taken.has(colour));
  const had = new Set(first.values());
  return free.find((colour) => !had.has(colour)) ?? free[0] ?? 0;
}
