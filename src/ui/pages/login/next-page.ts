/** Where to go after a login: the page that was wanted, if it is one of ours, else the start page. */

/** A path from the root; `//host` and `/\host` are another site in disguise. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

/** Pages that would end the new session, or ask for a login again. */
const NOT_WANTED = /^(?:(?:api|postern)\/)?(?:login|logout)\/?$/;

export interface Whereabouts {
  /** The login page's own URL. */
  readonly page: string;
  /** The page that the browser came from; empty when it does not say. */
  readonly referrer: string;
  /** Ends in `/`. */
  readonly basePath: string;
  /** The path below the base where nothing was wanted: '' for the NVR's own pages, `postern/` for the console. */
  readonly home: string;
}

export function nextPage({ page, referrer, basePath, home }: Whereabouts): string {
  const { origin, searchParams } = new URL(page);
  const wanted = searchParams.get('next') ?? '';
  const candidates = [OWN_PATH.test(wanted) ? wanted : '', pathOfOwn(referrer, origin)];
  const found = candidates.find((path) => path !== '' && isWanted(new URL(path, origin), origin, basePath));
  return found ?? `${basePath}${home}`;
}

function isWanted(target: URL, origin: string, basePath: string): boolean {
  if (target.origin !== origin || !target.pathname.startsWith(basePath)) return false;
  return !NOT_WANTED.test(target.pathname.slice(basePath.length));
}

function pathOfOwn(referrer: string, origin: string): string {
  if (!URL.canParse(referrer)) return '';
  const url = new URL(referrer);
  return url.origin === origin ? `${url.pathname}${url.search}` : '';
}
