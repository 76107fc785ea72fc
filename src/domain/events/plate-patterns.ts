/** Which plate patterns are tried at all, by the own store and by an NVR, whose engine backtracks (interface 4.1). */

/** The reference's rule for what is a pattern; all else, `A|X` included, is compared as it stands. */
const PATTERN = /^\^|[.[\]?+*]/;
const REPEATED = /[*+?{]/g;
const MOST_PATTERNS = 16;
/** Each repetition more multiplies the time of an engine that backtracks by the length of the plate. */
const MOST_REPETITIONS = 3;

export const isPlatePattern = (plate: string): boolean => PATTERN.test(plate);

/** What is wrong with the patterns of one question; undefined for nothing. */
export function platesFault(plates: readonly string[]): string | undefined {
  const patterns = plates.filter(isPlatePattern);
  if (patterns.length > MOST_PATTERNS) return `At most ${MOST_PATTERNS} plate patterns can be given`;
  const slow = patterns.find((pattern) => (pattern.match(REPEATED)?.length ?? 0) > MOST_REPETITIONS);
  return slow === undefined
    ? undefined
    : `The pattern "${slow}" repeats too often: use "*", "+", "?" and "{" at most ${MOST_REPETITIONS} times`;
}
