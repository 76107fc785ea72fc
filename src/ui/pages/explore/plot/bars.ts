/** Stacked bars as paths: a slice is one unit wide, and the plot is 100 high. */

const [GAP, WIDTH] = [0.08, 0.84];

/** A path for each row, the first at the bottom. `top`: the count at the upper edge. */
export function stackedBars(rows: readonly (readonly number[])[], top: number): string[] {
  const sums: number[] = [];
  return rows.map((counts) => {
    let path = '';
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue;
      const below = sums[at] ?? 0;
      sums[at] = below + count;
      path += `M${at + GAP} ${heightOf(below, top)}h${WIDTH}V${heightOf(below + count, top)}h-${WIDTH}z`;
    }
    return path;
  });
}

const heightOf = (count: number, top: number): number => Math.round(10_000 - (count / top) * 10_000) / 100;

/** How many there are in each slice. */
export const sumsOf = (rows: readonly (readonly number[])[], slices: number): number[] =>
  Array.from({ length: slices }, (_, at) => rows.reduce((sum, counts) => sum + (counts[at] ?? 0), 0));
