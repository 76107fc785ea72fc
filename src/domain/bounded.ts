/** Memories that callers may fill, and their bounds. */

/**
 * The options of an LRU cache with at most so many entries. With its `max` it would make its lists for all of them when it is
 * made: 200 KB for 10,000 entries, and there are a dozen such caches.
 */
export const upTo = (entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: one,
});

const one = (): number => 1;

/** Clients and NVRs send the same few dozen names. A full memory is emptied, or names that were sent once would keep it full. */
const MOST_REMEMBERED = 1000;
/** The most characters of a name that is remembered. Clients and NVRs use no longer ones, which take memory. */
const LONGEST_REMEMBERED = 64;

/** Remembers what was decided about a name. `decide` must depend on nothing else; what is undefined is decided each time. */
export function decidedByName<Decision>(decide: (name: string) => Decision): (name: string) => Decision {
  const known = new Map<string, Decision>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const decided = decide(name);
    if (decided === undefined || name.length > LONGEST_REMEMBERED) return decided;
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(name, decided);
    return decided;
  };
}

/** Remembers what was decided about an object, as long as that lives. `decide` must depend on nothing else; what is undefined is decided each time. */
export function decidedByObject<Key extends object, Decision>(decide: (key: Key) => Decision): (key: Key) => Decision {
  const known = new WeakMap<Key, Decision>();
  return (key) => {
    const decided = known.get(key) ?? decide(key);
    if (decided !== undefined) known.set(key, decided);
    return decided;
  };
}
