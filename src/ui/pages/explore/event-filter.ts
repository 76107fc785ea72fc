/** What the list is narrowed to: kept in the address bar, asked for in a query. */
export interface EventFilter {
  readonly cameras: readonly string[];
  readonly labels: readonly string[];
  /** Unix seconds. */
  readonly after: number | undefined;
  readonly before: number | undefined;
}

export const NO_FILTER: EventFilter = { cameras: [], labels: [], after: undefined, before: undefined };

export const isFiltered = ({ cameras, labels, after, before }: EventFilter): boolean =>
  cameras.length > 0 || labels.length > 0 || after !== undefined || before !== undefined;

/** Unreadable times are left out: a mistyped address shows more, never an error. */
export const readFilter = (search: URLSearchParams): EventFilter => ({
  cameras: search.getAll('camera').filter(Boolean),
  labels: search.getAll('label').filter(Boolean),
  after: readTime(search.get('after')),
  before: readTime(search.get('before')),
});

/** The address bar's half: one entry per name, for a name may hold a comma. */
export function filterSearch({ cameras, labels, after, before }: EventFilter): URLSearchParams {
  const search = new URLSearchParams();
  for (const camera of cameras) search.append('camera', camera);
  for (const label of labels) search.append('label', label);
  if (after !== undefined) search.set('after', String(after));
  if (before !== undefined) search.set('before', String(before));
  return search;
}

/** The API's half (interface 4.1): names joined by commas. */
export function eventsQuery(filter: EventFilter, limit: number, thumbnails: 'with' | 'without'): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.cameras.length > 0) query.set('cameras', filter.cameras.join(','));
  if (filter.labels.length > 0) query.set('labels', filter.labels.join(','));
  if (filter.after !== undefined) query.set('after', String(filter.after));
  if (filter.before !== undefined) query.set('before', String(filter.before));
  query.set('limit', String(limit));
  if (thumbnails === 'without') query.set('include_thumbnails', '0');
  return query;
}

function readTime(text: string | null): number | undefined {
  const time = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(time) ? time : undefined;
}
