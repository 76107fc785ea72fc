/** What the activity is narrowed to, and the queries that ask for it (SPEC 14). */
import { midnight } from './read-activity.ts';

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

export const whoWatched = (camera: string, filter: ActivityFilter): ActivityFilter => ({
  ...filter,
  camera,
  user: '',
  group: 'viewings',
});

export const whatSaw = (user: string, filter: ActivityFilter): ActivityFilter => ({
  ...filter,
  user,
  camera: '',
  group: 'viewings',
});

/** Unix seconds; `first` is the midnight before, from which whole days are counted. */
export interface Span {
  readonly after: number;
  readonly before: number | undefined;
  readonly first: number;
  readonly days: number;
}

const HOUR = 3600;
const NIGHT_BEGINS = 22 * HOUR;
const NIGHT_ENDS = 6 * HOUR;
const DAYS: Readonly<Partial<Record<Range, number>>> = { days7: 7, days30: 30, days90: 90 };

/** The stretch that is meant, by the clock of the viewer. The last night ends at six, or now. */
export function spanOf(range: Range, now: Date): Span {
  const [today, yesterday] = [midnight(0, now), midnight(1, now)];
  switch (range) {
    case 'today':
      return { after: today, before: undefined, first: today, days: 1 };
    case 'yesterday':
      return { after: yesterday, before: today, first: yesterday, days: 1 };
    case 'night':
      return { after: yesterday + NIGHT_BEGINS, before: today + NIGHT_ENDS, first: yesterday, days: 2 };
    default: {
      const days = DAYS[range] ?? 7;
      const first = midnight(days - 1, now);
      return { after: first, before: undefined, first, days };
    }
  }
}

export function queryOf(
  { user, camera, site, group }: Pick<ActivityFilter, 'user' | 'camera' | 'site' | 'group'>,
  { after, before }: Pick<Span, 'after' | 'before'>,
): string {
  const query = new URLSearchParams({ after: String(after) });
  if (before !== undefined) query.set('before', String(before));
  if (user !== '') query.set('user', user);
  if (site !== '') query.set('site', site);
  if (camera !== '') query.set('camera', camera);
  if (KINDS[group] !== '') query.set('kind', KINDS[group]);
  return query.toString();
}
