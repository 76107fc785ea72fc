/** An NVR that records what arrived: the proof of every refusal is what it did not receive. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';

export interface Received {
  readonly method: string;
  readonly target: string;
  /** Lower-case name and value, a line each, as they came over the wire. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Latin-1 text of the body, filled in as it arrives. */
  body: string;
  bodyBytes: number;
}

export type NvrAnswer = (request: IncomingMessage, response: ServerResponse, received: Received) => void;

export interface FakeNvr {
  readonly url: string;
  readonly port: number;
  /** What tests have caused: the gate's own questions for the cameras, which it asks from time to time, are not among it. */
  readonly received: Received[];
  /** Sockets that are open to it now. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many connections were ever made to it. */
  connections(): number;
  answer: NvrAnswer;
  /** Bytes written instead of an HTTP answer; the connection is closed behind them unless `isOpen`. */
  rawAnswer: { readonly bytes: string; readonly isOpen?: boolean } | undefined;
  /** Answers an upgrade instead of the WebSocket echo. */
  answerUpgrade: ((request: IncomingMessage, socket: Duplex) => void) | undefined;
  /** The WebSocket echo. */
  acceptUpgrade(request: IncomingMessage, socket: Duplex): void;
  /** Values of a header, one for each line of the latest request that carried a line of it. */
  lastHeader(name: string): string[];
  close(): Promise<void>;
}

/** Bytes of `/media/big.bin`: position modulo 251, so that a range can be checked anywhere. */
export const BIG_FILE_BYTES = 200 * 1024 * 1024;
const PATTERN = Buffer.from(Array.from({ length: 251 * 256 }, (_, index) => index % 251));

const TAKES_ALL = { requestTimeout: 0, maxHeaderSize: 64 * 1024 };

export interface FakeNvrOptions {
  /** PEM; with it the NVR speaks HTTPS, at `localhost`. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string };
}

export async function startFakeNvr({ tls }: FakeNvrOptions = {}): Promise<FakeNvr> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const echo = new WebSocketServer({ noServer: true });
  echo.on('connection', (socket) =>
    socket.on('message', (bytes, isBinary) => socket.send(bytes, { binary: isBinary })),
  );
  let connections = 0;
  const server: Server = tls
    ? createTlsServer({ ...TAKES_ALL, cert: tls.certificate, key: tls.privateKey })
    : createServer(TAKES_ALL);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    const record = recordOf(request);
    if (!isOwnQuestion(record)) received.push(record);
    if (nvr.rawAnswer) return writeRaw(request.socket, nvr.rawAnswer);
    nvr.answer(request, response, record);
  });
  server.on('upgrade', (request, socket, head) => {
    received.push(recordOf(request));
    if (nvr.answerUpgrade) return nvr.answerUpgrade(request, socket);
    echo.handleUpgrade(request, socket, head, (client) => echo.emit('connection', client, request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const nvr: FakeNvr = {
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    received,
    sockets,
    connections: () => connections,
    answer: answerLikeAnNvr,
    rawAnswer: undefined,
    answerUpgrade: undefined,
    acceptUpgrade: (request, socket) =>
      echo.handleUpgrade(request, socket, Buffer.alloc(0), (client) => echo.emit('connection', client, request)),
    lastHeader: (name) => (received.at(-1)?.headers ?? []).filter(([line]) => line === name).map(([, value]) => value),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return nvr;
}

function recordOf(request: IncomingMessage): Received {
  const headers: [string, string][] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at]?.toLowerCase() ?? '', request.rawHeaders[at + 1] ?? '']);
  }
  const record: Received = { method: request.method ?? '', target: request.url ?? '', headers, body: '', bodyBytes: 0 };
  request.on('data', (chunk: Buffer) => {
    record.bodyBytes += chunk.length;
    if (record.body.length < 64 * 1024) record.body += chunk.toString('latin1');
  });
  return record;
}

/**
 * Whether the gate asks for the cameras by itself. To the letter: what an attack smuggles in has other headers, and what is
 * forwarded has more.
 */
const isOwnQuestion = ({ method, target, headers }: Received): boolean =>
  `${method} ${target}` === 'GET /api/config' &&
  headers
    .map(([name, value]) => (name === 'host' ? name : `${name}: ${value}`))
    .sort()
    .join() === 'connection: keep-alive,host,remote-role: admin,remote-user: anonymous';

function writeRaw(socket: Socket, { bytes, isOpen }: { bytes: string; isOpen?: boolean }): void {
  if (isOpen) socket.write(bytes, 'latin1');
  else socket.end(bytes, 'latin1');
}

const CONFIG = { cameras: { cam1: {}, cam2: {} } };

/** A page, some JSON, a large file that takes ranges; everything else echoes what was asked. */
export function answerLikeAnNvr(request: IncomingMessage, response: ServerResponse, received: Received): void {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path === '/' || path === '/review') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>NVR</title>');
  } else if (path === '/api/config') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(CONFIG));
  } else if (path === '/api/version') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('0.18.0-fake');
  } else if (path === '/vod/cam1/big.bin') {
    sendBigFile(request, response);
  } else {
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ method: received.method, target: received.target, bodyBytes: received.bodyBytes }));
    });
  }
}

function sendBigFile(request: IncomingMessage, response: ServerResponse): void {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const from = range ? Number(range[1]) : 0;
  const to = range?.[2] ? Number(range[2]) : BIG_FILE_BYTES - 1;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': to - from + 1,
    'accept-ranges': 'bytes',
    etag: '"big"',
  };
  if (range) response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${to}/${BIG_FILE_BYTES}` });
  else response.writeHead(200, headers);
  let at = from;
  const more = (): void => {
    while (at <= to && !response.destroyed) {
      const start = at % 251;
      const chunk = PATTERN.subarray(start, start + Math.min(PATTERN.length - start, to - at + 1));
      at += chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}
