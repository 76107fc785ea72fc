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
  cameras:                  { unset: 'all', read: list((names) => ({ cameras: names })) },
  label:                    { unset: 'all', yieldsTo: 'labels', read: list(oneOf('label')) },
  labels:                   { unset: 'all', read: list(oneOf('label')) },
  sub_label:                { unset: 'all', yieldsTo: 'sub_labels', read: list(carries('sub_label', foldCase)) },
  sub_labels:               { unset: 'all', read: list(carries('sub_label', foldCase)) },
  attributes:               { unset: 'all', read: list(carries('attribute')) },
  zone:                     { unset: 'all', yieldsTo: 'zones', read: list(carries('zone')) },
  zones:                    { unset: 'all', read: list(carries('zone')) },
  limit:                    { read: count((limit) => ({ limit })) },
  after:                    { read: decimal(compared('start_time', '>')) },
  before:                   { read: decimal(compared('start_time', '<')) },
  time_range:               { read: (text) => mapped(parseTimeRange(text), (timeRange) => ({ timeRange })) },
  timezone:                 { read: (text) => mapped(parseZone(text), (timeZone) => ({ timeZone })) },
  has_clip:                 { read: whole((number) => flag('has_clip', number !== 0)) },
  has_snapshot:             { read: whole((number) => flag('has_snapshot', number !== 0)) },
  in_progress:              { read: whole((number) => flag('in_progress', number !== 0)) },
  include_thumbnails:       { read: whole((number) => ({ hasThumbnails: number !== 0 })) },
  favorites:                { read: whole((number) => (number === 0 ? NOTHING : flag('retain_indefinitely', true))) },
  is_submitted:             { read: whole((number) => (number < 0 ? NOTHING : flag('submitted', number > 0))) },
  min_score:                { read: decimal(compared('score', '>=')) },
  max_score:                { read: decimal(compared('score', '<=')) },
  min_speed:                { read: decimal(compared('speed', '>=')) },
  max_speed:                { read: decimal(compared('speed', '<=')) },
  min_length:               { read: decimal(compared('length', '>=')) },
  max_length:               { read: decimal(compared('length', '<=')) },
  recognized_license_plate: { unset: 'all', read: (text) => mapped(parsePlates(text), (condition) => ({ condition })) },
  text:                     { unset: '', read: (text) => mapped(parseWords(text), (words) => ({ condition: { kind: 'words', words } })) },
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

function mapped<Value>(parsed: Parsed<Value>, contribute: (value: Value) => Contribution): Parsed<Contribution> {
  return parsed.ok ? ok(contribute(parsed.value)) : parsed;
}

function list(contribute: (names: readonly string[]) => Contribution): Filter['read'] {
  return (text) => mapped(parseList(text), contribute);
}

function whole(contribute: (number: number) => Contribution): Filter['read'] {
  return (text) => mapped(parseWhole(text), contribute);
}

function decimal(contribute: (number: number) => Contribution): Filter['read'] {
  return (text) => mapped(parseDecimal(text), contribute);
}

function count(contribute: (number: number) => Contribution): Filter['read'] {
  return (text) => mapped(parseCount(text), contribute);
}

function oneOf(field: 'label') {
  return (values: readonly string[]): Contribution => ({ condition: { kind: 'one-of', field, values } });
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
