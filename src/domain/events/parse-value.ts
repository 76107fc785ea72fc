/** Texts of query parameters as values: as lenient as the reference, with a reason for each refused one. */

import { parseMinute } from '../hours.ts';
import { err, ok, type Result } from '../result.ts';
import { canonicalZone } from '../zone-offsets.ts';

export interface ParameterFault {
  /** The reference's name for the kind of fault. */
  readonly type: string;
  readonly message: string;
}

export type Parsed<Value> = Result<Value, ParameterFault>;

/** The most members of a list: longer ones cost too much. */
const LONGEST_LIST = 200;

const WHOLE = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const NON_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;

/** `1`, ` +2`, `1.0` and `1_000` are whole numbers; `true` and an empty text are not. */
export function parseWhole(text: string): Parsed<number> {
  const plain = text.trim();
  return WHOLE.test(plain)
    ? ok(Number(plain.replaceAll('_', '')))
    : fault('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
}

export function parseDecimal(text: string): Parsed<number> {
  const plain = text.trim();
  const number = DECIMAL.test(plain) ? Number(plain.replaceAll('_', '')) : Number.NaN;
  if (Number.isFinite(number)) return ok(number);
  return DECIMAL.test(plain) || NON_FINITE.test(plain)
    ? fault('finite_number', 'Input should be a finite number')
    : fault('float_parsing', 'Input should be a valid number, unable to parse string as a number');
}

/** Undefined for what is no number. */
export function parseNumber(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseDecimal(text);
  return parsed?.ok ? parsed.value : undefined;
}

/** Members between commas, trimmed; empty ones are dropped. */
export function parseList(text: string): Parsed<readonly string[]> {
  const members = text.split(',');
  if (members.length > LONGEST_LIST) return fault('too_long', `List should have at most ${LONGEST_LIST} members`);
  return ok([...new Set(members.map((member) => member.trim()).filter((member) => member !== ''))]);
}

const MOST_WORDS = 10;
/** Characters. */
const LONGEST_TEXT = 200;

/** Words between spaces. */
export function parseWords(text: string): Parsed<readonly string[]> {
  const words = [...new Set(text.split(/\s+/).filter((word) => word !== ''))];
  return text.length > LONGEST_TEXT || words.length > MOST_WORDS
    ? fault('too_long', `Text should have at most ${MOST_WORDS} words and ${LONGEST_TEXT} characters`)
    : ok(words);
}

/** Two times of day between commas, in seconds since midnight; what follows a second comma is ignored. */
export function parseTimeRange(text: string): Parsed<{ readonly from: number; readonly until: number }> {
  const [from, until] = text.split(',').map(parseMinute);
  return from === undefined || until === undefined
    ? fault('value_error', 'Input should be two times of day, "HH:MM,HH:MM", from 00:00 to 24:00')
    : ok({ from: from * 60, until: until * 60 });
}

/** The zone's own spelling. */
export function parseZone(text: string): Parsed<string> {
  const zone = canonicalZone(text);
  return zone === undefined
    ? fault('value_error', 'Input should be the name of a time zone, such as Europe/Berlin')
    : ok(zone);
}

/** The reference takes a negative count for "everything": one request would read the whole table. */
export function parseCount(text: string): Parsed<number> {
  const parsed = parseWhole(text);
  return parsed.ok && parsed.value < 0 ? fault('greater_than_equal', 'Input should be 0 or more') : parsed;
}

export const fault = (type: string, message: string): Result<never, ParameterFault> => err({ type, message });
