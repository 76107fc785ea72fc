/** Responses of Postern's own: the one place where the reason of a refusal becomes a status, headers and a body (SPEC 5, interface 7). */

import { compressText } from '../../compress/compress.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { Caller } from '../../domain/caller.ts';
import { isAutomatic, traitsFor } from '../../domain/credentials.ts';
import { LOGIN_PATH, START_PATH } from '../../domain/page-paths.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason, type Reopening, refusalBody } from '../../domain/refusal.ts';
import { type RequestFacts, singleHeader } from '../../domain/request.ts';
import { ownCredentialIn } from '../../domain/sent-credentials.ts';
import { findStoreFault } from '../../domain/store/store-fault.ts';
import { assetPath, type BuiltPages } from '../../ui/built-pages.ts';
import { pageHeaders, wishedLanguages } from '../../ui/page.ts';
import { type RefusalPage, renderRefusalPage } from '../../ui/refusal-page.ts';
import { AUTH_TARGET } from '../decision/request-facts.ts';
import { variesBy, varyHeader } from './response-headers.ts';

export interface OwnResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type CompressedResponse = Omit<OwnResponse, 'body'> & { readonly body: Buffer };

/** What the page of a refusal is made from. */
export type RefusalPageFacts = Omit<RefusalPage, 'name' | 'startPage' | 'logoutPath' | 'stylesheet'> & {
  /** The prefix for links and assets; empty for none. */
  readonly basePath: string;
};

export interface RefusalRules {
  /** Where people log in; undefined in proxy mode, where Postern has no login of its own. */
  readonly loginPath: string | undefined;
  readonly renderPage: (page: RefusalPageFacts) => Omit<OwnResponse, 'status'>;
  /** What responses vary by; absent: as `variesBy` says it without a proxy's headers. */
  readonly varies?: string;
}

/** `built`: the pages. */
export function refusalRules(settings: Settings, built: BuiltPages | undefined): RefusalRules {
  const { auth, ui } = settings;
  const headers = {
    ...pageHeaders({ frameAncestors: ui.frame_ancestors }),
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  return {
    loginPath: auth.enabled ? LOGIN_PATH : undefined,
    varies: varyHeader(settings),
    renderPage: ({ basePath, ...page }) => ({
      headers,
      body: renderRefusalPage({
        ...page,
        name: ui.name,
        startPage: `${basePath}${START_PATH}`,
        logoutPath: `${basePath}/logout`,
        stylesheet: assetPath(built, basePath, 'login', 'css'),
      }),
    }),
  };
}

/** The console asks for what must be done before anything else. */
const FIRST_STEP = '/postern/';

/** The response to a refused request: a page or a redirect for a browser's navigation, JSON for everything else. */
export const errorResponse = (...asked: Parameters<typeof toRefusal>): OwnResponse =>
  varying(toRefusal(...asked), asked[3]);

function varying(response: OwnResponse, { varies = variesBy() }: RefusalRules): OwnResponse {
  return { ...response, headers: { ...response.headers, vary: varies } };
}

function toRefusal(
  reason: RefusalReason,
  request: RequestFacts,
  requestId: string,
  rules: RefusalRules,
  facts: ErrorFacts = {},
): OwnResponse {
  const { opens, cameras } = facts;
  const status = statusFor(request, REFUSALS[reason].status);
  const { basePath = '' } = request;
  const loginPath = rules.loginPath && `${basePath}${rules.loginPath}`;
  if (!isNavigation(request)) {
    if (status !== 401) return inJson(status, refusalBody(reason, facts), opens);
    const misplacedIn = headerOfToken(request);
    const answer = inJson(status, refusalBody(reason, { ...facts, ...(misplacedIn && { misplacedIn }) }));
    const more = { ...(loginPath && { location: loginPath }), ...(isChallenged(request) && CHALLENGE) };
    return { ...answer, headers: { ...answer.headers, ...more } };
  }
  if (reason === 'second-factor-required') return redirectVia(FIRST_STEP, request);
  if (status === 401 && rules.loginPath) return redirectVia(rules.loginPath, request);
  const page = rules.renderPage({
    reason,
    status,
    requestId,
    basePath,
    wishes: wishedLanguages(singleHeader(request, 'accept-language'), singleHeader(request, 'cookie')),
    cameras,
    person: toPerson(facts.caller),
    ...(opens && { opens }),
  });
  return { status, body: page.body, headers: { ...page.headers, ...retryAfter(status, opens) } };
}

/** What is known of one refusal beside its reason. */
export interface ErrorFacts extends RefusalFacts {
  readonly caller?: Caller | undefined;
}

/** A logout leads to another login, but for the user of a proxy, which logs in again by itself. */
function toPerson(caller: Caller | undefined): RefusalPage['person'] {
  if (!caller) return undefined;
  const { name, role, credential } = caller;
  const mayChange = credential.kind === 'session' && credential.carriedBy === 'cookie';
  return traitsFor(credential).isPerson && isAutomatic(caller) ? { name, role, mayChange } : undefined;
}

/** The reason that is told for a fault. */
export const reasonOfFault = (fault: unknown): RefusalReason =>
  findStoreFault(fault) ? 'store-unavailable' : 'internal-error';

const RETRY_SECONDS: Readonly<Record<number, string>> = { 429: '60', 503: '5' };

function retryAfter(status: number, opens?: Reopening): Readonly<Record<string, string>> {
  const seconds = opens ? String(opens.inSeconds) : RETRY_SECONDS[status];
  return seconds === undefined ? {} : { 'retry-after': seconds };
}

/** A JSON response that Postern makes in the place of the NVR's. */
export const jsonResponse = (body: string, { varies = variesBy() }: Pick<RefusalRules, 'varies'>): OwnResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'private', vary: varies },
  body,
});

/** Sends JSON compressed, for a row that is marked so. */
export async function compressedJson(
  body: string,
  { headers }: RequestFacts,
  rules: Pick<RefusalRules, 'varies'>,
): Promise<OwnResponse | CompressedResponse> {
  const accepted = headers['accept-encoding'];
  const compressed = await compressText(body, typeof accepted === 'string' ? accepted : undefined);
  const plain = jsonResponse(body, rules);
  const varying = { ...plain.headers, vary: `${plain.headers['vary']}, Accept-Encoding` };
  if (!compressed) return { ...plain, headers: varying };
  return { ...plain, body: compressed.body, headers: { ...varying, 'content-encoding': compressed.encoding } };
}

/** The NVR's front end waits for ever on a profile that is neither 200 nor 401. */
const statusFor = (request: RequestFacts, status: number): number =>
  status === 403 && targetPath(request) === '/api/profile' ? 401 : status;

const inJson = (status: number, body: object, opens?: Reopening): OwnResponse => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...retryAfter(status, opens),
  },
  body: JSON.stringify(body),
});

/** wget, ffmpeg, Python's urllib and others send the credentials that they were given only when they are asked (RFC 9110 11.6.1). */
const CHALLENGE = { 'www-authenticate': 'Basic realm="Postern"' };

/** Browsers, and the media players of phones: they would ask their user in a window of their own. */
const BROWSER = /^(?:Mozilla|Opera|AppleCoreMedia|stagefright)\//;
const LOGIN = '/api/login';
const OF_BROWSERS: readonly string[] = ['cookie', 'origin', 'referer', 'x-csrf-token'];

/** Programs alone. By plain HTTP to a host of the LAN a browser sends no `Sec-Fetch-*` (SPEC 5). */
function isChallenged(request: RequestFacts): boolean {
  const { headers, method } = request;
  const path = targetPath(request);
  if (AUTH_TARGET.test(path) || (method === 'POST' && path === LOGIN)) return false;
  const agent = singleHeader(request, 'user-agent');
  if (agent === undefined || BROWSER.test(agent)) return false;
  if (OF_BROWSERS.some((name) => headers[name] !== undefined)) return false;
  if (Object.keys(headers).some((name) => name.startsWith('sec-fetch-'))) return false;
  return !/text\/html|image\//i.test(String(headers['accept']));
}

/** The header that an API token came in, where that header is not read. Of `Authorization`: behind no scheme that is read. */
function headerOfToken({ rawHeaders }: RequestFacts): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const isRead = name.toLowerCase() === 'authorization' && ownCredentialIn(value) !== undefined;
    if (MISPLACED.test(value) && !isRead) return name;
  }
  return undefined;
}

/** Alone, or behind a scheme of one word. */
const MISPLACED = /^(?:[\w-]+\s+)?pst_/i;

/** A redirect to a page of Postern, with the address of the page that was asked for, to which that page leads on. */
function redirectVia(path: string, { method, basePath = '', target }: RequestFacts): OwnResponse {
  const next = encodeURIComponent(`${basePath}${method === 'POST' ? '/' : target}`);
  const location = `${basePath}${path}?next=${next}`;
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' };
}

/** Where a person who opens a page with the password of the first start gives a new one; undefined for programs, which go on (SPEC 12). */
export function toNewPassword(caller: Caller, request: RequestFacts, rules: RefusalRules): OwnResponse | undefined {
  if (!caller.hasGeneratedPassword || !isAutomatic(caller) || !isNavigation(request)) return undefined;
  return varying(redirectVia(FIRST_STEP, request), rules);
}

const targetPath = ({ target }: RequestFacts): string => target.split('?', 1)[0] ?? '';

/** What a browser sends for a form of a page. */
const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

/** A browser that opens a page, or sends a form of one, as opposed to a script or a client that expects JSON. */
function isNavigation(request: RequestFacts): boolean {
  const isForm = request.method === 'POST' && FORM.test(singleHeader(request, 'content-type') ?? '');
  if (request.isUpgrade || !(isForm || request.method === 'GET' || request.method === 'HEAD')) return false;
  const path = targetPath(request);
  // A proxy passes its client's headers on when it asks there, and takes a redirect for a fault: it gets no page.
  if (AUTH_TARGET.test(path)) return false;
  if (singleHeader(request, 'sec-fetch-mode') === 'navigate') return true;
  const accept = singleHeader(request, 'accept') ?? '';
  return accept.includes('text/html') && (isForm || (path !== '/api' && !path.startsWith('/api/')));
}

/** Undefined: the caller sees it as itself. */
export function viewedHeaders(caller: Caller | undefined): Readonly<Record<string, string>> | undefined {
  if (caller?.credential.kind !== 'view-as') return undefined;
  return {
    'cache-control': 'private, no-store',
    vary: `${variesBy()}, X-Postern-View-As`,
    // The page shows nothing without it: something in between may have dropped the header of the request.
    'x-postern-view-as': encodeURIComponent(caller.name),
  };
}

/** A response of Postern's own. */
export function viewedResponse<Response extends OwnResponse | CompressedResponse>(
  response: Response,
  caller: Caller | undefined,
): Response {
  const viewed = viewedHeaders(caller);
  return viewed ? { ...response, headers: { ...response.headers, ...viewed } } : response;
}
