/** Cookies as a browser sends them. */

/** A browser sends one for each path that it knows; more only cost signature checks. */
const MOST_COOKIES = 8;

/**
 * The first few values of a cookie in the lines of `Cookie`, each once, in the order received. An empty one is what a logout
 * leaves behind: none.
 */
export const cookieValues = (lines: string | readonly string[], name: string): readonly string[] => {
  const values = [lines]
    .flat()
    .filter((line) => line.includes(name))
    .flatMap((line) => line.split(';').map((pair) => pair.trim()))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1'))
    .filter((value) => value !== '');
  return [...new Set(values)].slice(0, MOST_COOKIES);
};
