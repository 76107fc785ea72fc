/** Step 5. What the next hop is told: the client's headers less every claim of its own, plus who it is (SPEC 6). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../domain/caller.ts';
import { normalizedHeaderName } from '../domain/header-names.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import { apiTokenIn } from '../identity/api-token-source.ts';
import type { Client } from './admit.ts';

export interface HeaderRules {
  /** Allowlisted identity headers, in any spelling: never the client's to send on. */
  readonly identityHeaders: ReadonlySet<string>;
  /** The names that the NVR is told by. */
  readonly userHeader: string;
  readonly roleHeader: string;
  /** For an NVR that trusts headers on its own authenticated port. */
  readonly nvrSecret: string | undefined;
  readonly cookieName: string;
}

export interface Forwarding {
  readonly caller: Caller | undefined;
  readonly client: Client;
  readonly requestId: string;
}

/** RFC 9110 7.6.1, and what ends here for other reasons: `Expect` was answered by this listener. */
// biome-ignore format: a table
const ENDS_HERE: ReadonlySet<string> = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'te', 'trailer', 'upgrade',
  'expect', 'http2-settings',
  'forwarded', 'x-real-ip', 'x-server-port', 'x-rewrite-url', 'x-ingress-path', 'x-proxy-secret', 'x-request-id',
]);

/** Families by which some back end or proxy is told who calls, from where, or what was asked. */
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

/** What `Connection` may not take away: without them the request would be another one. */
const KEPT_FROM_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'cookie',
  'authorization',
]);

const BODY_EXPECTED: readonly string[] = ['POST', 'PUT', 'PATCH'];
const BEARER = /^bearer\s/i;

/** The headers to send. Pure: the client's are not touched. */
export function rewriteHeaders(request: RequestFacts, forwarding: Forwarding, rules: HeaderRules): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  const named = namedByConnection(request);
  for (const [name, value] of Object.entries(request.headers)) {
    if (!endsHere(name, named, rules)) headers[name] = value;
  }
  dropOwnCredentials(headers, rules.cookieName);
  if (request.isUpgrade) Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
  // Without a length Node would frame the empty body as chunked: another request than the one judged.
  const isUnframed = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
  if (isUnframed && BODY_EXPECTED.includes(request.method)) headers['content-length'] = '0';
  return Object.assign(headers, forwardedHeaders(request, forwarding), identityHeaders(forwarding.caller, rules));
}

const NOTHING_NAMED: ReadonlySet<string> = new Set();

function namedByConnection(request: RequestFacts): ReadonlySet<string> {
  if (request.headers['connection'] === undefined) return NOTHING_NAMED;
  return new Set(
    headerLines(request, 'connection')
      .flatMap((line) => line.split(','))
      .map((name) => name.trim().toLowerCase())
      .filter((name) => !KEPT_FROM_CONNECTION.has(name)),
  );
}

function endsHere(name: string, namedByConnection: ReadonlySet<string>, rules: HeaderRules): boolean {
  const normalized = normalizedHeaderName(name);
  return (
    ENDS_HERE.has(normalized) ||
    namedByConnection.has(name) ||
    CLAIMS.some((family) => normalized.startsWith(family)) ||
    rules.identityHeaders.has(normalized) ||
    normalized === rules.userHeader ||
    normalized === rules.roleHeader
  );
}

/** They are between the client and this gate: the NVR gets neither the session's cookie nor a token. */
function dropOwnCredentials(headers: IncomingHttpHeaders, cookieName: string): void {
  const authorization = headers.authorization ?? '';
  // A password for the NVR's own use is passed on; one that holds an API token of ours is not.
  if (BEARER.test(authorization) || apiTokenIn(authorization)) delete headers.authorization;
  if (headers.cookie === undefined) return;
  const kept = headers.cookie
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '' && cookie.split('=', 1)[0]?.trim() !== cookieName);
  if (kept.length > 0) headers.cookie = kept.join('; ');
  else delete headers.cookie;
}

function forwardedHeaders(request: RequestFacts, { client, requestId }: Forwarding): IncomingHttpHeaders {
  const chain = client.viaTrustedProxy ? headerLines(request, 'x-forwarded-for') : [];
  return {
    'x-forwarded-for': [...chain, request.peer].join(', '),
    'x-forwarded-proto': client.encrypted ? 'https' : 'http',
    'x-forwarded-host': client.host,
    'x-real-ip': client.address,
    'x-request-id': requestId,
    ...(client.basePath === undefined ? {} : { 'x-ingress-path': client.basePath }),
  };
}

function identityHeaders(caller: Caller | undefined, rules: HeaderRules): IncomingHttpHeaders {
  const secret = rules.nvrSecret === undefined ? {} : { 'x-proxy-secret': rules.nvrSecret };
  if (!caller) return secret;
  return { ...secret, [rules.userHeader]: asciiOf(caller.name), [rules.roleHeader]: asciiOf(caller.role) };
}

/** A header value is bytes to some and text to others: outside ASCII, percent-encoded UTF-8 is read alike by all. */
export const asciiOf = (text: string): string => text.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent);
