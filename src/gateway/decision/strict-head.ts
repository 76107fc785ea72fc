/** Strict head: header names, Host, framing, expectation and upgrade must have one meaning only, against request smuggling (SPEC 5). */
import { decidedByName } from '../../domain/bounded.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import { err, ok, type Result } from '../../domain/result.ts';

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
/** Sixteen bytes in base64 (RFC 6455 section 4.1). */
const WEBSOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;

type HeadCheck = (facts: RequestFacts, head: Head) => RefusalReason | undefined;

const CHECKS: readonly HeadCheck[] = [
  versionFault,
  methodFault,
  hostFault,
  framingFault,
  expectationFault,
  upgradeFault,
];

/** Why the head is refused; undefined when it is plain. */
export function headFault(facts: RequestFacts): RefusalReason | undefined {
  const head = readHead(facts);
  if (!head.ok) return head.error;
  for (const check of CHECKS) {
    const reason = check(facts, head.value);
    if (reason) return reason;
  }
  return undefined;
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

function versionFault({ httpVersion }: RequestFacts): RefusalReason | undefined {
  return VERSIONS.has(httpVersion) ? undefined : 'framing-not-plain';
}

function methodFault({ method }: RequestFacts): RefusalReason | undefined {
  return METHODS.has(method) ? undefined : 'method-unknown';
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

function expectationFault(_facts: RequestFacts, head: Head): RefusalReason | undefined {
  const expectation = head.get('expect');
  const isKnown = expectation === undefined || expectation.toLowerCase() === '100-continue';
  return isKnown ? undefined : 'expectation-unknown';
}

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
