/** Query bounds: whether a query would stall or break the NVR (SPEC 5). */
import type { QueryRules } from '../../access/nvr-adapter.ts';
import { FILTERS, MOST_ROWS } from '../../domain/events/event-filters.ts';
import { EVENTS_PATH, WORD_PATHS } from '../../domain/events/event-paths.ts';
import { type Parsed, parseCount, parseNumber, parseWhole } from '../../domain/events/parse-value.ts';
import type { RequestTarget } from '../../domain/request.ts';

type QueryBound = (value: string) => boolean;

/** What the events backend reads is let through to the NVR, but for more rows than one response holds: the NVR has no such cap. */
const BOUNDS: ReadonlyMap<string, QueryBound> = new Map<string, QueryBound>([
  ...Object.entries(FILTERS).map(([name, filter]): [string, QueryBound] => [
    name,
    (value) => value === filter.unset || filter.read(value).ok,
  ]),
  ['limit', (value) => isUpTo(MOST_ROWS, parseCount(value))],
  ['split_joined', (value) => parseWhole(value).ok],
  ['scale', (value) => /^[1-9]\d{0,6}$/.test(value)],
]);

const isUpTo = (most: number, count: Parsed<number>): boolean => count.ok && count.value <= most;

const HIGHEST_PICTURE = 4320;

/** The bounds of pictures: at most twice a camera's own height. */
const PICTURE_BOUNDS: Readonly<Record<QueryRules['pictures'][string], QueryBound>> = {
  height: (value) => /^\d{1,4}$/.test(value) && Number(value) <= HIGHEST_PICTURE,
  rate: (value) => /^[1-9]\d?$/.test(value),
};

/** The bounds of lists of words, which take no limit: one that is given means nothing. */
const WORD_BOUNDS: ReadonlyMap<string, QueryBound> = new Map([...BOUNDS].filter(([name]) => name !== 'limit'));

const NO_BOUNDS: ReadonlyMap<string, QueryBound> = new Map();

const readPlace = (path: string): string => path.slice(1);
const EVENTS = readPlace(EVENTS_PATH);
const WORDS: ReadonlySet<string> = new Set(WORD_PATHS.map(readPlace));

/** The bounds of a path; on others the parameters mean other things. */
const readBounds = (place: string, { filtered }: QueryRules): ReadonlyMap<string, QueryBound> =>
  place === EVENTS || filtered.has(place) ? BOUNDS : WORDS.has(place) ? WORD_BOUNDS : NO_BOUNDS;

/** The parameter that asks for too much; undefined for none. Every value of a repeated parameter is judged. */
export function tooMuchIn({ segments, query }: RequestTarget, rules: QueryRules): string | undefined {
  if (query === '' || segments[0] !== 'api') return undefined;
  const bounds = readBounds(segments.slice(0, 2).join('/'), rules);
  const parameters = [...new URLSearchParams(query)];
  const outOfBounds = parameters.find(
    ([name, value]) => isPictureTooLarge(name, value, rules) || bounds.get(name)?.(value) === false,
  );
  if (outOfBounds) return outOfBounds[0];
  return rules.stepped.has(segments.join('/')) ? tooManyStepsIn(parameters) : undefined;
}

function isPictureTooLarge(name: string, value: string, { pictures }: QueryRules): boolean {
  const bound = Object.hasOwn(pictures, name) ? pictures[name] : undefined;
  return bound !== undefined && !PICTURE_BOUNDS[bound](value);
}

const MOST_STEPS = 100_000;
const DEFAULT_SCALE = 30;

/** The parameter that makes the time too long. Every value of a repeated one counts. Of two ends one alone leaves the other to the NVR's clock. */
function tooManyStepsIn(parameters: readonly (readonly [name: string, value: string])[]): string | undefined {
  const numbers = (wanted: string) =>
    parameters.filter(([name]) => name === wanted).map(([, value]) => parseNumber(value) ?? Number.NaN);
  const [after, before, scale] = [numbers('after'), numbers('before'), [DEFAULT_SCALE, ...numbers('scale')]];
  if (after.length === 0 && before.length === 0) return undefined;
  const seconds = Math.max(...before) - Math.min(...after);
  const isTooLong = !Number.isFinite(seconds) || seconds / Math.min(...scale) > MOST_STEPS;
  return isTooLong ? (after.length === 0 ? 'before' : 'after') : undefined;
}
