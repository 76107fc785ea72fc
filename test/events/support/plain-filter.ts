/** The questions of GET /api/events answered over a list in memory, written from the semantics and not from the code. */
import type { EventRecord } from '../../../src/domain/events/event.ts';

export type Query = Readonly<Record<string, string>>;

const members = (text: string): string[] => text.split(',').map((member) => member.trim());
const lower = (text: string): string => text.toUpperCase().toLowerCase();
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Parts of `data` that stand as the value of a key, at any depth. */
function keyedTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => (typeof item === 'object' ? keyedTexts(item) : []));
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => (typeof item === 'string' ? [item] : keyedTexts(item)));
}

function localMinutes(time: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const [hours, minutes] = format
    .format(time * 1000)
    .split(':')
    .map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

function isInRange(event: EventRecord, range: string, zone: string): boolean {
  const [from = 0, until = 0] = range.split(',').map((time) => {
    const [hours, minutes] = time.split(':').map(Number);
    return (hours ?? 0) * 60 + (minutes ?? 0);
  });
  if (from === until) return true;
  const at = localMinutes(event.start_time, zone);
  return from < until ? at >= from && at < until : at >= from || at < until;
}

type Test = (event: EventRecord, text: string, query: Query) => boolean;

const list =
  (carries: (event: EventRecord, names: string[]) => boolean): Test =>
  (event, text) =>
    text === 'all' || carries(event, members(text));

const atLeast =
  (measure: (event: EventRecord) => number | undefined): Test =>
  (event, text) => {
    const value = measure(event);
    return value !== undefined && value >= Number(text);
  };
const atMost =
  (measure: (event: EventRecord) => number | undefined): Test =>
  (event, text) => {
    const value = measure(event);
    return value !== undefined && value <= Number(text);
  };

const score = ({ data }: EventRecord) => number(data['score']);
const speed = ({ data }: EventRecord) => number(data['average_estimated_speed']);
const length = ({ start_time, end_time }: EventRecord) => (end_time === null ? undefined : end_time - start_time);

const hasLabel = list((event, names) => names.includes(event.label));
const hasZone = list(
  ({ zones }, names) =>
    names.some((name) => name !== 'None' && zones.includes(name)) || (names.includes('None') && zones.length === 0),
);
const hasSubLabel = list(({ sub_label }, names) =>
  sub_label === null
    ? names.includes('None')
    : members(sub_label).some(
        (element) =>
          element !== '' &&
          names
            .filter((name) => name !== 'None')
            .map(lower)
            .includes(lower(element)),
      ),
);

const TESTS: Readonly<Record<string, Test>> = {
  camera: (event, text) => text === 'all' || event.camera === text.trim(),
  cameras: list((event, names) => names.includes(event.camera)),
  label: (event, text, query) => (query['labels'] ?? 'all') !== 'all' || hasLabel(event, text, query),
  labels: hasLabel,
  zone: (event, text, query) => (query['zones'] ?? 'all') !== 'all' || hasZone(event, text, query),
  zones: hasZone,
  sub_label: (event, text, query) => (query['sub_labels'] ?? 'all') !== 'all' || hasSubLabel(event, text, query),
  sub_labels: hasSubLabel,
  attributes: list(({ data }, names) => keyedTexts(data).some((text) => names.includes(text))),
  after: ({ start_time }, text) => start_time > Number(text),
  before: ({ start_time }, text) => start_time < Number(text),
  time_range: (event, text, query) => isInRange(event, text, query['timezone'] ?? 'UTC'),
  has_clip: ({ has_clip }, text) => has_clip === (Number(text) !== 0),
  has_snapshot: ({ has_snapshot }, text) => has_snapshot === (Number(text) !== 0),
  in_progress: ({ end_time }, text) => (end_time === null) === (Number(text) !== 0),
  favorites: ({ retain_indefinitely }, text) => Number(text) === 0 || retain_indefinitely,
  is_submitted: ({ plus_id }, text) => Number(text) < 0 || (plus_id !== null && plus_id !== '') === Number(text) > 0,
  min_score: atLeast(score),
  max_score: atMost(score),
  min_speed: atLeast(speed),
  max_speed: atMost(speed),
  min_length: atLeast(length),
  max_length: atMost(length),
  recognized_license_plate: list(({ data }, names) =>
    names.includes(String(data['recognized_license_plate'] ?? 'None')),
  ),
  text: ({ sub_label, data }, text) =>
    text
      .split(' ')
      .filter(Boolean)
      .every((word) =>
        [sub_label, data['description']].some((held) => typeof held === 'string' && lower(held).includes(lower(word))),
      ),
  event_id: ({ id }, text) => id === text,
};

/** Absent values stand below all others; equal ones in order of id. */
function comparison(sort: string | undefined): (one: EventRecord, other: EventRecord) => number {
  const [key, direction] = /^(?:date|score|speed)_(?:asc|desc)$/.test(sort ?? '')
    ? (sort ?? '').split('_')
    : ['date', 'desc'];
  const measure = { date: ({ start_time }: EventRecord) => start_time, score, speed }[
    key as 'date' | 'score' | 'speed'
  ];
  const sign = direction === 'asc' ? 1 : -1;
  const rank = (event: EventRecord) => measure(event) ?? Number.NEGATIVE_INFINITY;
  return (one, other) => {
    const [a, b] = [rank(one), rank(other)];
    return sign * (a < b || (a === b && one.id < other.id) ? -1 : 1);
  };
}

export function plainAnswer(events: readonly EventRecord[], query: Query): string[] {
  const passes = (event: EventRecord) =>
    Object.entries(query).every(([name, text]) => TESTS[name]?.(event, text, query) ?? true);
  return events
    .filter(passes)
    .sort(comparison(query['sort']))
    .slice(0, Number(query['limit'] ?? 100))
    .map(({ id }) => id);
}
