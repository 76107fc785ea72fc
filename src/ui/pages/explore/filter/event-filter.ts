/** What the list is narrowed to: kept in the address bar, asked for in a query (interface 4.1). */
import { timeOf } from '../../shared/forms/fields.ts';

export interface EventFilter {
  readonly cameras: readonly string[];
  readonly labels: readonly string[];
  /** Unix seconds. Without a chosen time the last seven days are shown: ANY_TIME as the beginning asks for all. */
  readonly after: number | undefined;
  readonly before: number | undefined;
  /** Everything else: the text of a parameter of that name. */
  readonly more: MoreFilters;
}

/** The further filters, in the order of the page. They are named in the address bar as the API names them. */
export const MORE_FILTERS = [
  'text',
  'sort',
  'zones',
  'sub_labels',
  'recognized_license_plate',
  'min_score',
  'max_score',
  'min_length',
  'max_length',
  'min_speed',
  'max_speed',
  'time_range',
  'has_clip',
  'has_snapshot',
  'in_progress',
  'favorites',
  'is_submitted',
] as const;
export type MoreFilter = (typeof MORE_FILTERS)[number];
export type MoreFilters = Readonly<Partial<Record<MoreFilter, string>>>;

export const NO_FILTER: EventFilter = {
  cameras: [],
  labels: [],
  after: undefined,
  before: undefined,
  more: {},
};

export const ANY_TIME = 0;

/** What is asked for. `weekAgo`: Unix seconds. */
export function withUsualTime(filter: EventFilter, weekAgo: number): EventFilter {
  if (filter.after === ANY_TIME) return { ...filter, after: undefined };
  return filter.after === undefined && filter.before === undefined ? { ...filter, after: weekAgo } : filter;
}

/** The full hour a week earlier, so that the same question is asked for a while. Both times in Unix seconds. */
export const weekBefore = (now: number): number => Math.floor(now / 3600) * 3600 - 7 * 86_400;

/** An order hides nothing, nor does any time. */
export const isFiltered = ({ cameras, labels, after, before, more }: EventFilter): boolean =>
  cameras.length > 0 ||
  labels.length > 0 ||
  (after !== undefined && after !== ANY_TIME) ||
  before !== undefined ||
  more.text !== undefined ||
  moreCount(more) > 0;

/** The number of filters that are set in the menu More. */
export const moreCount = (more: MoreFilters): number =>
  Object.keys(more).filter((name) => name !== 'sort' && name !== 'text').length;

/** Otherwise there would be a day heading for every other event. */
export const isByDate = ({ more: { sort } }: EventFilter): boolean =>
  sort === undefined || sort === 'date_asc' || sort === 'date_desc';

export const isNewestFirst = ({ more: { sort } }: EventFilter): boolean => sort === undefined || sort === 'date_desc';

/** An NVR has its own search for words: by likeness, without an order of time. */
export const isSearchOfNvr = ({ more: { text } }: EventFilter, eventsBy: 'nvr' | 'backend'): boolean =>
  eventsBy === 'nvr' && text !== undefined;

/** Leaves out empty filters. */
export const withMore = (more: MoreFilters, name: MoreFilter, text: string): MoreFilters => {
  const { [name]: _, ...others } = more;
  return text === '' ? others : { ...others, [name]: text };
};

/** Unreadable times are left out: a mistyped address shows more, never an error. */
export const readFilter = (search: URLSearchParams): EventFilter => ({
  cameras: search.getAll('camera').filter(Boolean),
  labels: search.getAll('label').filter(Boolean),
  after: readTime(search.get('after')),
  before: readTime(search.get('before')),
  more: Object.fromEntries(MORE_FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name) ?? '']] : []))),
});

/** The query of the address bar: one entry per name, because a name may contain a comma. */
export function filterSearch({ cameras, labels, after, before, more }: EventFilter): URLSearchParams {
  const search = new URLSearchParams();
  for (const camera of cameras) search.append('camera', camera);
  for (const label of labels) search.append('label', label);
  if (after !== undefined) search.set('after', String(after));
  if (before !== undefined) search.set('before', String(before));
  setMore(search, more);
  return search;
}

/** The query of the API (interface 4.1): names joined by commas. Times of day are those of the viewer. */
export function eventsQuery(
  filter: EventFilter,
  limit: number,
  thumbnails: 'with' | 'without',
  timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone,
): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.cameras.length > 0) query.set('cameras', filter.cameras.join(','));
  if (filter.labels.length > 0) query.set('labels', filter.labels.join(','));
  if (filter.after !== undefined) query.set('after', String(filter.after));
  if (filter.before !== undefined) query.set('before', String(filter.before));
  setMore(query, filter.more);
  if (filter.more.time_range !== undefined) query.set('timezone', timeZone);
  query.set('limit', String(limit));
  if (thumbnails === 'without') query.set('include_thumbnails', '0');
  return query;
}

/** The number of events that an NVR finds at once by words. */
const FOUND_BY_NVR = 50;

/** Which list to ask for. Its pictures come along. */
export function eventsPath(
  filter: EventFilter,
  limit: number,
  eventsBy: 'nvr' | 'backend',
): { readonly path: string; readonly query: string } {
  if (!isSearchOfNvr(filter, eventsBy))
    return { path: 'api/events', query: eventsQuery(filter, limit, 'with').toString() };
  const query = eventsQuery(filter, FOUND_BY_NVR, 'with');
  query.set('query', query.get('text') ?? '');
  query.delete('text');
  return { path: 'api/events/search', query: query.toString() };
}

function setMore(search: URLSearchParams, more: MoreFilters): void {
  for (const name of MORE_FILTERS) {
    const text = more[name];
    if (text !== undefined) search.set(name, text);
  }
}

function readTime(text: string | null): number | undefined {
  return text === null || text.trim() === '' ? undefined : timeOf(Number(text));
}
