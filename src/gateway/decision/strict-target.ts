/**
 * Strict target and head: path, header names, Host, framing, expectation and upgrade must have one meaning for every server
 * behind, against request smuggling; others are refused before any other step (SPEC 5).
 */
import { decidedByName } from '../../domain/bounded.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { headerLines, type RequestFacts, type RequestTarget } from '../../domain/request.ts';
import { attempt, err, ok, type Result } from '../../domain/result.ts';

/** SPEC 5; RFC 9112 section 3 asks for at least 8000 bytes. */
const LONGEST_TARGET = 16 * 1024;

/** Only characters that a WHATWG URL parser leaves as they are; no `;`, which some servers cut off (CVE-2026-73511). */
const PATH = /^\/[A-Za-z0-9\-._~!$&'()*+,/:=@|[\]%]*$/;
/** Likewise, and `'`: parsers write `%27` for it, which reads the same. */
const QUERY = /^[A-Za-z0-9\-._~!$&'()*+,/:;=?@|[\]{}^`%]*$/;
/** Some readers cut off one more `?`, and find another first parameter; any may come first when the query is narrowed. */
const QUESTION_MARK_FIRST = /(?:^|&)\?/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** Characters that a second decoder takes for structure: `/api%2fusers`, `/api/users%0a`, `/api/%2575sers`. */
const NOT_IN_SEGMENTS = /[\p{Cc}/\\?#;%]/u;

export function strictTarget(facts: RequestFacts): Result<RequestTarget, RefusalReason> {
  const reason = headFault(facts) ?? queryFault(facts.target);
  if (reason) return err(reason);
  const target = parseTarget(facts.target);
  if (!target) return err(isDoubled(facts.target) ? 'slash-doubled' : 'target-not-plain');
  return facts.target.length > LONGEST_TARGET ? err('target-too-long') : ok(target);
}

/** Whether a slash too many is all that is wrong: an address that ends in one, before a path that begins with one. */
const isDoubled = (text: string): boolean =>
  parseTarget(text.replace(/^[^?]*/, (path) => path.replaceAll(/\/{2,}/g, '/'))) !== undefined;

/** SPEC 5: each pair is decoded and compared, and a target has room for thousands of them. */
const MOST_PARAMETERS = 200;

function queryFault(target: string): RefusalReason | undefined {
  let pairs = 1;
  for (let at = target.indexOf('&'); at >= 0; at = target.indexOf('&', at + 1)) pairs += 1;
  return pairs > MOST_PARAMETERS ? 'parameters-too-many' : undefined;
}

/** Undefined when the text could mean another path to the next server. A lone `?` at its end is not kept. */
export function parseTarget(text: string): RequestTarget | undefined {
  const cut = text.indexOf('?');
  const path = inOneSpelling(cut < 0 ? text : text.slice(0, cut));
  const query = cut < 0 ? '' : text.slice(cut + 1);
  if (!PATH.test(path) || !QUERY.test(query) || BROKEN_ESCAPE.test(query)) return undefined;
  if (QUESTION_MARK_FIRST.test(query)) return undefined;
  const segments = decodedSegments(path);
  return segments && { path, segments, query };
}

/** `%41` to `%5A`, `%61` to `%7A`, digits and `-._~`: the characters that need no encoding (RFC 3986 2.3). */
const ENCODED_UNRESERVED = /%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9Aa]|5[Ff]|6[1-9A-Fa-f]|7[0-9Aa]|7[Ee])/g;

/**
 * The path with encoded unreserved characters decoded (RFC 3986 6.2.2.2). `/api/log%69n` and `/api/login` are one path to
 * every server, so they are one path here too: judged, routed, logged and sent in the same spelling. A path with a broken
 * escape stays as it is, and is refused: `%%37%35` would become the escape `%75`.
 */
const inOneSpelling = (path: string): string =>
  path.includes('%') && !BROKEN_ESCAPE.test(path)
    ? path.replace(ENCODED_UNRESERVED, (encoded) => decodeURIComponent(encoded))
    : path;

/** A whole target in that spelling; its query stays as it was received. */
export function targetInOneSpelling(target: string): string {
  const cut = target.indexOf('?');
  return cut < 0 ? inOneSpelling(target) : inOneSpelling(target.slice(0, cut)) + target.slice(cut);
}

function decodedSegments(path: string): readonly string[] | undefined {
  const segments = path.slice(1).split('/');
  const empty = segments.indexOf('');
  if (empty >= 0 && empty < segments.length - 1) return undefined;
  const decoded = path.includes('%') ? decodeEach(segments) : segments;
  return decoded?.includes('.') || decoded?.includes('..') ? undefined : decoded;
}

function decodeEach(segments: readonly string[]): readonly string[] | undefined {
  // Undefined of a broken escape, or of bytes that are no UTF-8, such as the overlong %c0%af.
  const decoded = attempt(() => segments.map(decodeURIComponent));
  return decoded?.some((segment) => NOT_IN_SEGMENTS.test(segment)) ? undefined : decoded;
}

/**
 * SPEC 5. Node before 24.18.1 drops the lines after the 1000th without a word, and a role header that a proxy adds last is
 * among them.
 */
const MOST_HEADER_LINES = 200;

/** Values of the headers that may be sent once, by lower-case name. */
type Head = ReadonlyMap<string, string>;

const CHUNKED_METHODS = new Set(['POST', 'PUT', 'PATCH']);
/** Some servers send chunks of DELETE and OPTIONS on behind `Content-Length: 0`, as a second request (CVE-2026-29057). */
export const METHODS_WITHOUT_CHUNKS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);
const METHODS: ReadonlySet<string> = new Set([...METHODS_WITHOUT_CHUNKS, ...CHUNKED_METHODS]);

/** Servers differ in which of two lines they use. Identity headers and `Authorization` are not here: their sources judge them. */
const SENT_ONCE = new Set([
  'host',
  'x-proxy-secret',
  'content-type',
  'content-length',
  'transfer-encoding',
  'expect',
  'origin',
  'sec-fetch-site',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
]);
/** Node reads the text `GET /x HTTP/2.0` as HTTP/1 and calls it 2.0; only `http2-exchange.ts` says `2`. */
const VERSIONS = new Set(['1.0', '1.1', '2']);
/** RFC 9113 section 8.2.2; Node has reset the stream already. What frames a body there reads as `chunked` here. */
const NOT_IN_HTTP2 = new Set(['connection', 'proxy-connection', 'keep-alive', 'upgrade']);

/** CGI-like servers read `Remote_Role` and `Remote.Role` as `Remote-Role` (CVE-2025-64484). */
const NAME = /^[A-Za-z0-9-]+$/;

/** What the name of a header line alone decides. */
const judgedName = decidedByName((received) => {
  const name = received.toLowerCase();
  return { name, isPlain: NAME.test(received), mayBeInHttp2: !NOT_IN_HTTP2.has(name), isSentOnce: SENT_ONCE.has(name) };
});
const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
/** A length without leading zeros: some readers take `010` for eight. */
const LENGTH = /^(?:0|[1-9]\d{0,14})$/;
const EXPECTATION = '100-continue';
/** Sixteen bytes in base64 (RFC 6455 section 4.1). */
const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Why the head is refused; undefined when it is plain. */
function headFault(facts: RequestFacts): RefusalReason | undefined {
  const read = readHead(facts);
  if (!read.ok) return read.error;
  const head = read.value;
  if (!VERSIONS.has(facts.httpVersion)) return 'framing-not-plain';
  if (!METHODS.has(facts.method)) return 'method-unknown';
  return hostFault(facts, head) ?? framingFault(facts, head) ?? expectationFault(head) ?? upgradeFault(facts, head);
}

function readHead({ rawHeaders, httpVersion }: RequestFacts): Result<Head, RefusalReason> {
  if (rawHeaders.length > 2 * MOST_HEADER_LINES) return err('headers-too-many');
  const head = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { name, isPlain, mayBeInHttp2, isSentOnce } = judgedName(rawHeaders[at] ?? '');
    if (!isPlain || (httpVersion === '2' && !mayBeInHttp2)) return err('headers-not-plain');
    if (!isSentOnce) continue;
    if (head.has(name)) return err(name === 'transfer-encoding' ? 'framing-not-plain' : 'headers-not-plain');
    head.set(name, rawHeaders[at + 1] ?? '');
  }
  return ok(head);
}

/** RFC 9112 section 3.2; HTTP/1.0 may leave Host out. */
function hostFault({ httpVersion }: RequestFacts, head: Head): RefusalReason | undefined {
  const host = head.get('host');
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'headers-not-plain';
  return HOST.test(host) ? undefined : 'headers-not-plain';
}

function framingFault({ httpVersion, method }: RequestFacts, head: Head): RefusalReason | undefined {
  const length = head.get('content-length');
  const coding = head.get('transfer-encoding');
  if (length !== undefined && (!LENGTH.test(length) || coding !== undefined)) return 'framing-not-plain';
  if (coding === undefined) return undefined;
  const isPlain = coding === 'chunked' && httpVersion !== '1.0' && CHUNKED_METHODS.has(method);
  return isPlain ? undefined : 'framing-not-plain';
}

const expectationFault = (head: Head): RefusalReason | undefined =>
  (head.get('expect') ?? EXPECTATION).toLowerCase() === EXPECTATION ? undefined : 'expectation-unknown';

/**
 * An upgrade with a body, or with bytes behind it, is request smuggling: the next server reads them as a second request.
 * A length of 0 is no body: Java's own client sends it.
 */
function upgradeFault(facts: RequestFacts, head: Head): RefusalReason | undefined {
  if (!facts.isUpgrade) return undefined;
  const hasBody =
    (head.get('content-length') ?? '0') !== '0' || ['transfer-encoding', 'expect'].some((name) => head.has(name));
  const isPlain =
    facts.method === 'GET' &&
    facts.httpVersion === '1.1' &&
    head.get('upgrade')?.toLowerCase() === 'websocket' &&
    headerLines(facts, 'connection').some(listsUpgrade) &&
    head.get('sec-websocket-version') === '13' &&
    WEBSOCKET_KEY.test(head.get('sec-websocket-key') ?? '') &&
    !hasBody &&
    facts.pipelinedBytes === 0;
  return isPlain ? undefined : 'upgrade-not-plain';
}

const listsUpgrade = (connection: string): boolean =>
  connection.split(',').some((token) => token.trim().toLowerCase() === 'upgrade');
