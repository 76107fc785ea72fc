/** Query bounds: whether a query would stall or break the NVR (SPEC 5). */
import { platesFault } from '../../domain/events/plate-patterns.ts';
import type { RequestTarget } from '../../domain/request.ts';

/** The NVR's lists, by the segment behind `/api`; on other paths these parameters mean other things. */
const LISTS: ReadonlySet<string> = new Set(['events', 'review', 'timeline', 'recordings']);

type Bound = (value: string, mostRows: number) => boolean;

/** SQLite takes a negative limit for none at all, and Python's numbers can be `NaN` and `Infinity`. */
// biome-ignore format: a table
const BOUNDS: ReadonlyMap<string, Bound> = new Map<string, Bound>([
  ['limit',                    (value, mostRows) => /^\d{1,9}$/.test(value) && Number(value) <= mostRows],
  ['after',                    isNumber],
  ['before',                   isNumber],
  ['has_clip',                 isNumber],
  ['has_snapshot',             isNumber],
  ['in_progress',              isNumber],
  ['include_thumbnails',       isNumber],
  ['favorites',                isNumber],
  ['is_submitted',             isNumber],
  ['min_score',                isNumber],
  ['max_score',                isNumber],
  ['min_speed',                isNumber],
  ['max_speed',                isNumber],
  ['min_length',               isNumber],
  ['max_length',               isNumber],
  ['time_range',               isTimeRange],
  ['timezone',                 isTimeZone],
  ['recognized_license_plate', arePlates],
  // Of the counts, which Postern makes itself.
  ['slices',                   isWhole],
  ['series',                   isWhole],
  ['until',                    isNumber],
  ['split_joined',             isWhole],
  ['scale',                    (value) => /^[1-9]\d{0,6}$/.test(value)],
]);

/** The bounds of pictures, which the NVR draws in any size it is told: at most twice a camera's own height. */
// biome-ignore format: a table
const PICTURE_BOUNDS: ReadonlyMap<string, Bound> = new Map<string, Bound>([
  ['h',                        isHeight],
  ['height',                   isHeight],
  ['fps',                      (value) => /^[1-9]\d?$/.test(value)],
]);

/** The bounds of lists of words, which take no limit: one that is given means nothing. */
const WORD_BOUNDS: ReadonlyMap<string, Bound> = new Map([...BOUNDS].filter(([name]) => name !== 'limit'));
const WORDS: ReadonlySet<string> = new Set(['labels', 'sub_labels', 'recognized_license_plates']);

const NO_BOUNDS: ReadonlyMap<string, Bound> = new Map();

const boundsOf = (list: string): ReadonlyMap<string, Bound> =>
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
  const numbers = (wanted: string) => parameters.filter(([name]) => name === wanted).map(([, value]) => Number(value));
  const [after, before, scale] = [numbers('after'), numbers('before'), [DEFAULT_SCALE, ...numbers('scale')]];
  if (after.length === 0 && before.length === 0) return false;
  const seconds = Math.max(...before) - Math.min(...after);
  return !Number.isFinite(seconds) || seconds / Math.min(...scale) > MOST_STEPS;
}

function isNumber(value: string): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value));
}

function isWhole(value: string): boolean {
  return /^\s*[+-]?\d{1,15}(?:\.0+)?\s*$/.test(value);
}

const HIGHEST_PICTURE = 4320;

function isHeight(value: string): boolean {
  return /^\d{1,4}$/.test(value) && Number(value) <= HIGHEST_PICTURE;
}

const TIME_RANGE = /^(?<from>\d{1,2}:[0-5]\d),(?<until>\d{1,2}:[0-5]\d)$/;

function isTimeRange(value: string): boolean {
  const { from, until } = TIME_RANGE.exec(value)?.groups ?? {};
  return [from, until].every((time) => time !== undefined && minuteOf(time) <= 24 * 60);
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

const ZONE = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;
/**
 * The zones that were found valid: to ask for a format costs more than the rest of a request. There are no more names than
 * zones.
 */
const knownZones = new Set<string>();

/** The NVR looks a zone up as a file. */
function isTimeZone(value: string): boolean {
  const zone = value.toLowerCase();
  if (knownZones.has(zone)) return true;
  if (!ZONE.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
  } catch {
    return false;
  }
  knownZones.add(zone);
  return true;
}

const MOST_PLATES = 50;
/** Eight nested groups cost the NVR seconds for each plate. */
const PLATE = /^[^(){}\\|]{0,32}$/u;

function arePlates(value: string): boolean {
  const plates = value.split(',');
  return (
    plates.length <= MOST_PLATES && plates.every((plate) => PLATE.test(plate)) && platesFault(plates) === undefined
  );
}
