/** Step 5. What the next hop is told: the client's headers less every claim of its own, plus who it is (SPEC 6). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import { decidedByName, normalizedHeaderName } from '../../domain/header-names.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import { apiTokenIn } from '../../identity/api-token-source.ts';
import type { Client } from '../decision/client.ts';

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

/** RFC 9110 7.6.1, and what ends here for other reasons: `Expect` was handled by this listener. */
// biome-ignore format: a table
const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'te', 'trailer', 'upgrade',
  'expect', 'http2-settings',
  'x-http-method-override', 'x-method-override', 'x-http-method',
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
  const endsHere = endingHere(rules);
  for (const name of Object.keys(request.headers)) {
    if (!endsHere(name) && !named.has(name)) keep(headers, name, request.headers[name], rules);
  }
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

const NOTHING_NAMED: ReadonlySet<string> = new Set();
/** They name nothing that would pass without them. */
const NAMING_NOTHING: ReadonlySet<unknown> = new Set([undefined, 'keep-alive', 'close', 'Upgrade', 'upgrade']);

function namedByConnection(request: RequestFacts): ReadonlySet<string> {
  if (NAMING_NOTHING.has(request.headers['connection'])) return NOTHING_NAMED;
  return new Set(
    headerLines(request, 'connection')
      .flatMap((line) => line.split(','))
      .map((name) => name.trim().toLowerCase())
      .filter((name) => !KEPT_FROM_CONNECTION.has(name)),
  );
}

/** Made once for each set of rules. */
const endsHereBy = new WeakMap<HeaderRules, (name: string) => boolean>();

function endingHere(rules: HeaderRules): (name: string) => boolean {
  const known = endsHereBy.get(rules);
  if (known) return known;
  const made = decidedByName((name) => endsAtGate(normalizedHeaderName(name), rules));
  endsHereBy.set(rules, made);
  return made;
}

const endsAtGate = (normalized: string, rules: HeaderRules): boolean =>
  HOP_BY_HOP_HEADERS.has(normalized) ||
  CLAIMS.some((family) => normalized.startsWith(family)) ||
  rules.identityHeaders.has(normalized) ||
  normalized === rules.userHeader ||
  normalized === rules.roleHeader;

/** What is between the client and this gate stays here: the NVR gets neither the session's cookie nor a token. */
function keep(
  headers: IncomingHttpHeaders,
  name: string,
  value: string | string[] | undefined,
  { cookieName }: HeaderRules,
): void {
  if (name === 'cookie') {
    const others = withoutCookie(String(value), cookieName);
    if (others !== '') headers.cookie = others;
    return;
  }
  // A password for the NVR's own use is passed on; one that holds an API token of ours is not.
  if (name === 'authorization' && (BEARER.test(String(value)) || apiTokenIn(String(value)))) return;
  headers[name] = value;
}

const withoutCookie = (line: string, cookieName: string): string =>
  line
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '' && cookie.split('=', 1)[0]?.trim() !== cookieName)
    .join('; ');

function addForwarded(
  headers: IncomingHttpHeaders,
  request: RequestFacts,
  { client, requestId }: Pick<Forwarding, 'client' | 'requestId'>,
): void {
  const chain = client.viaTrustedProxy ? headerLines(request, 'x-forwarded-for') : [];
  headers['x-forwarded-for'] = chain.length === 0 ? request.peer : [...chain, request.peer].join(', ');
  headers['x-forwarded-proto'] = client.encrypted ? 'https' : 'http';
  headers['x-forwarded-host'] = client.host;
  headers['x-real-ip'] = client.address;
  headers['x-request-id'] = requestId;
  if (client.basePath !== undefined) headers['x-ingress-path'] = client.basePath;
}

function addIdentity(headers: IncomingHttpHeaders, caller: Caller | undefined, rules: HeaderRules): void {
  if (rules.nvrSecret !== undefined) headers['x-proxy-secret'] = rules.nvrSecret;
  if (!caller) return;
  headers[rules.userHeader] = asciiOf(caller.name);
  headers[rules.roleHeader] = asciiOf(caller.role);
}

/** A header value is bytes to some and text to others: outside ASCII, percent-encoded UTF-8 is read alike by all. */
export const asciiOf = (text: string): string =>
  ASCII.test(text) ? text : text.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent);

const ASCII = /^[\x21-\x7e]*$/;
