/** Licence plates as they stand, or by a pattern: one rule for the own store and for an NVR, whose engine backtracks (interface 4.1). */
import { decidedByName } from '../bounded.ts';
import { attempt, ok } from '../result.ts';
import type { EventCondition } from './event-question.ts';
import { fault, type Parsed, parseList } from './parse-value.ts';

/** The reference's rule for what is a pattern; all else, `A|X` included, is compared as it stands. */
const PATTERN = /^\^|[.[\]?+*]/;
/** One character of a plate, and how often it comes. There are no groups. */
const STEP = /(?<one>\[\^?[^\\\][^]+\]|\\[dDsSwW^$[\](){}\\|*+?./]|[^^$[\](){}\\|*+?])(?<times>[*+?]|\{\d{1,2}\})?/gu;
const PLAIN_PATTERN = new RegExp(`^(?<start>\\^?)(?:${STEP.source.replaceAll(/\?<\w+>/g, '?:')})*(?<end>\\$?)$`, 'u');
const LONGEST_PATTERN = 32;
const MOST_PATTERNS = 16;
/** Each repetition more multiplies the time of an engine that backtracks by the length of the plate. */
const MOST_REPETITIONS = 3;
/** No plate is longer; what is stored as one may be. */
const LONGEST_PLATE = 64;
const NONE = 'None';

/** One character of a pattern. */
interface PatternStep {
  readonly fits: RegExp;
  readonly repeats: boolean;
  readonly mayLack: boolean;
}

type PlateTest = (plate: string) => boolean;

export function parsePlates(text: string): Parsed<EventCondition> {
  const members = parseList(text);
  if (!members.ok) return members;
  const names = members.value.filter((member) => member !== NONE);
  const patterns = names.filter((name) => PATTERN.test(name));
  // An NVR tries what is given twice twice.
  const refused = patternFault(text.split(',').filter((member) => PATTERN.test(member.trim())));
  if (refused !== undefined) return fault('value_error', refused);
  const plates = names.filter((name) => !PATTERN.test(name));
  const matches = patterns.length > 0 ? { matches: matchAny(patterns.map(plateTest)) } : {};
  return ok({ kind: 'plate', isWanted: { plates, ...matches }, orNone: names.length < members.value.length });
}

function patternFault(patterns: readonly string[]): string | undefined {
  if (patterns.length > MOST_PATTERNS) return `At most ${MOST_PATTERNS} plate patterns can be given`;
  const long = patterns.find((pattern) => pattern.length > LONGEST_PATTERN);
  if (long !== undefined) return `The pattern "${long}" is longer than ${LONGEST_PATTERN} characters`;
  const odd = patterns.find((pattern) => !isPlainPattern(pattern));
  if (odd !== undefined)
    return `The pattern "${odd}" is not accepted: it may not have groups, and "^" is its first and "$" its last character`;
  const slow = patterns.find((pattern) => (pattern.match(/[*+?{]/g)?.length ?? 0) > MOST_REPETITIONS);
  return slow === undefined
    ? undefined
    : `The pattern "${slow}" repeats too often: use "*", "+", "?" and "{" at most ${MOST_REPETITIONS} times`;
}

const isPlainPattern = (pattern: string): boolean =>
  PLAIN_PATTERN.test(pattern) && attempt(() => new RegExp(pattern, 'u')) !== undefined;

/** Time grows with the plate times the pattern: all places in the pattern that the plate can have reached go on together. */
function plateTest(pattern: string): PlateTest {
  const steps = [...pattern.replace(/^\^|(?<!\\)\$$/g, '').matchAll(STEP)].flatMap(
    ({ groups: { one = '', times = '' } = {} }) => {
      const count = times.startsWith('{') ? Number(times.slice(1, -1)) : 1;
      return Array<PatternStep>(count).fill({
        fits: new RegExp(`^${one}$`, 'u'),
        repeats: times === '*' || times === '+',
        mayLack: times === '*' || times === '?',
      });
    },
  );
  const skipped = (places: Iterable<number>): Set<number> => {
    const reached = new Set(places);
    for (const place of reached) if (steps[place]?.mayLack) reached.add(place + 1);
    return reached;
  };
  const next = (places: Set<number>, letter: string): number[] =>
    [...places].flatMap((place) => {
      const step = steps[place];
      if (!step?.fits.test(letter)) return [];
      return step.repeats ? [place, place + 1] : [place + 1];
    });
  const { start, end } = PLAIN_PATTERN.exec(pattern)?.groups ?? {};
  return (plate) => {
    let places = skipped([0]);
    for (const letter of plate) {
      if (!end && places.has(steps.length)) return true;
      places = skipped(start ? next(places, letter) : [0, ...next(places, letter)]);
    }
    return places.has(steps.length);
  };
}

/** Found anywhere in the plate. The same plates come by again and again: each is tested once. */
const matchAny = (tests: readonly PlateTest[]): PlateTest =>
  decidedByName((plate) => plate.length <= LONGEST_PLATE && tests.some((test) => test(plate)));
