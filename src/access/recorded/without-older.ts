/** Removes what began before a moment from JSON that the NVR sends: by the fields in which its objects tell their time (SPEC 13). */

import { isRecord, type JsonRecord } from '../../domain/json.ts';
import { timeInId } from './time-locators.ts';

/** Events and reviews; the timeline; exports; previews. Unix seconds. */
const TIME_FIELDS: readonly string[] = ['start_time', 'timestamp', 'date', 'start'];
/** Ids of events and reviews begin with their time. */
const ID_FIELDS: readonly string[] = ['id', 'event_id'];
/** Objects of these fields are about a camera, so they must say when. */
const CAMERA_FIELDS: readonly string[] = ['camera', 'source_camera', 'camera_name'];

/** Undefined when the object does not tell. Of several times the earliest: an update of an old event has a time of its own. */
export function startOf(record: JsonRecord): number | undefined {
  const told = [...TIME_FIELDS.map((field) => record[field]), ...ID_FIELDS.map((field) => timeInId(record[field]))];
  const times = told.filter((value) => typeof value === 'number');
  return times.length === 0 ? undefined : Math.min(...times);
}

/** False, too, for what does not tell its time. */
export const isSince = (value: unknown, since: number): boolean =>
  isRecord(value) && (startOf(value) ?? Number.NEGATIVE_INFINITY) >= since;

/** Removes older objects from lists at any depth, and those of a camera that do not tell their time. */
export function withoutOlder(json: unknown, since: number): unknown {
  if (Array.isArray(json))
    return json.filter((value) => !isRecord(value) || isKept(value, since)).map((value) => withoutOlder(value, since));
  if (!isRecord(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withoutOlder(value, since)]));
}

function isKept(record: JsonRecord, since: number): boolean {
  const start = startOf(record);
  return start === undefined ? !CAMERA_FIELDS.some((field) => field in record) : start >= since;
}
