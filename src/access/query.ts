/** Reads and rewrites a query, and leaves the bytes of all other parameters as they are. */

/** Every pair, decoded, in order. */
export const queryPairs = (query: string): readonly Readonly<{ name: string; value: string }>[] => pairs(query);

/** Decoded values of every pair whose decoded name is `name`, in order. */
export const queryValues = (query: string, name: string): string[] =>
  pairs(query)
    .filter((pair) => pair.name === name)
    .map((pair) => pair.value);

/** The query less the pairs of these names (compared decoded), with the given ones added at its end. */
export function replaceInQuery(query: string, replacements: ReadonlyMap<string, string>): string {
  const kept = pairs(query)
    .filter((pair) => !replacements.has(pair.name))
    .map((pair) => pair.raw);
  const added = [...replacements].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return [...kept, ...added].join('&');
}

interface Pair {
  readonly raw: string;
  readonly name: string;
  readonly value: string;
}

let latest: { readonly query: string; readonly pairs: readonly Pair[] } | undefined;

/** Several steps read the query of one request: it is parsed for the first of them. */
function pairs(query: string): readonly Pair[] {
  if (latest?.query !== query) latest = { query, pairs: parsed(query) };
  return latest.pairs;
}

const parsed = (query: string): Pair[] =>
  query
    .split('&')
    .filter((raw) => raw !== '')
    .map((raw) => {
      const cut = raw.indexOf('=');
      const [name, value] = cut < 0 ? [raw, ''] : [raw.slice(0, cut), raw.slice(cut + 1)];
      return { raw, name: decoded(name), value: decoded(value) };
    });

/** Form decoding, as servers read a query: `+` is a blank. Bytes that are no UTF-8 become U+FFFD, never a fault. */
const decoded = (text: string): string =>
  ENCODED.test(text) ? (new URLSearchParams(`x=${text}`).get('x') ?? '') : text;

const ENCODED = /[%+]/;
