/** The request headers for the upstream: the client's, stripped of what an upstream must not get, plus identity and forwarding headers of Postern (SPEC 6). */

import type { IncomingHttpHeaders } from 'node:http';
import { decidedByName } from '../../domain/bounded.ts';
import type { Caller } from '../../domain/caller.ts';
import { actualSender } from '../../domain/credentials.ts';
import { headerLines, normalizedHeaderName, type RequestFacts } from '../../domain/request.ts';
import { isBearer, ownCredentialIn } from '../../domain/sent-credentials.ts';
import type { Admitted } from '../decision/admit.ts';
import { HOP_BY_HOP_HEADERS, namedByConnection, OWN_COOKIES } from '../response/response-headers.ts';

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
const endsHereBy = new WeakMap<IdentityHeaders, (name: string) => boolean>();

function endingHere(identityHeaders: IdentityHeaders): (name: string) => boolean {
  const known = endsHereBy.get(identityHeaders);
  if (known) return known;
  const made = decidedByName((name) => endsAtGate(normalizedHeaderName(name), identityHeaders));
  endsHereBy.set(identityHeaders, made);
  return made;
}

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
