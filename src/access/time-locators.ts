/** Where a request names a recorded time, and things that are older than a reader may see (SPEC 13). */

import { isRecord, type JsonRecord, mapJson } from '../domain/json.ts';
import type { TimePlace } from '../domain/policy.ts';
import { unreachable } from '../domain/result.ts';
import { canonicalZone, offsetReader } from '../domain/zone-offsets.ts';

export type PathParameters = Readonly<Record<string, string>>;
export type PlaceInPath = Extract<TimePlace, { in: 'path' | 'file' | 'hour' | 'utc-hour' }>;

/** Returns Unix seconds of the earliest footage that the request can mean; undefined when it cannot be told. */
export function earliestTime(place: PlaceInPath, parameters: PathParameters): number | undefined {
  switch (place.in) {
    case 'path':
      return startOfSpan(plainTime(parameters[place.name] ?? ''), parameters);
    case 'file':
      return timeInFile(parameters[place.name] ?? '');
    case 'hour':
      return hourInZone(parameters);
    case 'utc-hour':
      return hourInUtc(parameters);
    default:
      return unreachable(place);
  }
}

/**
 * Other spellings of numbers (`1e9`, `inf`, `1_000`) may mean another time to the NVR. It compares names of frames as
 * texts, so a time of more digits than those of today would stand before all of them.
 */
const PLAIN = /^\d{1,10}(?:\.\d{1,9})?$/;
export const plainTime = (text: string): number | undefined => (PLAIN.test(text) ? Number(text) : undefined);

/** Exactly as RFC 3339 writes it: readers differ in what else they take. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Unix seconds; undefined of what is no such time. */
export function rfc3339(text: string): number | undefined {
  const at = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at / 1000;
}

/** The beginning of a span: in the NVR's query one that ends before it begins holds all that was recorded in between. */
function startOfSpan(start: number | undefined, { end }: PathParameters): number | undefined {
  if (start === undefined || end === undefined) return start;
  const last = plainTime(end);
  return last === undefined || last < start ? undefined : start;
}

/** Seconds since 1970, from 1973 until 2286. */
const IN_FILE = /(?<![\d.])\d{9,10}(?:\.\d{1,9})?(?![\d])/g;

/** `preview_garden-1700000001.5.webp`, `1700000000-1700003600.mp4`: the earliest time that stands in the name. */
export function timeInFile(path: string): number | undefined {
  const times = (path.split('/').at(-1) ?? '').match(IN_FILE) ?? [];
  return times.length === 0 ? undefined : Math.min(...times.map(Number));
}

/** `1700000001.5-abc123`: ids of events and reviews begin with their time. */
const timeInId = (id: unknown): number | undefined =>
  typeof id === 'string' ? plainTime(/^(?<time>\d{9,10}(?:\.\d{1,9})?)-/.exec(id)?.groups?.['time'] ?? '') : undefined;

const HOUR_MS = 3_600_000;
/** No clock is further ahead of UTC. */
const MOST_AHEAD_SECONDS = 14 * 3600;
const HALF_A_YEAR_SECONDS = 183 * 86_400;

/** The beginning of an hour of the wall clock in the zone that the path names, or in whatever zone the NVR is. */
function hourInZone({ month = '', day = '', hour = '', zone }: PathParameters): number | undefined {
  const wall = wallSeconds(`${month}-${day}`, hour);
  if (wall === undefined) return undefined;
  if (zone === undefined) return wall - MOST_AHEAD_SECONDS;
  const known = canonicalZone(zone.replaceAll(',', '/'));
  if (known === undefined) return undefined;
  const offsetAt = offsetReader(known);
  // Near a change of the clocks the hour is there twice, and the NVR takes the offset of the moment at which it is asked, which
  // may be that of the other half of the year: the earliest of them counts.
  const near = [-HALF_A_YEAR_SECONDS, -MOST_AHEAD_SECONDS, MOST_AHEAD_SECONDS, HALF_A_YEAR_SECONDS];
  return wall - Math.max(...near.map((seconds) => offsetAt(wall + seconds)));
}

const hourInUtc = ({ date = '', hour = '' }: PathParameters): number | undefined => wallSeconds(date, hour);

function wallSeconds(date: string, hour: string): number | undefined {
  const day = Date.parse(`${date}T00:00:00Z`);
  const isHour = /^\d{2}$/.test(hour) && Number(hour) < 24;
  return Number.isNaN(day) || !isHour ? undefined : (day + Number(hour) * HOUR_MS) / 1000;
}

/** Events and reviews; the timeline; exports; previews. Unix seconds. */
const TIME_FIELDS: readonly string[] = ['start_time', 'timestamp', 'date', 'start'];
/** Ids of events and reviews begin with their time. */
const ID_FIELDS: readonly string[] = ['id', 'event_id'];
/** Fields by which the NVR's objects name their camera: such an object must say when. */
export const CAMERA_FIELDS: readonly string[] = ['camera', 'source_camera', 'camera_name'];

/** Undefined when the object does not tell. Of several times the earliest: an update of an old event has a time of its own. */
export function readStart(record: JsonRecord): number | undefined {
  const told = [...TIME_FIELDS.map((field) => record[field]), ...ID_FIELDS.map((field) => timeInId(record[field]))];
  const times = told.filter((value) => typeof value === 'number');
  return times.length === 0 ? undefined : Math.min(...times);
}

/** False, too, for what does not tell its time. */
export const isSince = (value: unknown, since: number): boolean =>
  isRecord(value) && (readStart(value) ?? Number.NEGATIVE_INFINITY) >= since;

/** Removes older objects from lists at any depth, and those of a camera that do not tell their time. */
export const withoutOlder = (json: unknown, since: number): unknown =>
  mapJson(json, (value, key) => {
    const isOlder = key === undefined && isRecord(value) && !isKept(value, since);
    return isOlder ? undefined : withoutOlder(value, since);
  });

function isKept(record: JsonRecord, since: number): boolean {
  const start = readStart(record);
  return start === undefined ? !CAMERA_FIELDS.some((field) => field in record) : start >= since;
}
