/** The parameters of the list of events, one row each: how its text is read, by the gate and the events backend, and what it asks for (interface 4.1). */

import { ok } from '../result.ts';
import {
  type EventCondition,
  type EventFlag,
  type EventMeasure,
  type EventNames,
  type EventSort,
  foldCase,
  type PageEnd,
} from './event-question.ts';
import {
  fault,
  type Parsed,
  parseCount,
  parseDecimal,
  parseList,
  parseTimeRange,
  parseWhole,
  parseWords,
  parseZone,
} from './parse-value.ts';
import { parsePlates } from './plate-patterns.ts';

/** What one parameter adds to the question. */
export interface Contribution {
  readonly cameras?: readonly string[];
  readonly condition?: EventCondition;
  readonly limit?: number;
  readonly sort?: EventSort;
  readonly hasThumbnails?: boolean;
  readonly timeRange?: { readonly from: number; readonly until: number };
  readonly timeZone?: string;
  readonly after?: PageEnd;
}

export interface Filter {
  /** The value that filters nothing. */
  readonly unset?: string;
  /** Used only while that parameter, the plural, is unset. */
  readonly yieldsTo?: string;
  readonly read: (text: string) => Parsed<Contribution>;
}

const NOTHING: Contribution = {};
const NONE = 'None';

/** The most events that one response holds: clients ask for that many. */
export const MOST_ROWS = 10_000;

// biome-ignore format: a table
export const FILTERS: Readonly<Record<string, Filter>> = {
  camera:                   { unset: 'all', read: (text) => ok({ cameras: [text.trim()] }) },
  cameras:                  { unset: 'all', read: read(parseList, (names) => ({ cameras: names })) },
  label:                    { unset: 'all', yieldsTo: 'labels', read: read(parseList, byLabel) },
  labels:                   { unset: 'all', read: read(parseList, byLabel) },
  sub_label:                { unset: 'all', yieldsTo: 'sub_labels', read: read(parseList, carries('sub_label', foldCase)) },
  sub_labels:               { unset: 'all', read: read(parseList, carries('sub_label', foldCase)) },
  attributes:               { unset: 'all', read: read(parseList, carries('attribute')) },
  zone:                     { unset: 'all', yieldsTo: 'zones', read: read(parseList, carries('zone')) },
  zones:                    { unset: 'all', read: read(parseList, carries('zone')) },
  limit:                    { read: read(parseCount, (limit) => ({ limit })) },
  after:                    { read: read(parseDecimal, compared('start_time', '>')) },
  before:                   { read: read(parseDecimal, compared('start_time', '<')) },
  time_range:               { read: read(parseTimeRange, (timeRange) => ({ timeRange })) },
  timezone:                 { read: read(parseZone, (timeZone) => ({ timeZone })) },
  has_clip:                 { read: read(parseWhole, (number) => flag('has_clip', number !== 0)) },
  has_snapshot:             { read: read(parseWhole, (number) => flag('has_snapshot', number !== 0)) },
  in_progress:              { read: read(parseWhole, (number) => flag('in_progress', number !== 0)) },
  include_thumbnails:       { read: read(parseWhole, (number) => ({ hasThumbnails: number !== 0 })) },
  favorites:                { read: read(parseWhole, (number) => (number === 0 ? NOTHING : flag('retain_indefinitely', true))) },
  is_submitted:             { read: read(parseWhole, (number) => (number < 0 ? NOTHING : flag('submitted', number > 0))) },
  min_score:                { read: read(parseDecimal, compared('score', '>=')) },
  max_score:                { read: read(parseDecimal, compared('score', '<=')) },
  min_speed:                { read: read(parseDecimal, compared('speed', '>=')) },
  max_speed:                { read: read(parseDecimal, compared('speed', '<=')) },
  min_length:               { read: read(parseDecimal, compared('length', '>=')) },
  max_length:               { read: read(parseDecimal, compared('length', '<=')) },
  recognized_license_plate: { unset: 'all', read: read(parsePlates, (condition) => ({ condition })) },
  text:                     { unset: '', read: read(parseWords, (words) => ({ condition: { kind: 'words', words } })) },
  event_id:                 { read: (text) => ok({ condition: { kind: 'one-of', field: 'id', values: [text] } }) },
  sort:                     { read: (text) => ok({ sort: SORTS[text] ?? NEWEST_FIRST }) },
  page_after:               { read: pageEnd },
};

export const NEWEST_FIRST: EventSort = { key: 'date', direction: 'desc' };

/** Case-sensitive; what is not here is newest first, as clients that send `relevance` expect. */
const SORTS: Readonly<Record<string, EventSort | undefined>> = Object.assign(Object.create(null), {
  date_asc: { key: 'date', direction: 'asc' },
  date_desc: NEWEST_FIRST,
  score_asc: { key: 'score', direction: 'asc' },
  score_desc: { key: 'score', direction: 'desc' },
  speed_asc: { key: 'speed', direction: 'asc' },
  speed_desc: { key: 'speed', direction: 'desc' },
});

function read<Value>(
  parse: (text: string) => Parsed<Value>,
  contribute: (value: Value) => Contribution,
): Filter['read'] {
  return (text) => {
    const parsed = parse(text);
    return parsed.ok ? ok(contribute(parsed.value)) : parsed;
  };
}

function byLabel(values: readonly string[]): Contribution {
  return { condition: { kind: 'one-of', field: 'label', values } };
}

function carries(of: EventNames, spelled = (name: string): string => name) {
  return (members: readonly string[]): Contribution => {
    // `None` asks for events that have none of these; attributes know no such word.
    const orNone = of !== 'attribute' && members.includes(NONE);
    const names = members.filter((member) => !(orNone && member === NONE)).map(spelled);
    return { condition: { kind: 'carries', of, names, orNone } };
  };
}

function compared(measure: EventMeasure, by: '<' | '<=' | '>' | '>=') {
  return (to: number): Contribution => ({ condition: { kind: 'compared', measure, by, to } });
}

function flag(of: EventFlag, is: boolean): Contribution {
  return { condition: { kind: 'flag', flag: of, is } };
}

/** `<sort value>~<id>`, as the `Link` header of the page before gave it; no value when the event has none. */
function pageEnd(text: string): Parsed<Contribution> {
  const [, value = '', id] = /^([^~]*)~(.+)$/s.exec(text) ?? [];
  const number = value === '' ? ok(null) : parseDecimal(value);
  return id === undefined || !number.ok
    ? fault('value_error', 'Input should be as the Link header of the page before gave it')
    : ok({ after: { value: number.value, id } });
}
