/** Reads responses from the bytes of one connection, in whatever pieces they come, chunks included (RFC 9112). Pure: what it reads is told, and nothing is sent. */
import {
  type FaultCode,
  type HeaderLines,
  MALFORMED,
  readHeaderLines,
  readResponseHead,
  type UpstreamHead,
} from './response-head.ts';

export interface ResponseListener {
  onHead(head: UpstreamHead): void;
  /** A part of the bytes that were given to `read`: it lies in their memory. */
  onBody(bytes: Buffer): void;
  onEnd(trailers: HeaderLines): void;
}

/** The longest head, as in Node. Heads before the response itself (1xx) have each as much. */
const LONGEST_HEAD = 16 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const BEGINNING = 'HTTP/1.';
const EMPTY = Buffer.alloc(0);
const NO_TRAILERS: HeaderLines = Object.create(null);

type ResponsePart = 'nothing' | 'head' | 'length' | 'chunks' | 'until-close';

export function createResponseReader(listener: ResponseListener) {
  let part: ResponsePart = 'nothing';
  let method = '';
  /** The part of a head that came so far. */
  let begun: Buffer = EMPTY;
  /** Bytes of the body that are still to come. */
  let left = 0;
  let chunks: ChunkedBody | undefined;

  const finish = (trailers: HeaderLines): void => {
    part = 'nothing';
    listener.onEnd(trailers);
  };

  const begin = (head: UpstreamHead): void => {
    const { framing } = head;
    part = 'nothing';
    if (framing.kind === 'length') [part, left] = ['length', framing.bytes];
    if (framing.kind === 'chunked') [part, chunks] = ['chunks', createChunkedBody()];
    if (framing.kind === 'until-close') part = 'until-close';
    listener.onHead(head);
    if (framing.kind === 'none') finish(NO_TRAILERS);
  };

  /** Gives how many of the bytes belong to the head. */
  const readHead = (bytes: Buffer, at: number): number | FaultCode => {
    const all = begun.length === 0 ? bytes.subarray(at) : Buffer.concat([begun, bytes.subarray(at)]);
    const end = all.indexOf(HEAD_END, Math.max(0, begun.length - 3));
    const length = end < 0 ? all.length : end + HEAD_END.length;
    if (length > LONGEST_HEAD) return 'HPE_HEADER_OVERFLOW';
    if (end < 0) {
      begun = begun.length === 0 ? Buffer.from(all) : all; // the memory of `bytes` is used again
      return faultOfBeginning(begun.toString('latin1')) ?? bytes.length;
    }
    const next = at + length - begun.length;
    begun = EMPTY;
    const head = readResponseHead(all.toString('latin1', 0, end + 2), method);
    if (typeof head === 'string') return head;
    if (head.statusCode === 101) return 'HPE_INVALID_STATUS'; // nothing was asked that this could be an answer to
    const isInterim = head.statusCode >= 100 && head.statusCode < 200;
    if (isInterim && !head.isKept) return 'HPE_INVALID_STATUS'; // it says that nothing follows, and the response must
    if (!isInterim) begin(head);
    return next;
  };

  const readChunks = (bytes: Buffer, at: number): number | FaultCode => {
    const next = chunks?.read(bytes, at, (from, to) => listener.onBody(bytes.subarray(from, to))) ?? at;
    const trailers = chunks?.trailers();
    if (trailers && part === 'chunks') finish(trailers);
    return next;
  };

  const readLength = (bytes: Buffer, at: number): number => {
    const to = Math.min(bytes.length, at + left);
    left -= to - at;
    listener.onBody(at === 0 && to === bytes.length ? bytes : bytes.subarray(at, to));
    if (left === 0 && part === 'length') finish(NO_TRAILERS);
    return to;
  };

  const readPart = (bytes: Buffer, at: number): number | FaultCode => {
    if (part === 'head') return readHead(bytes, at);
    if (part === 'length') return readLength(bytes, at);
    if (part === 'chunks') return readChunks(bytes, at);
    listener.onBody(bytes.subarray(at));
    return bytes.length;
  };

  return {
    /** A response to a request of this method is expected. */
    expect(ofMethod: string): void {
      part = 'head';
      method = ofMethod;
    },
    /** Gives the bytes behind the end of the response, or what is wrong. Afterwards nothing more may be read. */
    read(bytes: Buffer): number | FaultCode {
      let at = 0;
      while (at < bytes.length && part !== 'nothing') {
        const next = readPart(bytes, at);
        if (typeof next === 'string') return next;
        at = next;
      }
      return bytes.length - at;
    },
    /** The connection has ended. Undefined where that ends the response as it should. */
    end(): FaultCode | undefined {
      if (part === 'until-close') finish(NO_TRAILERS);
      else if (part === 'head' && begun.length > 0 && !begun.toString('latin1').startsWith(BEGINNING))
        return 'HPE_INVALID_CONSTANT';
      else if (part !== 'nothing') return 'ECONNRESET';
      return undefined;
    },
    /** Nothing more is told. */
    stop(): void {
      part = 'nothing';
    },
  };
}

/** What can never become a head is refused at once: the other side may be waiting for us, and would wait for long. */
function faultOfBeginning(text: string): FaultCode | undefined {
  if (!BEGINNING.startsWith(text.slice(0, BEGINNING.length))) return 'HPE_INVALID_CONSTANT';
  return MALFORMED.test(text.endsWith('\r') ? text.slice(0, -1) : text) ? 'HPE_INVALID_HEADER_TOKEN' : undefined;
}

/** Size and extensions of a chunk: nothing that serves videos sends extensions, and they must not be endless. */
const LONGEST_SIZE_LINE = 1024;
const LONGEST_TRAILERS = 16 * 1024;
/** The line of a chunk's size, up to 2^52 - 1; extensions are names and values without space around. They end here. */
const SIZE_LINE =
  /^(?<size>[0-9A-Fa-f]{1,13})(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"))?)*$/;
/** The beginning of one. */
const SIZE_BEGUN = /^[0-9A-Fa-f]{1,13}(?:;[^\r\n]*)?\r?$/;
const CR = 0x0d;
const LF = 0x0a;

type ChunkedBody = ReturnType<typeof createChunkedBody>;

type ChunkPart = 'size' | 'data' | 'data-end' | 'trailers';

function createChunkedBody() {
  let part: ChunkPart = 'size';
  /** A line that has begun, as Latin-1. */
  let line = '';
  /** So much of the trailers is well-formed. */
  let looked = 0;
  /** Bytes of the chunk that are still to come. */
  let left = 0;
  let trailers: HeaderLines | undefined;

  /** Takes the rest of a line. Gives where the next begins; a line that has not ended stays in `line`. */
  const takeLine = (bytes: Buffer, at: number, longest: number): number | FaultCode => {
    const end = bytes.indexOf(LF, at);
    const upTo = end < 0 ? bytes.length : end + 1;
    if (line.length + upTo - at > longest)
      return longest === LONGEST_TRAILERS ? 'HPE_HEADER_OVERFLOW' : 'HPE_INVALID_CHUNK_SIZE';
    line += bytes.toString('latin1', at, upTo);
    return upTo;
  };

  const readSize = (bytes: Buffer, at: number): number | FaultCode => {
    const next = takeLine(bytes, at, LONGEST_SIZE_LINE);
    if (typeof next === 'string') return next;
    if (!line.endsWith('\n')) return SIZE_BEGUN.test(line) ? next : 'HPE_INVALID_CHUNK_SIZE';
    const size = line.endsWith('\r\n') ? SIZE_LINE.exec(line.slice(0, -2)) : null;
    if (!size) return 'HPE_INVALID_CHUNK_SIZE';
    line = '';
    left = Number.parseInt(size[1] ?? '', 16);
    part = left === 0 ? 'trailers' : 'data';
    return next;
  };

  const readEndOfData = (bytes: Buffer, at: number): number | FaultCode => {
    // Of CR LF: 2 bytes are still to come, or 1.
    if (bytes[at] !== (left === 0 ? CR : LF)) return 'HPE_INVALID_CHUNK_SIZE';
    left -= 1;
    if (left === -2) {
      left = 0;
      part = 'size';
    }
    return at + 1;
  };

  /** Lines up to an empty one. */
  const readTrailers = (bytes: Buffer, at: number): number | FaultCode => {
    const next = takeLine(bytes, at, LONGEST_TRAILERS);
    if (typeof next === 'string') return next;
    if (!line.endsWith('\n')) return next;
    if (MALFORMED.test(line.slice(looked))) return 'HPE_INVALID_HEADER_TOKEN';
    looked = line.length;
    if (line !== '\r\n' && !line.endsWith('\r\n\r\n')) return next;
    const read = readHeaderLines(line.slice(0, -2), 0);
    if (!read || read['content-length'] !== undefined || read['transfer-encoding'] !== undefined)
      return 'HPE_INVALID_HEADER_TOKEN';
    trailers = read;
    return next;
  };

  return {
    /** Undefined while the response goes on. */
    trailers: () => trailers,
    /**
     * Reads on from `at`, and hands on the pieces of the body that lie in `bytes`. Gives where the response ended, or
     * `bytes.length` while it goes on; or what is wrong.
     */
    read(bytes: Buffer, from: number, onPiece: (from: number, to: number) => void): number | FaultCode {
      let at = from;
      while (at < bytes.length && !trailers) {
        if (part === 'data') {
          const to = Math.min(bytes.length, at + left);
          left -= to - at;
          if (left === 0) part = 'data-end';
          onPiece(at, to);
          at = to;
          continue;
        }
        const next =
          part === 'size'
            ? readSize(bytes, at)
            : part === 'trailers'
              ? readTrailers(bytes, at)
              : readEndOfData(bytes, at);
        if (typeof next === 'string') return next;
        at = next;
      }
      return at;
    },
  };
}
