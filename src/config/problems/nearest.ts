/** "Did you mean": the known word that a mistyped one is nearest to (SPEC 1). */

/** A third of the letters may be wrong, so of one or two none; of equals the first wins. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const farthest = Math.floor(word.length / 3);
  let best: string | undefined;
  let least = farthest + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** Letters to insert, remove, replace or swap with their neighbour to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const best = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(isSwap ? Math.min(best, (beforeLast[column - 2] ?? 0) + 1) : best);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
