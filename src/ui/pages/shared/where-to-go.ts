/** Where a login leads, and where a page goes when its session is over: never to another host. */
import { START_PATH } from '../../../domain/page-paths.ts';

type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** A path from the root; `//host` and `/\host` are another host in disguise. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** Pages that would end the new session, or ask for a login again. */
const NOT_WANTED = /^(?:(?:api|postern)\/)?(?:login|logout)\/?$/;

/**
 * Where a login leads. `page`: the login page's own URL. `referrer`: the page that the browser came from; empty when it does not
 * say. `basePath` ends in `/`. Where no page was wanted, or the root alone, it is the person's start page.
 */
export function nextPage({ page, referrer, basePath }: Texts<'page' | 'referrer' | 'basePath'>): string {
  const { origin, searchParams } = new URL(page);
  const wanted = searchParams.get('next') ?? '';
  const candidates = [OWN_PATH.test(wanted) ? wanted : '', pathOfOwn(referrer, origin)];
  const found = candidates.find((path) => path !== '' && isWanted(new URL(path, origin), origin, basePath));
  return found ?? `${basePath.slice(0, -1)}${START_PATH}`;
}

function isWanted(target: URL, origin: string, basePath: string): boolean {
  if (target.origin !== origin || !target.pathname.startsWith(basePath)) return false;
  if (target.pathname === basePath && target.search === '' && target.hash === '') return false;
  return !NOT_WANTED.test(target.pathname.slice(basePath.length));
}

function pathOfOwn(referrer: string, origin: string): string {
  if (!URL.canParse(referrer)) return '';
  const url = new URL(referrer);
  return url.origin === origin ? `${url.pathname}${url.search}` : '';
}

type EndedSession = Texts<'here' | 'base' | 'loginPath'> & { readonly location: string | null };

/**
 * Where a page goes when its session is over. `location`: that of a 401, 302 or 307 answer (interface 5.5.8). `here`: the page that
 * will be wanted again. `base` ends in `/`. `loginPath`: the console's own login page, relative to it; where `login` is the NVR's,
 * another one. Schemes such as `javascript:` are never followed.
 */
export function loginTarget({ location, here, base, loginPath }: EndedSession): string {
  const own = new URL(loginPath, base);
  const named = location !== null && URL.canParse(location, base) ? new URL(location, base) : own;
  if (named.origin === own.origin && named.pathname === new URL('login', base).pathname) named.pathname = own.pathname;
  const target = named.protocol === 'https:' || named.protocol === 'http:' ? named : own;
  if (target.origin !== own.origin || target.pathname !== own.pathname) return target.href;
  if (!target.searchParams.has('next')) target.searchParams.set('next', pathOfOwn(here, own.origin));
  return target.href;
}
