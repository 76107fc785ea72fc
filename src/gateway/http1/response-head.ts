/** The head of a response, read strictly: exactly what Postern passes on, and a fault for everything else (RFC 9112). */
import type { FaultCode } from './fault.ts';
import { type HeaderLines, MALFORMED, readHeaderLines } from './header-lines.ts';

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
  const framing = framingOf({ statusCode, headers, method, isOld });
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

function framingOf({ statusCode, headers, method, isOld }: Framed): Framing | FaultCode {
  const length = headers['content-length'];
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && length !== undefined) return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  if (coding !== undefined && (isBodiless(statusCode) || isOld)) return 'HPE_INVALID_TRANSFER_ENCODING';
  if (coding !== undefined) return faultOf(coding) ?? (hasNoBody(statusCode, method) ? NONE : CHUNKED);
  if (length === undefined) return hasNoBody(statusCode, method) ? NONE : UNTIL_CLOSE;
  if (typeof length !== 'string' || length.includes(',')) return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  if (!LENGTH.test(length)) return 'HPE_INVALID_CONTENT_LENGTH';
  const bytes = Number(length);
  if (bytes > 0 && isBodiless(statusCode)) return 'HPE_UNEXPECTED_CONTENT_LENGTH';
  return bytes === 0 || hasNoBody(statusCode, method) ? NONE : { kind: 'length', bytes };
}

function faultOf(coding: string | string[]): FaultCode | undefined {
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
