/** One imported JSON text as an event record, or the reason why it is not one (interface 2.4). */

import { EARLIEST_TIME, type EventRecord, LATEST_TIME } from '../domain/events/event.ts';
import { isNestedTooDeep, isRecord, plainJson } from '../domain/json.ts';
import { err, ok, type Result } from '../domain/result.ts';

export function parseEventText(text: string): Result<EventRecord, string> {
  // A parser and a writer of JSON go down one step for each level.
  if (isNestedTooDeep(text)) return err('nested too deeply');
  try {
    return asEvent(JSON.parse(plainJson(text)));
  } catch {
    return err('not JSON');
  }
}

type ValueCheck = (value: unknown) => boolean;
const isText: ValueCheck = (value) => typeof value === 'string';
const isTextOrNull: ValueCheck = (value) => value === null || typeof value === 'string';
const isTime: ValueCheck = (value) => typeof value === 'number' && Number.isFinite(value);
const isTextOrList: ValueCheck = (value) => isText(value) || Array.isArray(value);
const isFlag: ValueCheck = (value) => typeof value === 'boolean' || value === 0 || value === 1;

interface Field {
  readonly is: ValueCheck;
  readonly kind: string;
  /** Stands in for a field that is not there: answers of older NVRs lack some. */
  readonly absent?: unknown;
}

// biome-ignore format: a table
const FIELDS: Readonly<Record<keyof EventRecord, Field>> = {
  id:                  { is: (value) => isText(value) && value !== '', kind: 'a text' },
  label:               { is: isText, kind: 'a text' },
  sub_label:           { is: isTextOrNull, kind: 'a text or null', absent: null },
  camera:              { is: (value) => isText(value) && value !== '', kind: 'a text' },
  start_time:          { is: isTime, kind: 'a number' },
  end_time:            { is: (value) => value === null || isTime(value), kind: 'a number or null', absent: null },
  false_positive:      { is: (value) => value === null || isFlag(value), kind: 'true, false or null', absent: null },
  zones:               { is: (value) => Array.isArray(value) && value.every(isText), kind: 'a list of texts', absent: [] },
  thumbnail:           { is: isTextOrNull, kind: 'a text or null', absent: null },
  has_clip:            { is: isFlag, kind: 'true or false' },
  has_snapshot:        { is: isFlag, kind: 'true or false' },
  retain_indefinitely: { is: isFlag, kind: 'true or false', absent: false },
  plus_id:             { is: isTextOrNull, kind: 'a text or null', absent: null },
  model_hash:          { is: isTextOrNull, kind: 'a text or null', absent: null },
  detector_type:       { is: isTextOrNull, kind: 'a text or null', absent: null },
  model_type:          { is: isTextOrNull, kind: 'a text or null', absent: null },
  data:                { is: isRecord, kind: 'an object', absent: {} },
};
const FLAGS = new Set(['false_positive', 'has_clip', 'has_snapshot', 'retain_indefinitely']);

/** Names are shown, compared and put into addresses; a picture in base64 is long. */
const LONGEST_NAME = 256;
const MOST_ZONES = 1000;

/** What is wrong with a value of the right kind: stores and calendars take less than JSON does. */
function boundFault(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && !FLAGS.has(name) && (value < EARLIEST_TIME || value > LATEST_TIME))
    return `${name} is not a time of the years 1 to 9999`;
  if (!isTextOrList(value)) return undefined;
  const texts = [value].flat() as readonly string[];
  if (texts.length > MOST_ZONES) return `${name} has more than ${MOST_ZONES} members`;
  if (!texts.every((text) => text.isWellFormed() && !text.includes('\0'))) return `${name} is not plain text`;
  const isLong = name !== 'thumbnail' && texts.some((text) => text.length > LONGEST_NAME);
  return isLong ? `${name} is longer than ${LONGEST_NAME} letters` : undefined;
}

/** Fields other than the seventeen are dropped. */
export function asEvent(value: unknown): Result<EventRecord, string> {
  if (!isRecord(value)) return err('not an object');
  const given = value as Readonly<Record<string, unknown>>;
  const event: Record<string, unknown> = {};
  for (const [name, { is, kind, absent }] of Object.entries(FIELDS)) {
    const field = given[name] === undefined ? absent : given[name];
    if (field === undefined) return err(`${name} is missing`);
    if (!is(field)) return err(`${name} is not ${kind}`);
    const fault = boundFault(name, field);
    if (fault !== undefined) return err(fault);
    event[name] = FLAGS.has(name) && field !== null ? Boolean(field) : field;
  }
  return ok(event as unknown as EventRecord);
}
