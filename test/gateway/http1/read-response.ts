/** One response, read from the same bytes by Postern's own reader and by Node's HTTP client. */
import { request } from 'node:http';
import { Duplex } from 'node:stream';
import { createResponseReader } from '../../../src/gateway/http1/response-reader.ts';

/** Lines of one name under each other, names in lower case. */
export type Lines = Readonly<Record<string, readonly string[]>>;

export interface ReadResponse {
  readonly isWhole: boolean;
  /** Undefined where no head was taken. */
  readonly status: number | undefined;
  readonly headers: Lines;
  readonly body: string;
  readonly trailers: Lines;
}

/** How many of the bytes a whole response was. */
export interface OwnReading extends ReadResponse {
  readonly consumed: number;
}

const NO_LINES: Lines = {};

export function readByPostern(method: string, pieces: readonly Buffer[]): OwnReading {
  let [status, headers, trailers, body, isWhole]: [number | undefined, Lines, Lines, string, boolean] = [
    undefined,
    NO_LINES,
    NO_LINES,
    '',
    false,
  ];
  const reader = createResponseReader({
    onHead(head) {
      status = head.statusCode;
      headers = linesOf(Object.entries(head.headers));
    },
    onBody: (bytes) => (body += bytes.toString('latin1')),
    onEnd(last) {
      isWhole = true;
      trailers = linesOf(Object.entries(last));
    },
  });
  reader.expect(method);
  let consumed = 0;
  const reading = () => ({ isWhole, status, headers, body, trailers, consumed: isWhole ? consumed : 0 });
  for (const piece of pieces) {
    const memory = Buffer.from(piece);
    const rest = reader.read(memory);
    memory.fill('!'); // what is kept of it must be a copy
    if (typeof rest === 'string') return reading();
    consumed += piece.length - rest;
    if (isWhole) return reading();
  }
  reader.end();
  return reading();
}

export function readByNode(method: string, pieces: readonly Buffer[]): Promise<ReadResponse> {
  return new Promise((resolve) => {
    let [status, headers, body]: [number | undefined, Lines, string] = [undefined, NO_LINES, ''];
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const settle = (isWhole: boolean, trailers = NO_LINES): void => {
      socket.destroy();
      resolve({ isWhole, status, headers, body, trailers });
    };
    const asked = request({ method, createConnection: () => socket });
    asked.on('response', (response) => {
      status = response.statusCode;
      headers = linesOf(pairsOf(response.rawHeaders));
      response.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      response.on('end', () => settle(response.complete, linesOf(pairsOf(response.rawTrailers))));
      response.on('error', () => settle(false)).on('close', () => settle(false));
    });
    asked.on('error', () => settle(false));
    asked.on('close', () => status ?? settle(false));
    asked.end();
    for (const piece of pieces) socket.push(piece);
    socket.push(null);
  });
}

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as [string, string]] : []));

function linesOf(pairs: readonly (readonly [string, string | string[]])[]): Lines {
  const lines: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs)
    lines[name.toLowerCase()] = [...(lines[name.toLowerCase()] ?? []), ...[value].flat()];
  return Object.fromEntries(Object.entries(lines).sort(([a], [b]) => (a < b ? -1 : 1)));
}
