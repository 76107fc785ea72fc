/**
 * What is sent on for an admitted request: exactly what was judged, in the names and below the path that the next hop knows. Its
 * headers are the client's, stripped of what an upstream must not get, plus identity and forwarding headers of Postern (SPEC 6).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isPublic } from '../../access/route-table.ts';
import { targetAt } from '../../domain/addresses.ts';
import { decidedByName, decidedByObject } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { actualSender, isVisitor } from '../../domain/credentials.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { headerLines, normalizedHeaderName, type RequestFacts } from '../../domain/request.ts';
import { isBearer, ownCredentialIn } from '../../domain/sent-credentials.ts';
import type { RequestWatch } from '../../telemetry/watch-gate.ts';
import type { Admitted } from '../decision/admit.ts';
import type { Destination } from '../decision/destinations.ts';
import { askingForWhole, type NarrowingPlan, type ResponseReader } from '../narrow/response-filter.ts';
import { makePlace } from '../response/public-place.ts';
import {
  HOP_BY_HOP_HEADERS,
  namedByConnection,
  OWN_COOKIES,
  type ResponseHeadRules,
} from '../response/response-headers.ts';

/** `type` is the Content-Type of the response, `location` its Location, as the upstream wrote it. */
export type HeadListener = (status: number, type?: string, location?: string) => void;

export function tellHead(
  { watch, onHead }: Pick<JudgedRequest, 'watch' | 'onHead'>,
  ...head: Parameters<HeadListener>
): void {
  const [status, type] = head;
  watch?.onHead(status, type);
  onHead?.(...head);
}

/** A request as it was judged: exactly this is sent. */
export interface JudgedRequest extends Pick<ResponseHeadRules, 'isPublic' | 'allowsCors' | 'own' | 'place'> {
  readonly watch?: Omit<
    RequestWatch,
    'onDecision' | 'onRefusal' | 'onFailure' | 'onFault' | 'onUnknownRoute' | 'onEnd'
  >;
  /** Called with the head, beside the watch. */
  readonly onHead?: HeadListener | undefined;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Sent in the place of the request's own body, which has been read. */
  readonly body?: Buffer;
  /** How the response is narrowed. */
  readonly narrowing?: NarrowingPlan;
  /** Who reads the text of the upstream's refusals and failures; asked when there is one. Absent: it is passed on as it is. */
  readonly errorReader?: (() => ResponseReader) | undefined;
  /** Called when an upgrade is open, with a function that ends it with a close code. */
  readonly onOpen?: (end: (code: number) => void) => void;
  /** Called at most once, and only while nothing of a response has been sent. */
  readonly onFailure: (reason: RefusalReason) => void;
}

export function judgedRequest(
  destination: Destination,
  { facts, admission, requestId }: { facts: RequestFacts; admission: Admitted; requestId: string },
  rules: HeaderRules,
  settled: Pick<JudgedRequest, 'body' | 'narrowing'> & { readonly contentType?: string } = {},
): Omit<JudgedRequest, 'onFailure'> {
  const { query } = admission.target;
  const { upstream } = destination;
  const path = targetAt(upstream, admission.target.path);
  // A server without a prefix is seen as it is.
  const place =
    upstream.below === undefined
      ? undefined
      : makePlace(upstream, { path, hosts: headerLines(facts, 'host'), client: admission.client });
  const isOurs = destination.kind === 'events-backend';
  // The events backend is our own: it knows the interface's names (5.5.4) and needs no secret and no signature.
  const spoken = isOurs ? { ...rules, nvrSecret: undefined } : rules;
  const headers = rewriteHeaders(facts, { caller: admission.caller, client: admission.client, requestId }, spoken);
  if (isOurs) nameCameras(headers, admission);
  // The server's own addresses are written below the prefix when its response comes: it must not do the same.
  if (place) delete headers['x-ingress-path'];
  const isOfVisitor = admission.caller !== undefined && isVisitor(admission.caller);
  if (isOfVisitor) for (const name of OF_THE_BROWSER) delete headers[name];
  const judged = {
    target: query === '' ? path : `${path}?${query}`,
    headers,
    allowsCors: facts.listener === 'external' && !isOfVisitor,
    isPublic: isPublic(admission.route),
    ...(place && { place }),
  };
  const { body, narrowing, contentType } = settled;
  if (!body && !narrowing) return judged;
  // A body that was read is sent with its length, however it came; a response that is narrowed is asked for whole.
  const sent = {
    ...(narrowing ? askingForWhole(headers) : headers),
    ...(body && { 'content-length': String(body.length), 'transfer-encoding': undefined }),
    ...(contentType !== undefined && { 'content-type': contentType }),
  };
  return { ...judged, headers: sent, ...(body && { body }), ...(narrowing && { narrowing }) };
}

/** A visitor needs none of them, and they may be about other pages of this service. */
const OF_THE_BROWSER = ['cookie', 'authorization', 'referer', 'origin'] as const;

/**
 * The events backend narrows by role, and a token may see less than its role does: so it is told what is left. No client
 * can say it in its place: `remote-*` ends at the gate.
 */
function nameCameras(headers: IncomingHttpHeaders, { caller, obligations }: Admitted): void {
  if (obligations?.view.clearance !== 'restricted') return;
  const { cameras, since } = obligations.view;
  headers['remote-cameras'] = cameras.map(encodeURIComponent).join(',');
  if (since !== undefined) headers['remote-since'] = String(since);
  if (caller?.roles) headers['remote-roles'] = caller.roles.join(',');
}

export interface HeaderRules {
  /** Allowlisted identity headers, in any spelling: a client must not send them to the NVR. */
  readonly identityHeaders: ReadonlySet<string>;
  readonly cookieName: string;
  /** Whether the client's `Authorization` ends here, whatever it holds; absent: a password for the NVR's own use is passed on. */
  readonly dropsAuthorization?: boolean;
  /** The secret for an NVR that trusts headers on its own authenticated port. */
  readonly nvrSecret: string | undefined;
}

type Forwarding = Pick<Admitted, 'caller' | 'client'> & { readonly requestId: string };

const BODY_EXPECTED: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** The headers to send. Pure: the client's are not touched. */
export function rewriteHeaders(request: RequestFacts, forwarding: Forwarding, rules: HeaderRules): IncomingHttpHeaders {
  const headers = strippedHeaders(request, rules);
  if (request.isUpgrade) {
    delete headers['content-length']; // at most a 0, which some servers refuse here
    Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
  }
  // Without a length Node would frame the empty body as chunked: another request than the one judged.
  const isUnframed = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  if (isUnframed && BODY_EXPECTED.includes(request.method)) headers['content-length'] = '0';
  addForwarded(headers, request, forwarding);
  addIdentity(headers, forwarding.caller, rules);
  return headers;
}

function addForwarded(headers: IncomingHttpHeaders, request: RequestFacts, { client, requestId }: Forwarding): void {
  const chain = client.viaTrustedProxy ? headerLines(request, 'x-forwarded-for') : [];
  headers['x-forwarded-for'] = chain.length === 0 ? request.peer : [...chain, request.peer].join(', ');
  headers['x-forwarded-proto'] = client.encrypted ? 'https' : 'http';
  headers['x-forwarded-host'] = client.host;
  headers['x-real-ip'] = client.address;
  headers['x-request-id'] = requestId;
  if (client.basePath !== undefined) headers['x-ingress-path'] = client.basePath;
}

function addIdentity(headers: IncomingHttpHeaders, caller: Caller | undefined, rules: HeaderRules): void {
  if (!caller) {
    if (rules.nvrSecret !== undefined) headers['x-proxy-secret'] = rules.nvrSecret;
    return;
  }
  // Nothing is ever sent in the name of a person who is viewed: the role alone cuts the response.
  Object.assign(headers, identityHeaders(toAscii(actualSender(caller).name), toAscii(caller.role), rules.nvrSecret));
}

/** Who asks, as the NVR reads it: one that trusts headers on its authenticated port, behind a secret, takes groups for roles. */
export const identityHeaders = (user: string, role: string, nvrSecret: string | undefined): Record<string, string> => ({
  'remote-user': user,
  'remote-role': role,
  ...(nvrSecret !== undefined && { 'remote-groups': role, 'x-proxy-secret': nvrSecret }),
});

/** A header value is bytes to some and text to others: outside ASCII, percent-encoded UTF-8 is read alike by all. */
export const toAscii = (text: string): string =>
  ASCII.test(text) ? text : text.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent);

const ASCII = /^[\x21-\x7e]*$/;

/** Besides hop-by-hop headers: `Expect` was handled by this listener, and others change the method, the address or the secret. */
// biome-ignore format: a table
const NEVER_PASSED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP_HEADERS, 'expect',
  'x-http-method-override', 'x-method-override', 'x-http-method',
  'forwarded', 'x-real-ip', 'x-server-port', 'x-rewrite-url', 'x-ingress-path', 'x-proxy-secret', 'x-request-id', 'x-postern-view-as',
]);

/** Families of headers that tell some backend or proxy who calls, from where, or which request it was. */
const CLAIMS: readonly string[] = [
  'remote-',
  'x-forwarded-',
  'x-original-',
  'x-authentik-',
  'x-proxyvendor-',
  'x-auth-request-',
  'x-accel-',
  'x-remote-user-',
];

/** `Connection` must not remove these: without them the request would be another one. */
const KEPT_FROM_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'cookie',
  'authorization',
]);

/** Header stripping: what a client sends and an upstream must not get is left out. A new record; the request's own is not changed. */
export function strippedHeaders(request: RequestFacts, rules: Omit<HeaderRules, 'nvrSecret'>): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  const named = namedByConnection(headerLines(request, 'connection'));
  const endsHere = endingHere(rules.identityHeaders);
  for (const name of Object.keys(request.headers)) {
    const isNamed = named.has(name) && !KEPT_FROM_CONNECTION.has(name);
    if (!endsHere(name) && !isNamed) keep(headers, name, request.headers[name], rules);
  }
  if (headers.authorization !== undefined) keepAuthorization(headers, request, rules);
  return headers;
}

/** A password for the NVR's own use is passed on; a credential for Postern is not, nor is one of two: servers differ in which they use. */
function keepAuthorization(
  headers: IncomingHttpHeaders,
  request: RequestFacts,
  { dropsAuthorization }: Pick<HeaderRules, 'dropsAuthorization'>,
): void {
  const lines = headerLines(request, 'authorization').filter((line) => !isBearer(line) && !ownCredentialIn(line));
  delete headers.authorization;
  if (!dropsAuthorization && lines.length === 1) headers.authorization = lines[0];
}

type IdentityHeaders = HeaderRules['identityHeaders'];

/** Made once for each list of identity headers. */
const endingHere = decidedByObject((identityHeaders: IdentityHeaders) =>
  decidedByName((name) => endsAtGate(normalizedHeaderName(name), identityHeaders)),
);

const endsAtGate = (normalized: string, identityHeaders: IdentityHeaders): boolean =>
  NEVER_PASSED.has(normalized) ||
  CLAIMS.some((family) => normalized.startsWith(family)) ||
  identityHeaders.has(normalized);

/** Credentials for Postern are not passed on: the NVR gets neither the session cookie nor a token. */
function keep(
  headers: IncomingHttpHeaders,
  name: string,
  value: string | string[] | undefined,
  { cookieName }: Pick<HeaderRules, 'cookieName'>,
): void {
  if (name === 'cookie') {
    const others = withoutCookie(String(value), cookieName);
    if (others !== '') headers.cookie = others;
    return;
  }
  headers[name] = value;
}

function withoutCookie(line: string, cookieName: string): string {
  // Most requests carry one cookie, and it is ours.
  if (!line.includes(';')) return isAnother(line.trim(), cookieName) ? line.trim() : '';
  return line
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => isAnother(cookie, cookieName))
    .join('; ');
}

function isAnother(cookie: string, cookieName: string): boolean {
  const end = cookie.indexOf('=');
  const name = (end < 0 ? cookie : cookie.slice(0, end)).trim();
  return cookie !== '' && name !== cookieName && !name.startsWith(OWN_COOKIES);
}
