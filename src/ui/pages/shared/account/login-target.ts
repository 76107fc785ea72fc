/** Where a page goes when its session is over: where the answer says, else the login page, and back afterwards. */

export interface EndedSession {
  /** The `Location` of a 401, 302 or 307 answer (interface 5.5.8). */
  readonly location: string | null;
  /** The page that will be wanted again. */
  readonly here: string;
  /** Ends in `/`. */
  readonly base: string;
  /** The console's own login page, relative to the base; where `login` is the NVR's, another one. */
  readonly loginPath: string;
}

/** Schemes such as `javascript:` are never followed. */
export function loginTarget({ location, here, base, loginPath }: EndedSession): string {
  const own = new URL(loginPath, base);
  const named = location !== null && URL.canParse(location, base) ? new URL(location, base) : own;
  if (named.origin === own.origin && named.pathname === new URL('login', base).pathname) named.pathname = own.pathname;
  const target = named.protocol === 'https:' || named.protocol === 'http:' ? named : own;
  if (target.origin !== own.origin || target.pathname !== own.pathname) return target.href;
  if (!target.searchParams.has('next')) target.searchParams.set('next', pathOf(here));
  return target.href;
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};
