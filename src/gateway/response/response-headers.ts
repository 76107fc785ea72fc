/** The headers of an upstream's response that may reach the client: framing is Postern's, identity and hop-by-hop headers are dropped. */

import { isPublic } from '../../access/route-table.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { decidedByName } from '../../domain/bounded.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { isAutomatic, normalizedHeaderName, type RequestFacts, singleHeader } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';
import { type PublicPlace, valueAt } from './public-place.ts';

/** The hop-by-hop headers by lower-case name. `Trailer` because trailers are announced by their presence alone. */
// biome-ignore format: a table
export const HOP_BY_HOP_HEADERS: readonly string[] = [
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'upgrade',
  'http2-settings',
];

const NONE: ReadonlySet<string> = new Set();
/** Frequent values, which name no header that would be passed on. */
const NAMING_NONE: ReadonlySet<string> = new Set(['keep-alive', 'close', 'Upgrade', 'upgrade']);

/** The headers that `Connection` names, in lower case: they are hop-by-hop as well. `lines` are its values. */
export function namedByConnection(lines: readonly string[]): ReadonlySet<string> {
  if (lines.length === 0 || (lines.length === 1 && NAMING_NONE.has(lines[0] ?? ''))) return NONE;
  return new Set(lines.flatMap((line) => line.split(',').map((name) => name.trim().toLowerCase())));
}

/**
 * What speaks for the whole origin, the host or the browser's profile, and not for this response: an NVR that was taken over would
 * speak for Postern's pages too. Workers of the root, cleared storage, other servers and ports, reports to another site, where
 * sources are to be fetched, states of login, dictionaries for later responses. `Refresh` leads a page away.
 */
// biome-ignore format: a table
const NEVER_PASSED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_HEADERS, 'transfer-encoding', 'x-proxy-secret', 'x-postern-view-as',
  'strict-transport-security', 'alt-svc', 'alt-used', 'public-key-pins', 'public-key-pins-report-only', 'expect-ct',
  'service-worker-allowed', 'service-worker-navigation-preload', 'clear-site-data', 'refresh', 'sourcemap', 'x-sourcemap',
  'nel', 'report-to', 'reporting-endpoints', 'content-security-policy-report-only', 'origin-trial', 'origin-agent-cluster', 'speculation-rules',
  'accept-ch', 'accept-ch-lifetime', 'critical-ch', 'set-login', 'activate-storage-access', 'use-as-dictionary',
  'sec-session-registration', 'secure-session-registration', 'sec-session-challenge', 'secure-session-challenge',
  'attribution-reporting-register-source', 'attribution-reporting-register-trigger',
  // They tell caches in between more than `Cache-Control` does.
  'surrogate-control', 'surrogate-key', 'cache-tag', 'edge-control', 'cdn-cache-control', 'cloudflare-cdn-cache-control',
]);
const CLAIMS: readonly string[] = ['remote-', 'x-accel-'];

export interface ResponseHeadRules {
  /** The session cookie's name: the NVR may not overwrite ours. */
  readonly cookieName: string;
  /** A response that is the same for every caller: shared caches may keep it. */
  readonly isPublic: boolean;
  /** The response may tell browsers that pages of other origins may read it (CORS). Absent: it may. */
  readonly allowsCors?: boolean | undefined;
  /** Who may show a page of the NVR in a frame, as the Content-Security-Policy spells it; absent: that is left to the NVR. */
  readonly frameAncestors?: string | undefined;
  /** What a response that is not public varies by; absent: as `variesBy` says it without a proxy's headers. */
  readonly varies?: string | undefined;
  /** What Postern adds to the head of the response. */
  readonly own?: OwnWords | undefined;
  /** Where clients see the upstream; absent: as it is. */
  readonly place?: PublicPlace | undefined;
}

export interface OwnWords {
  readonly requestId: string;
  /** A line of `Set-Cookie`, beside those of the response. */
  readonly cookie?: string | undefined;
  /** The response is for a visitor: it is kept nowhere, and its address, which holds the secret, is told to no other site. */
  readonly isForVisitor?: boolean;
  /** The response is what an admin sees as another person: these take the place of the NVR's, and it sets no cookie. */
  readonly viewed?: Readonly<Record<string, string>> | undefined;
  /** The media type of what a visitor is shown, whatever the NVR says it is. */
  readonly mediaType?: (said: string | undefined) => string;
}

/** The headers by lower-case name: one value, or every line of a header that came in several. */
type ResponseLines = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of a response that is judged: Node's own, or what another client received. */
export interface ResponseHead {
  readonly statusCode?: number | undefined;
  readonly headers: ResponseLines;
}

/** Why the head cannot be passed on: not a real status, or two ways to tell where its body ends. Undefined when it can. */
export function responseFault(head: ResponseHead): RefusalReason | undefined {
  const status = head.statusCode ?? 0;
  const isReal = status >= 200 && status <= 599; // a status that is no number is none
  if (!isReal) return 'nvr-status-invalid';
  // It has no body, and a reader that believes the length takes the next response for it (RFC 9110 section 8.6).
  if (status === 204 && Number(headerValues(head, 'content-length')[0] ?? 0) !== 0) return 'nvr-framing-ambiguous';
  const codings = headerValues(head, 'transfer-encoding');
  if (codings.length === 0) return undefined;
  if (codings.length > 1 || hasLength(head)) return 'nvr-framing-ambiguous';
  return codings[0]?.toLowerCase() === 'chunked' ? undefined : 'nvr-bad-answer';
}

export const hasLength = ({ headers }: ResponseHead): boolean => headers['content-length'] !== undefined;

/** Every line of a header; `name` is lower-case. */
export const headerValues = ({ headers }: ResponseHead, name: string): readonly string[] => asLines(headers[name]);

const NO_LINES: readonly string[] = [];

function asLines(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return NO_LINES;
  return typeof value === 'string' ? [value] : value;
}

/** What to pass on: names, in lower case, and values in turn, a line each. */
export function responseHeaders(head: ResponseHead, rules: ResponseHeadRules): string[] {
  const { headers } = head;
  const { own, isPublic, allowsCors = true, frameAncestors, varies = variesBy() } = rules;
  const passed: string[] = own ? ownLines(own) : [];
  const named = namedByConnection(headerValues(head, 'connection'));
  for (const name of Object.keys(headers)) {
    if (endsHere(name, named) || (own && name === 'x-request-id') || name === 'vary') continue;
    if (!isPublic && name === 'cache-control') continue;
    if (!allowsCors && name.startsWith('access-control-')) continue;
    const value = headers[name];
    if (typeof value === 'string') addLine(passed, name, value, rules);
    else for (const line of value ?? NO_LINES) addLine(passed, name, line, rules);
  }
  // A cache that keeps a cookie gives it to the next client.
  const hasCookie = passed.includes('set-cookie');
  const isForAll = (isPublic && !hasCookie) || head.statusCode === 101;
  // One line: some caches read the last one alone.
  const vary = [...asLines(headers['vary']), ...(isForAll ? [] : [varies])].join(', ');
  if (vary !== '') passed.push('vary', vary);
  const [type] = asLines(headers['content-type']);
  if (isStreamed(type)) passed.push(...UNBUFFERED);
  if (own?.isForVisitor) return forVisitor(passed, own, type);
  if (own?.viewed)
    return [
      ...withoutHeaders(passed, [...NOT_VIEWED, ...Object.keys(own.viewed)]),
      ...Object.entries(own.viewed).flat(),
    ];
  if (frameAncestors !== undefined && isPage(type))
    passed.push('content-security-policy', `frame-ancestors ${frameAncestors}`);
  if (hasCookie) return [...withoutHeaders(passed, ['cache-control', 'expires']), ...KEPT_NOWHERE];
  if (isPublic) return passed;
  passed.push('cache-control', privateAtMost(asLines(headers['cache-control'])));
  return passed;
}

/** Live pictures, events, sound and films. */
const isStreamed = (type = ''): boolean =>
  /^(?:video\/|audio\/|multipart\/x-mixed-replace|text\/event-stream)/i.test(type);

/**
 * nginx in front passes such a response on as it comes. By its defaults it holds the end of each frame back, and reads a
 * gigabyte of a download ahead: then it reads nothing for minutes, and the NVR gives it up.
 */
const UNBUFFERED: readonly string[] = ['x-accel-buffering', 'no'];

/** What a browser shows as a document that may have scripts. */
const isPage = (type = ''): boolean => /html|xml|pdf/i.test(type);

const forVisitor = (passed: readonly string[], { mediaType }: OwnWords, said: string | undefined): string[] => [
  ...withoutHeaders(passed, mediaType ? [...NOT_FOR_VISITORS, 'content-type'] : NOT_FOR_VISITORS),
  ...FOR_VISITORS,
  ...(mediaType ? ['content-type', mediaType(said)] : []),
];

const KEPT_NOWHERE: readonly string[] = ['cache-control', 'private, no-store'];

/** A cache in between would show a clip after its grant was revoked. */
const FOR_VISITORS: readonly string[] = [
  ...KEPT_NOWHERE,
  ...['referrer-policy', 'no-referrer'],
  ...['x-robots-tag', 'noindex, nofollow'],
  ...['x-content-type-options', 'nosniff'],
  // Cast devices read media by CORS. The address is the credential: no cookie comes with such a request.
  ...['access-control-allow-origin', '*'],
  // Opened in a tab of its own, what the NVR sent is a page of an origin without anything.
  ...['content-security-policy', "sandbox; frame-ancestors 'none'"],
];
/** Cookies of the NVR are for people who use its pages; its `Location` would tell the path that theirs stands for. */
const NOT_FOR_VISITORS: readonly string[] = [
  ...FOR_VISITORS.filter((_, at) => at % 2 === 0),
  ...['set-cookie', 'location', 'link', 'expires', 'content-security-policy', 'x-frame-options'],
];

const NOT_VIEWED: readonly string[] = ['set-cookie', 'expires', 'etag', 'last-modified'];

const ownLines = ({ requestId, cookie }: OwnWords): string[] =>
  cookie === undefined ? ['x-request-id', requestId] : ['x-request-id', requestId, 'set-cookie', cookie];

function addLine(passed: string[], name: string, value: string, { cookieName, place }: ResponseHeadRules): void {
  if (!isOwnCookie(name, value, cookieName)) passed.push(name, valueAt(name, value, place));
}

/** The same without some of them. */
export const withoutHeaders = (lines: readonly string[], names: readonly string[]): string[] =>
  lines.filter((_, at) => !names.includes(lines[at - (at % 2)] ?? ''));

/** The same by name, for writers that take a record. */
export function byName(lines: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null); // a header may be called `__proto__`
  for (let at = 0; at < lines.length; at += 2) {
    const [name = '', value = ''] = lines.slice(at, at + 2);
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/**
 * Not behind a body (RFC 9110 section 6.5.1): a reader that takes trailers for lines of the head would get what
 * `responseHeaders` holds back, or another meaning, place or age of the body.
 */
// biome-ignore format: a table
const IN_HEAD_ONLY: ReadonlySet<string> = new Set([
  'set-cookie', 'cache-control', 'date', 'age', 'expires', 'vary', 'warning', 'x-request-id', 'host', 'location', 'refresh', 'link', 'retry-after',
  'content-length', 'content-type', 'content-encoding', 'content-range', 'content-location', 'content-disposition', 'content-security-policy',
  'authorization', 'www-authenticate', 'authentication-info', 'referrer-policy', 'clear-site-data', 'x-frame-options', 'x-content-type-options',
]);

const isInHeadOnly = (name: string): boolean => IN_HEAD_ONLY.has(name) || name.startsWith('access-control-');

/** Trailers that may be passed on. */
export function passedTrailers(trailers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const entries = Object.entries(trailers).filter(
    ([name]) => !isOfThisHop(name.toLowerCase()) && !isInHeadOnly(name.toLowerCase()),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

const endsHere = (name: string, named: ReadonlySet<string>): boolean => isOfThisHop(name) || named.has(name);

const isOfThisHop = decidedByName((name) => {
  const normalized = normalizedHeaderName(name);
  return NEVER_PASSED.has(normalized) || CLAIMS.some((family) => normalized.startsWith(family));
});

/** The beginning of the names of Postern's cookies beside the session: languages, PINs of visitors, steps of a login. */
export const OWN_COOKIES = 'postern_';

/** A browser sends a nameless cookie (`=session=x`) back as `session=x`, which reads as ours. */
function isOwnCookie(name: string, value: string, cookieName: string): boolean {
  if (name !== 'set-cookie') return false;
  const [pair = ''] = value.split(';', 1);
  const cut = pair.indexOf('=');
  const cookie = cut < 0 ? '' : pair.slice(0, cut).trim();
  return cookie === '' || cookie === cookieName || cookie.startsWith(OWN_COOKIES);
}

/** A shared cache must not serve one role's response to another (SPEC 6). */
function privateAtMost(cacheControl: readonly string[]): string {
  if (cacheControl.length === 0) return 'private';
  const kept = cacheControl
    .flatMap((line) => line.split(','))
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(public|s-maxage=.*|private)$/i.test(directive));
  return kept.some((directive) => directive.toLowerCase() === 'no-store')
    ? kept.join(', ')
    : ['private', ...kept].join(', ');
}

/**
 * The value of `Vary` on what is not the same for every caller, refusals included: a cache gives it to no other caller.
 * `identityHeaders` are those in which a proxy says who calls. They alone do not help: that proxy may be the cache.
 */
export const variesBy = (identityHeaders: readonly string[] = []): string =>
  [...new Set(['cookie', 'authorization', ...identityHeaders])].map(asWritten).join(', ');

/** What responses vary by: in proxy mode the mapped headers as well. */
export function varyHeader({ auth, proxy }: Settings): string {
  const { header_map: map, jwt } = proxy;
  const mapped = auth.enabled ? [] : [map.user, map.role, ...(jwt?.headers ?? [])];
  return variesBy(mapped.filter((name) => name !== undefined));
}

const asWritten = (name: string): string => name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** Values of `Sec-Fetch-Dest` of what caches keep for all callers. */
// biome-ignore format: a table
const PARTS_OF_PAGES: ReadonlySet<string> = new Set([
  'image', 'audio', 'video', 'track', 'style', 'script', 'font', 'manifest', 'object', 'embed', 'worker', 'sharedworker', 'serviceworker', 'json', 'xslt',
]);
/** `latest.jpg`; not the id `1727.5-abc`. */
const FILE = /\.[A-Za-z]\w{0,4}$/;

/** Whether the response may carry a renewed session: not one that a cache may hand to strangers together with the cookie. */
export function mayCarrySession(request: RequestFacts, { route, target }: Pick<Admitted, 'route' | 'target'>): boolean {
  if (isAutomatic(request) || isPublic(route)) return false;
  if (PARTS_OF_PAGES.has(singleHeader(request, 'sec-fetch-dest') ?? '') || FILE.test(target.path)) return false;
  const views = route.kind === 'listed' ? route.row.views : undefined;
  return views === undefined || views === 'signalling';
}
