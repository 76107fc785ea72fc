/** CSRF: whether a browser page of another site made this request (SPEC 5); for the internal listener reads count too. */
import type { Caller } from '../../domain/caller.ts';
import { isAutomatic } from '../../domain/credentials.ts';
import { type RequestFacts, singleHeader } from '../../domain/request.ts';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
const OWN_PAGE: readonly string[] = ['same-origin', 'none'];

/** `presentsCredentials`: the route takes a password, so a forged request needs no cookie to do harm. */
export interface CsrfFacts {
  readonly caller: Caller | undefined;
  readonly presentsCredentials: boolean;
  /** The Host that the browser used, as far as the peer may say so. */
  readonly host: string;
  /** Whether the browser came over TLS, as far as that is known. */
  readonly encrypted: boolean;
  /** The origin of `server.public_url`; absent for none. */
  readonly publicOrigin?: string | undefined;
}

/** What of this service a browser's page is compared with. */
type OwnPlace = Pick<CsrfFacts, 'host' | 'encrypted' | 'publicOrigin'>;

/** True when a page of another site could have made the request with credentials that a browser adds by itself. */
export function isCrossSiteForgery(request: RequestFacts, question: CsrfFacts): boolean {
  if (request.listener === 'internal' && isForeignRead(request, question)) return true;
  const needsOwnPage = question.presentsCredentials || (question.caller !== undefined && isAutomatic(question.caller));
  if (request.isUpgrade) return needsOwnPage && !isOwnOrigin(request, question);
  if (!needsOwnPage || SAFE_METHODS.includes(request.method)) return false;
  // A page of another origin may add this header only after a preflight, and Postern allows none.
  if (request.headers['x-csrf-token'] !== undefined) return false;
  return !isFromOwnPage(request, question);
}

/** Whether a page of this origin sent it, as far as the browser says; programs say nothing of it. */
export function isFromOwnPage(request: RequestFacts, own: OwnPlace): boolean {
  const from = request.headers['sec-fetch-site'];
  return (from === undefined || (typeof from === 'string' && OWN_PAGE.includes(from))) && isOwnOrigin(request, own);
}

/**
 * The internal listener asks for no credentials, so there a page of another site must not read either: what the browser
 * calls cross-site passes only as a navigation, and no preflight of another origin is answered.
 */
function isForeignRead(request: RequestFacts, question: CsrfFacts): boolean {
  if (request.method === 'OPTIONS' && !isOwnOrigin(request, question)) return true;
  const isCrossSite = singleHeader(request, 'sec-fetch-site') === 'cross-site';
  const isNavigation = request.method === 'GET' && singleHeader(request, 'sec-fetch-mode') === 'navigate';
  return isCrossSite && !isNavigation;
}

const NO_ORIGIN = 'null';

/** Whether only `Sec-Fetch-Site`, which browsers send over HTTPS, could tell whose page it was. */
export const isOriginHidden = ({ headers }: RequestFacts): boolean =>
  headers['origin'] === NO_ORIGIN && headers['sec-fetch-site'] === undefined;

/** No Origin: no browser page, or a plain navigation. */
function isOwnOrigin(request: RequestFacts, { host, encrypted, publicOrigin }: OwnPlace): boolean {
  const origin = request.headers['origin'];
  if (origin === undefined) return true;
  // A page without an origin; or a form of ours, by a proxy's `Referrer-Policy: no-referrer`. No page can write the other header.
  if (origin === NO_ORIGIN)
    return !SAFE_METHODS.includes(request.method) && singleHeader(request, 'sec-fetch-site') === 'same-origin';
  // The internal listener asks for no login, and has pages of its own.
  if (origin === publicOrigin && request.listener === 'external') return true;
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  // A proxy that ends TLS without being trusted makes https look like http; never the other way round.
  if (encrypted && url.protocol === 'http:') return false;
  return url.host === withoutDefaultPort(host.toLowerCase(), url.protocol);
}

const withoutDefaultPort = (host: string, protocol: string): string =>
  host.replace(protocol === 'https:' ? /:443$/ : /:80$/, '');
