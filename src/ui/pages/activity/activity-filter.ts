/** What the activity is narrowed to, and the queries that ask for it (SPEC 14). */
export const GROUPS = ['all', 'viewings', 'logins', 'failed', 'changes'] as const;
export type Group = (typeof GROUPS)[number];
export const RANGES = ['today', 'night', 'yesterday', 'days7', 'days30', 'days90'] as const;
export type Range = (typeof RANGES)[number];

export interface ActivityFilter {
  readonly user: string;
  readonly camera: string;
  readonly site: string;
  readonly group: Group;
  readonly range: Range;
}

export const FIRST_FILTER: ActivityFilter = { user: '', camera: '', site: '', group: 'all', range: 'days7' };

/** Groups with viewings: minutes are shown for them. */
export const hasMinutes = ({ group }: ActivityFilter): boolean => group === 'all' || group === 'viewings';

const KINDS: Readonly<Record<Group, string>> = {
  all: '',
  viewings: 'live,history,export',
  logins: 'login,login-failed,logout',
  failed: 'login-failed',
  changes: 'change,refusal,link',
};

/** `by`: the camera that was watched, or the person who did. */
export const viewingsOf = (by: { readonly camera: string } | { readonly user: string }, filter: ActivityFilter) =>
  ({ ...filter, user: '', camera: '', ...by, group: 'viewings' }) as const;

/** Unix seconds; `first` is the midnight before, from which whole days are counted. */
interface Span {
  readonly after: number;
  readonly before: number | undefined;
  readonly first: Date;
  readonly days: number;
}

const HOUR = 3600;
const NIGHT_BEGINS = 22 * HOUR;
const NIGHT_ENDS = 6 * HOUR;
/** The days that a stretch touches. */
const DAYS: Readonly<Record<Range, number>> = { today: 1, night: 2, yesterday: 1, days7: 7, days30: 30, days90: 90 };

/** The stretch that is meant, by the clock of the viewer. The last night ends at six, or now. */
export function spanOf(range: Range, now: Date): Span {
  const midnight = (daysAgo: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const seconds = (date: Date): number => date.getTime() / 1000;
  const isBefore = range === 'night' || range === 'yesterday';
  const days = DAYS[range];
  const first = midnight(isBefore ? 1 : days - 1);
  const [begins, ends] = range === 'night' ? [NIGHT_BEGINS, NIGHT_ENDS] : [0, 0];
  return { after: seconds(first) + begins, before: isBefore ? seconds(midnight(0)) + ends : undefined, first, days };
}

export function queryOf(
  { user, site, camera, group }: Omit<ActivityFilter, 'range'>,
  { after, before }: Pick<Span, 'after' | 'before'>,
): string {
  const query = new URLSearchParams({ after: String(after) });
  for (const [name, value] of Object.entries({ before, user, site, camera, kind: KINDS[group] }))
    if (value !== undefined && value !== '') query.set(name, String(value));
  return query.toString();
}
