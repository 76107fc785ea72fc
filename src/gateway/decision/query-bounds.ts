/** Query bounds: whether a query would stall or break the NVR (SPEC 5). */
import { FILTERS } from '../../domain/events/event-filters.ts';
import {
  numberOf,
  type Parsed,
  parseCount,
  parseCountedBy,
  parseDecimal,
  parseSlices,
  parseWhole,
} from '../../domain/events/parse-value.ts';
import type { RequestTarget } from '../../domain/request.ts';

/** The NVR's lists, by the segment behind `/api`; on other paths these parameters mean other things. */
const LISTS: ReadonlySet<string> = new Set(['events', 'review', 'timeline', 'recordings']);

type QueryBound = (value: string, mostRows: number) => boolean;

const read =
  (parse: (text: string) => Parsed<unknown>): QueryBound =>
  (value) =>
    parse(value).ok;

/** What the events backend reads is let through to the NVR, but for more rows than one response holds: the NVR has no such cap. */
const BOUNDS: ReadonlyMap<string, QueryBound> = new Map<string, QueryBound>([
  ...Object.entries(FILTERS).map(([name, filter]): [string, QueryBound] => [
    name,
    (value) => value === filter.unset || filter.read(value).ok,
  ]),
  ['limit', (value, mostRows) => isUpTo(mostRows, parseCount(value))],
  // Of the counts, which Postern makes itself.
  ['slices', read(parseSlices)],
  ['series', read(parseCount)],
  ['until', read(parseDecimal)],
  ['by', read(parseCountedBy)],
  ['split_joined', read(parseWhole)],
  ['scale', (value) => /^[1-9]\d{0,6}$/.test(value)],
]);

const isUpTo = (most: number, count: Parsed<number>): boolean => count.ok && count.value <= most;

/** The bounds of pictures, which the NVR draws in any size it is told: at most twice a camera's own height. */
// biome-ignore format: a table
const PICTURE_BOUNDS: ReadonlyMap<string, QueryBound> = new Map<string, QueryBound>([
  ['h',                        isHeight],
  ['height',                   isHeight],
  ['fps',                      (value) => /^[1-9]\d?$/.test(value)],
]);

/** The bounds of lists of words, which take no limit: one that is given means nothing. */
const WORD_BOUNDS: ReadonlyMap<string, QueryBound> = new Map([...BOUNDS].filter(([name]) => name !== 'limit'));
const WORDS: ReadonlySet<string> = new Set(['labels', 'sub_labels', 'recognized_license_plates']);

const NO_BOUNDS: ReadonlyMap<string, QueryBound> = new Map();

const boundsOf = (list: string): ReadonlyMap<string, QueryBound> =>
  LISTS.has(list) ? BOUNDS : WORDS.has(list) ? WORD_BOUNDS : NO_BOUNDS;

/** `mostRows`: `events.max_limit`. Every value of a repeated parameter is judged. */
export function asksTooMuch({ segments, query }: RequestTarget, mostRows: number): boolean {
  if (query === '' || segments[0] !== 'api') return false;
  const bounds = boundsOf(segments[1] ?? '');
  const parameters = [...new URLSearchParams(query)];
  const isOutOfBounds = parameters.some(
    ([name, value]) =>
      PICTURE_BOUNDS.get(name)?.(value, mostRows) === false || bounds.get(name)?.(value, mostRows) === false,
  );
  return isOutOfBounds || (SCALES.has(segments.join('/')) && asksTooManySteps(parameters));
}

/** The NVR walks from one time to the other, `scale` seconds a step; at each it looks at every recording. */
const SCALES: ReadonlySet<string> = new Set(['api/recordings/unavailable', 'api/review/activity/motion']);
const MOST_STEPS = 100_000;
const DEFAULT_SCALE = 30;

/** Every value of a repeated parameter counts. Of two ends one alone leaves the other to the NVR's clock. */
function asksTooManySteps(parameters: readonly (readonly [name: string, value: string])[]): boolean {
  const numbers = (wanted: string) =>
    parameters.filter(([name]) => name === wanted).map(([, value]) => numberOf(value) ?? Number.NaN);
  const [after, before, scale] = [numbers('after'), numbers('before'), [DEFAULT_SCALE, ...numbers('scale')]];
  if (after.length === 0 && before.length === 0) return false;
  const seconds = Math.max(...before) - Math.min(...after);
  return !Number.isFinite(seconds) || seconds / Math.min(...scale) > MOST_STEPS;
}

const HIGHEST_PICTURE = 4320;

function isHeight(value: string): boolean {
  return /^\d{1,4}$/.test(value) && Number(value) <= HIGHEST_PICTURE;
}
