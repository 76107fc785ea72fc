/** The head of a response, read strictly: exactly what Postern passes on, and a fault for everything else (RFC 9112). */
import { decidedByName } from '../../domain/bounded.ts';

/** Where the body ends. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

export interface UpstreamHead {
  readonly statusCode: number;
  readonly headers: HeaderLines;
  readonly framing: Framing;
  /** Whether another request may follow on the same connection. */
  readonly isKept: boolean;
}

/** The status line: a reason phrase is not needed, and not passed on. */
const STATUS_LINE = /^HTTP\/1\.(?<minor>[01]) (?<status>\d{3})(?: [^\r\n]*)?\r\n/;
const STATUS_LINE_OF_NO_STATUS = /^HTTP\/1\.[01] /;
/** Numbers below 2^53. */
const LENGTH = /^\d{1,15}$/;

/**
 * A tab behind a coding. By RFC 9112 section 5.1 it is no part of the value, so that `chunked` would be read here. Node's
 * parser takes it for another coding, and the body to go on to the end of the connection. What is read in two ways is refused.
 */
const TAB_BEHIND_CODING = /^transfer-encoding:[\t ]*[^\t\r\n ].*\t/im;

const NONE: Framing = { kind: 'none' };
const CHUNKED: Framing = { kind: 'chunked' };
const UNTIL_CLOSE: Framing = { kind: 'until-close' };

/** `text` is Latin-1, up to and with the line end of its last line; `method` is the request's. */
export function readResponseHead(text: string, method: string): UpstreamHead | FaultCode {
  if (MALFORMED.test(text)) return text.startsWith('HTTP/1.') ? 'HPE_INVALID_HEADER_TOKEN' : 'HPE_INVALID_CONSTANT';
  const line = STATUS_LINE.exec(text);
  if (!line) return STATUS_LINE_OF_NO_STATUS.test(text) ? 'HPE_INVALID_STATUS' : 'HPE_INVALID_CONSTANT';
  const headers = readHeaderLines(text, line[0].length);
  if (!headers) return 'HPE_INVALID_HEADER_TOKEN';
  if (headers['transfer-encoding'] !== undefined && TAB_BEHIND_CODING.test(text))
    return 'HPE_INVALID_TRANSFER_ENCODING';
  const statusCode = Number(line[2]);
  const isOld = line[1] === '0';
  const framing = readFraming({ statusCode, headers, method, isOld });
  if (typeof framing === 'string') return framing;
  const isKept = framing !== UNTIL_CLOSE && !isOld && !saysClose(headers) && !SAYS_NOTHING.includes(statusCode);
  return { statusCode, headers, framing, isKept };
}

/**
 * These have no body. From servers that are wrong one follows, perhaps late, and would be read as the response to the next request,
 * which may be another user's.
 */
const SAYS_NOTHING: readonly number[] = [204, 304];

interface Framed {
  readonly statusCode: number;
  readonly headers: HeaderLines;
  readonly method: string;
  /** HTTP/1.0 knows no chunks. */
  readonly isOld: boolean;
}

function readFraming({ statusCode, headers, method, isOld }: Framed): Framing | FaultCode {
  const length = headers['content-length'];
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && length !== undefined) return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  if (coding !== undefined && (isBodiless(statusCode) || isOld)) return 'HPE_INVALID_TRANSFER_ENCODING';
  if (coding !== undefined) return codingFault(coding) ?? (hasNoBody(statusCode, method) ? NONE : CHUNKED);
  if (length === undefined) return hasNoBody(statusCode, method) ? NONE : UNTIL_CLOSE;
  if (typeof length !== 'string' || length.includes(',')) return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  if (!LENGTH.test(length)) return 'HPE_INVALID_CONTENT_LENGTH';
  const bytes = Number(length);
  if (bytes > 0 && isBodiless(statusCode)) return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  return bytes === 0 || hasNoBody(statusCode, method) ? NONE : { kind: 'length', bytes };
}

function codingFault(coding: string | string[]): FaultCode | undefined {
  if (typeof coding !== 'string') return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  return coding.toLowerCase() === 'chunked' ? undefined : 'HPE_INVALID_TRANSFER_ENCODING';
}

/** RFC 9110 sections 6.4.1 and 8.6: these have no body and must not announce one; a reader that believed them would be out of step. */
const isBodiless = (statusCode: number): boolean => (statusCode >= 100 && statusCode < 200) || statusCode === 204;
const hasNoBody = (statusCode: number, method: string): boolean =>
  method === 'HEAD' || statusCode === 304 || isBodiless(statusCode);

const CLOSE = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i;

/** Some servers say it in the header that was meant for proxies. */
function saysClose(headers: HeaderLines): boolean {
  const said = headers['connection'];
  if (said === 'keep-alive' && headers['proxy-connection'] === undefined) return false;
  return [said, headers['proxy-connection']].flat().some((line) => line !== undefined && CLOSE.test(line));
}

/** The headers by lower-case name: one value, or every value of a header that came in several lines. */
export type HeaderLines = Record<string, string | string[]>;

/** More than any NVR sends; a server that reads fewer lines than are sent must refuse them all. */
const MOST_LINES = 500;

/** Any byte that is no tab, no visible character and no line end, and half of a line end. Text is Latin-1: one character a byte. */
export const MALFORMED = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|\n(?<!\r\n)/;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Undefined for what is no name. */
const lowerCaseName = decidedByName((name) => (TOKEN.test(name) ? name.toLowerCase() : undefined));

/**
 * Makes objects that inherit nothing, because a header may be called `__proto__`. V8 keeps the objects of a constructor in a fast
 * form, and those of `Object.create(null)` as hash tables, which take twice as long to fill and to read.
 */
function EmptyLines(this: HeaderLines) {}
EmptyLines.prototype = Object.create(null);
const emptyLines = (): HeaderLines => Reflect.construct(EmptyLines, []);

const SPACE = 0x20;
const TAB = 0x09;

/**
 * `text` is lines that each end in CRLF and hold no byte that is `MALFORMED`. Undefined when a line is no header line: no
 * colon, a name that is no token (a space before the colon, a continued line), or when there are too many.
 */
export function readHeaderLines(text: string, from: number): HeaderLines | undefined {
  const headers = emptyLines();
  let lines = 0;
  for (let at = from; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > end || ++lines > MOST_LINES) return undefined;
    const name = lowerCaseName(text.slice(at, colon));
    if (name === undefined) return undefined;
    addLine(headers, name, trimmed(text, colon + 1, end));
    at = end + 2;
  }
  return headers;
}

/** The text without the spaces and tabs around it; `trim` would take a no-break space as well, which is a byte of the value. */
export function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

function addLine(headers: HeaderLines, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (typeof before === 'string') headers[name] = [before, value];
  else before.push(value);
}

/**
 * Node's own codes where it has one: `HPE_…` is what its parser says of bytes that are no HTTP/1.1, `ECONNRESET` a
 * connection that ended too early, `ETIMEDOUT` one that took too long to open or to answer.
 */
export type FaultCode =
  | 'HPE_INVALID_CONSTANT'
  | 'HPE_INVALID_STATUS'
  | 'HPE_INVALID_HEADER_TOKEN'
  | 'HPE_INVALID_CONTENT_LENGTH'
  | 'HPE_UNEXPECTED_CONTENT_LENGTH'
  | 'HPE_INVALID_TRANSFER_ENCODING'
  | 'HPE_INVALID_CHUNK_SIZE'
  | 'HPE_HEADER_OVERFLOW'
  | 'ECONNRESET'
  | 'ETIMEDOUT'
  | 'ERR_UPSTREAM_IDLE';

const SENTENCES: Readonly<Record<FaultCode, string>> = {
  HPE_INVALID_CONSTANT: 'the upstream did not answer in HTTP/1.1',
  HPE_INVALID_STATUS: 'the status of the response is invalid',
  HPE_INVALID_HEADER_TOKEN: 'a header line of the response is malformed',
  HPE_INVALID_CONTENT_LENGTH: 'the Content-Length of the response is no number',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'the response tells its length in more than one way',
  HPE_INVALID_TRANSFER_ENCODING: 'the Transfer-Encoding of the response is not chunked',
  HPE_INVALID_CHUNK_SIZE: 'a chunk of the response is malformed',
  HPE_HEADER_OVERFLOW: 'the head or the trailers of the response are too large',
  ECONNRESET: 'the upstream closed the connection before its response was whole',
  ETIMEDOUT: 'the upstream took too long',
  ERR_UPSTREAM_IDLE: 'the upstream fell silent in the middle of its response',
};

export const upstreamError = (code: FaultCode): NodeJS.ErrnoException =>
  Object.assign(new Error(SENTENCES[code]), { code });
