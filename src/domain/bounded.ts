/** How tables are bounded that hold what callers may fill. */

/**
 * The options of an LRU cache with at most so many entries. With its `max` it would make its lists for all of them when it is
 * made: 200 KB for 10,000 entries, and there are a dozen such caches.
 */
export const upTo = (entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: one,
});

const one = (): number => 1;
