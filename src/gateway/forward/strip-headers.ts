/** Header stripping: what a client sends and an upstream must not get: hop-by-hop, identity, forwarding, credentials (SPEC 6). */
import type { IncomingHttpHeaders } from 'node:http';
import { decidedByName, normalizedHeaderName } from '../../domain/header-names.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import { isBearer, ownCredentialIn } from '../../domain/sent-credentials.ts';
import { HOP_BY_HOP_HEADERS, namedByConnection } from '../response/hop-by-hop.ts';
import { OWN_COOKIES } from '../response/response-headers.ts';

export interface StripRules {
  /** Allowlisted identity headers, in any spelling: a client must not send them to the NVR. */
  readonly identityHeaders: ReadonlySet<string>;
  readonly cookieName: string;
  /** Whether the client's `Authorization` ends here, whatever it holds; absent: a password for the NVR's own use is passed on. */
  readonly dropsAuthorization?: boolean;
}

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

/** A new record; the request's own is not changed. */
export function strippedHeaders(request: RequestFacts, rules: StripRules): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  const named = namedByConnection(headerLines(request, 'connection'));
  const endsHere = endingHere(rules);
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
  { dropsAuthorization }: StripRules,
): void {
  const lines = headerLines(request, 'authorization').filter((line) => !isBearer(line) && !ownCredentialIn(line));
  delete headers.authorization;
  if (!dropsAuthorization && lines.length === 1) headers.authorization = lines[0];
}

/** Made once for each set of rules. */
const endsHereBy = new WeakMap<StripRules, (name: string) => boolean>();

function endingHere(rules: StripRules): (name: string) => boolean {
  const known = endsHereBy.get(rules);
  if (known) return known;
  const made = decidedByName((name) => endsAtGate(normalizedHeaderName(name), rules));
  endsHereBy.set(rules, made);
  return made;
}

const endsAtGate = (normalized: string, rules: StripRules): boolean =>
  NEVER_PASSED.has(normalized) ||
  CLAIMS.some((family) => normalized.startsWith(family)) ||
  rules.identityHeaders.has(normalized);

/** Credentials for Postern are not passed on: the NVR gets neither the session cookie nor a token. */
function keep(
  headers: IncomingHttpHeaders,
  name: string,
  value: string | string[] | undefined,
  { cookieName }: StripRules,
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
