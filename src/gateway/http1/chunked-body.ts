/** Chunks of a response, read strictly and piece by piece (RFC 9112 section 7.1); what is read of a body is handed on at once. */
import type { FaultCode } from './fault.ts';
import { type HeaderLines, MALFORMED, readHeaderLines } from './header-lines.ts';

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

export interface ChunkedBody {
  /**
   * Reads on from `at`, and hands on the pieces of the body that lie in `bytes`. Gives where the response ended, or
   * `bytes.length` while it goes on; or what is wrong.
   */
  read(bytes: Buffer, at: number, onPiece: (from: number, to: number) => void): number | FaultCode;
  /** Undefined while the response goes on. */
  trailers(): HeaderLines | undefined;
}

type ChunkPart = 'size' | 'data' | 'data-end' | 'trailers';

export function createChunkedBody(): ChunkedBody {
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
    trailers: () => trailers,
    read(bytes, from, onPiece) {
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
