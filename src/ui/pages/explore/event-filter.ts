/** What the list is narrowed to: the query of the address bar, and what the API is asked for (interface 4.1). */
import { nextIn, readMoment } from '../shared/untrusted.ts';

/** Not to be changed: `withValues` makes another one. */
export type EventFilter = URLSearchParams;

/** What an event must have. */
// biome-ignore format: a table
export const ONLY = [
  ['has_clip',     'clip'],
  ['has_snapshot', 'snapshot'],
  ['in_progress',  'running'],
  ['favorites',    'kept'],
  ['is_submitted', 'submitted'],
] as const;

/** Names, and the list that suggests them. */
// biome-ignore format: a table
export const LISTED = [
  ['zones',                    'zones',     'api/zones'],
  ['sub_labels',               'subLabels', 'api/sub_labels?split_joined=1'],
  ['recognized_license_plate', 'plate',     'api/recognized_license_plates?split_joined=1'],
] as const;

/** Two ends each. */
// biome-ignore format: a table
export const RANGES = [
  { isPercent: true,  from: ['min_score',  'leastScore'],  to: ['max_score',  'mostScore']  },
  { isPercent: false, from: ['min_length', 'leastLength'], to: ['max_length', 'mostLength'] },
  { isPercent: false, from: ['min_speed',  'leastSpeed'],  to: ['max_speed',  'mostSpeed']  },
] as const;

/** The further filters, as the API and the address bar name them; in the tables, with their words. */
export const MORE_FILTERS = [
  'text',
  'sort',
  ...LISTED.map(([name]) => name),
  ...RANGES.flatMap(({ from, to }) => [from[0], to[0]]),
  'time_range',
  ...ONLY.map(([name]) => name),
] as const;
export type MoreFilter = (typeof MORE_FILTERS)[number];

/** Its order is that of the address bar, which has one entry per name of a camera or label: a name may contain a comma. */
const NAMES = ['camera', 'label', 'after', 'before', ...MORE_FILTERS] as const;

export const NO_FILTER: EventFilter = new URLSearchParams();

/** `after` as the beginning asks for all: without a chosen time the last seven days are shown. */
export const ANY_TIME = 0;

export const namesIn = (filter: EventFilter, name: 'camera' | 'label'): readonly string[] =>
  filter.getAll(name).filter(Boolean);

/** Unix seconds. Unreadable times are left out: a mistyped address shows more, never an error. */
export function timeIn(filter: EventFilter, end: 'after' | 'before'): number | undefined {
  const text = filter.get(end) ?? '';
  return text.trim() === '' ? undefined : readMoment(Number(text));
}

/** Where a day of the viewer begins, in Unix seconds. */
const midnight = (daysAgo: number): number => new Date().setHours(-24 * daysAgo, 0, 0, 0) / 1000;

/** A press each. The day that goes on has no end. */
export const LAST_DAYS = [
  ['today', () => midnight(0), () => undefined],
  ['yesterday', () => midnight(1), () => midnight(0)],
] as const;

/** Whether they are both ends of a day of the viewer; without an end it is today. */
export const isDay = (after: number, before = midnight(-1)): boolean =>
  [after, before].every((end, at) => new Date(after * 1000).setHours(24 * at, 0, 0, 0) / 1000 === end);

type Changes = { readonly [Name in (typeof NAMES)[number]]?: readonly string[] | string | number | undefined };

/** The filter alone, with other values; empty ones are left out. */
export function withValues(filter: EventFilter, changes: Changes = {}): EventFilter {
  const changed = new URLSearchParams();
  for (const name of NAMES)
    for (const value of name in changes ? [changes[name] ?? ''].flat() : filter.getAll(name))
      if (value !== '') changed.append(name, String(value));
  return changed;
}

/** What is asked for. `weekAgo`: Unix seconds. */
export function withUsualTime(filter: EventFilter, weekAgo: number): EventFilter {
  const [after, before] = [timeIn(filter, 'after'), timeIn(filter, 'before')];
  const usual = before === undefined ? weekAgo : undefined;
  return withValues(filter, { after: after === ANY_TIME ? undefined : (after ?? usual), before });
}

/** The full hour a week earlier, so that the same question is asked for a while. Both times in Unix seconds. */
export const weekBefore = (now: number): number => Math.floor(now / 3600) * 3600 - 7 * 86_400;

/** An order hides nothing, nor does any time. */
export const isFiltered = (filter: EventFilter): boolean =>
  [...namesIn(filter, 'camera'), ...namesIn(filter, 'label'), filter.get('text')].some(Boolean) ||
  (timeIn(filter, 'after') ?? ANY_TIME) !== ANY_TIME ||
  timeIn(filter, 'before') !== undefined ||
  moreCount(filter) > 0;

/** The number of filters that are set in the menu More. */
export const moreCount = (filter: EventFilter): number =>
  MORE_FILTERS.filter((name) => name !== 'sort' && name !== 'text' && filter.get(name)).length;

/** Otherwise there would be a day heading for every other event. */
export const isByDate = (filter: EventFilter): boolean => isNewestFirst(filter) || filter.get('sort') === 'date_asc';

export const isNewestFirst = (filter: EventFilter): boolean => (filter.get('sort') || 'date_desc') === 'date_desc';

/** An NVR has its own search for words: by likeness, without an order of time. */
export const isSearchOfNvr = (filter: EventFilter, eventsBy: 'nvr' | 'backend'): boolean =>
  eventsBy === 'nvr' && Boolean(filter.get('text'));

/** The query of the API (interface 4.1): names joined by commas. Times of day are those of the viewer. */
export function eventsQuery(
  filter: EventFilter,
  limit: number,
  timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone,
): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of NAMES) {
    const isList = name === 'camera' || name === 'label';
    const value = filter.getAll(name).join(',');
    if (value !== '') query.set(isList ? `${name}s` : name, value);
  }
  if (query.has('time_range')) query.set('timezone', timeZone);
  query.set('limit', String(limit));
  return query;
}

/** The number of events that an NVR finds at once by words. */
const FOUND_BY_NVR = 50;

/** Which list to ask for. Its pictures come along. */
export function eventsPath(filter: EventFilter, limit: number, eventsBy: 'nvr' | 'backend') {
  if (!isSearchOfNvr(filter, eventsBy)) return { path: 'api/events', query: eventsQuery(filter, limit).toString() };
  const query = eventsQuery(filter, FOUND_BY_NVR);
  query.set('query', query.get('text') ?? '');
  query.delete('text');
  return { path: 'api/events/search', query: query.toString() };
}

/** The query of the page after this one: what the Link header says, else what lies before its last event; undefined: it was the last. `startTimes`: of its events, newest first. */
export function nextQuery(
  query: URLSearchParams,
  link: string | null,
  startTimes: readonly number[],
): URLSearchParams | undefined {
  const target = nextIn(link);
  // Only the query counts: a backend does not know below which prefix it is seen.
  if (target !== undefined) return new URLSearchParams(target.split('?')[1] ?? '');
  const last = startTimes.at(-1);
  // In another order the last event does not say what is still to come.
  if (last === undefined || startTimes.length < Number(query.get('limit')) || query.has('sort')) return undefined;
  const next = new URLSearchParams(query);
  next.set('before', String(last));
  return next;
}
