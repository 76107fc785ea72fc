/** What the list is narrowed to: kept in the address bar, asked for in a query (interface 4.1). */
import { readMoment } from '../shared/untrusted.ts';

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
type MoreFilters = Readonly<Partial<Record<MoreFilter, string>>>;

export const NO_FILTER: EventFilter = { cameras: [], labels: [], after: undefined, before: undefined, more: {} };

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
export const filterSearch = ({ cameras, labels, ...rest }: EventFilter): URLSearchParams =>
  withTerms([...cameras.map((camera) => ['camera', camera]), ...labels.map((label) => ['label', label])], rest);

/** The query of the API (interface 4.1): names joined by commas. Times of day are those of the viewer. */
export function eventsQuery(
  { cameras, labels, ...rest }: EventFilter,
  limit: number,
  timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone,
): URLSearchParams {
  const names = [
    ['cameras', cameras.join(',')],
    ['labels', labels.join(',')],
  ].filter(([, joined]) => joined !== '');
  const query = withTerms(names, rest);
  if (rest.more.time_range !== undefined) query.set('timezone', timeZone);
  query.set('limit', String(limit));
  return query;
}

function withTerms(names: string[][], { after, before, more }: Omit<EventFilter, 'cameras' | 'labels'>) {
  const search = new URLSearchParams(names as [string, string][]);
  const terms = { after, before, ...Object.fromEntries(MORE_FILTERS.map((name) => [name, more[name]])) };
  for (const [name, value] of Object.entries(terms)) if (value !== undefined) search.set(name, String(value));
  return search;
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

const readTime = (text: string | null): number | undefined => (text?.trim() ? readMoment(Number(text)) : undefined);

const NEXT_LINK = /<([^>]*)>\s*(?:;[^,]*)?;\s*rel="?next"?/i;

interface PageGot {
  readonly query: URLSearchParams;
  readonly link: string | null;
  /** Start times of the events of the page, newest first. */
  readonly startTimes: readonly number[];
}

/** The query of the page after this one: what the Link header says, else what lies before its last event; undefined: it was the last. */
export function nextQuery({ query, link, startTimes }: PageGot): URLSearchParams | undefined {
  const target = NEXT_LINK.exec(link ?? '')?.[1];
  // Only the query counts: a backend does not know below which prefix it is seen.
  if (target !== undefined) return new URLSearchParams(target.split('?')[1] ?? '');
  const last = startTimes.at(-1);
  // In another order the last event does not say what is still to come.
  if (last === undefined || startTimes.length < Number(query.get('limit')) || query.has('sort')) return undefined;
  const next = new URLSearchParams(query);
  next.set('before', String(last));
  return next;
}
