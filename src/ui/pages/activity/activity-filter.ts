/** What the activity is narrowed to, and the queries that ask for it (SPEC 14). */

export const GROUPS = ['all', 'viewings', 'logins', 'changes'] as const;
export type Group = (typeof GROUPS)[number];
export const RANGES = [1, 7, 30, 90] as const;

export interface ActivityFilter {
  readonly user: string;
  readonly camera: string;
  readonly group: Group;
  /** Whole days, with today. */
  readonly days: number;
}

export const FIRST_FILTER: ActivityFilter = { user: '', camera: '', group: 'all', days: 7 };

const KINDS: Readonly<Record<Group, string>> = {
  all: '',
  viewings: 'live,history,export',
  logins: 'login,login-failed,logout',
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

/** `after`: Unix seconds. */
export function queryOf({ user, camera, group }: ActivityFilter, after: number): string {
  const query = new URLSearchParams({ after: String(after) });
  if (user !== '') query.set('user', user);
  if (camera !== '') query.set('camera', camera);
  if (KINDS[group] !== '') query.set('kind', KINDS[group]);
  return query.toString();
}
