/** One spelling for header names that a lenient reader takes for one another, and what a name alone decides. */

/**
 * Lower-case, with every run of other characters as one hyphen: CGI-style back ends read `Remote_Role`,
 * `Remote.Role` and `remote-role` as one header, so headers are removed by that comparison too.
 */
export const normalizedHeaderName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Clients and NVRs send the same few dozen names. A full memory is emptied, or names that nobody needs would keep it full. */
const MOST_REMEMBERED = 1000;
/** The most characters of a name that is remembered. Nobody uses longer ones, and they take memory. */
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
