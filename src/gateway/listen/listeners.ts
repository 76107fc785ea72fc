/** The listeners: HTTP or HTTPS servers with the limits of SPEC 1, each with a gate behind it. */
import { readFileSync } from 'node:fs';
import { chmod, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerOptions } from 'node:http';
import { connect, type ListenOptions, type NetConnectOpts, Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ListenAddress } from '../../domain/addresses.ts';
import type { ConnectionRefusal, OnConnectionRefused } from '../../domain/refusal.ts';
import { type ListenerName, MOST_HEAD_BYTES } from '../../domain/request.ts';
import { attempt, faultMessage } from '../../domain/result.ts';
import { markLocal, readPeer } from '../decision/request-facts.ts';
import { METHODS_WITHOUT_CHUNKS } from '../decision/strict-target.ts';
import type { Handlers } from '../entry/app.ts';
import { STALLED_SECONDS } from '../response/client-socket.ts';
import { createHttp1Connections, type Http1Connections, TOO_SLOW } from './http1-connections.ts';
import { createTlsServer, type Http2Sessions, type TlsRules } from './tls-server.ts';

export interface ListenerRules {
  /** Seconds in which the head of a request must be there. */
  readonly timeoutHeaders: number;
  /** Seconds in which a client must take something of a response that waits for it; absent: an hour. */
  readonly timeoutStalled?: number;
  /** Undefined for plain HTTP. */
  readonly tls: Omit<TlsRules, 'silence' | 'onConnectionRefused'> | undefined;
  readonly onConnectionRefused: OnConnectionRefused;
}

/** A reload exchanges the generation: what begins then finds the next one. `timeout_idle`: the seconds of silence that cut a client off. */
export interface Serving {
  readonly generation: {
    readonly gates: Readonly<Record<ListenerName, Handlers>>;
    readonly settings: { readonly nvr: { readonly timeout_idle: number } };
  };
}

export type Listener = Awaited<ReturnType<typeof listen>>;

const LONGEST_BETWEEN_CHECKS_MS = 5_000;
/** Longer than proxies in front keep a connection (mostly 60 s): a request that is sent while this side closes would be lost. */
const KEPT_ALIVE_MS = 75_000;

export async function listen(at: ListenAddress, name: ListenerName, serving: Serving, rules: ListenerRules) {
  const { onConnectionRefused } = rules;
  const options: ServerOptions = {
    maxHeaderSize: MOST_HEAD_BYTES,
    headersTimeout: rules.timeoutHeaders * 1000,
    keepAliveTimeout: KEPT_ALIVE_MS,
    requestTimeout: 0, // an upload may take its time, as long as the client is not silent
    connectionsCheckingInterval: Math.min(LONGEST_BETWEEN_CHECKS_MS, rules.timeoutHeaders * 500),
    insecureHTTPParser: false,
    shouldUpgradeCallback: offersWebSocket,
  };
  const { timeoutStalled = STALLED_SECONDS } = rules;
  const idleMs = () => serving.generation.settings.nvr.timeout_idle * 1000;
  const silence = { idleMs, stalledMs: timeoutStalled * 1000 };
  const tls = rules.tls && createTlsServer({ ...rules.tls, silence, onConnectionRefused }, options);
  const server = tls ? tls.server : createServer(options);
  const http1 = createHttp1Connections(silence);
  const judge = withWholeHead(
    (request, response) => serving.generation.gates[name].onRequest(request, response),
    rules.timeoutHeaders * 1000,
    ({ socket }) => onConnectionRefused('too_slow', readPeer(socket)),
  );
  const onRequest = http1.inTurn(tls ? tls.requestsTo(judge) : judge);
  const connections = new Set<Socket>();
  const isBeyondReserve = createDescriptorReserve();
  // Node reads the property when a connection begins, and again behind each request.
  server.prependListener('connection', () => Object.assign(server, { timeout: idleMs() }));
  server.on('timeout', http1.onSilence);
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket | TLSSocket) => {
    if (!('alpnProtocol' in socket && socket.alpnProtocol === 'h2')) http1.add(socket);
  });
  server.prependListener('connection', (socket) => {
    if (!isBeyondReserve(socket)) return;
    onConnectionRefused('full', readPeer(socket));
    socket.destroy();
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    if (at.path !== undefined) markLocal(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', onRequest);
  server.on('checkContinue', onRequest); // which says when the body may come
  server.on('checkExpectation', onRequest); // refused as 'expectation-unknown'
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (http1.handOver(socket)) serving.generation.gates[name].onUpgrade(request, socket, head);
    else socket.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const cause = respondToClientError(error, socket);
    if (cause) onConnectionRefused(cause, readPeer(socket), error.code);
  });
  return {
    address: await bind(server, at),
    /** Stops accepting, lets requests in flight finish, and breaks what is left after `graceSeconds`. */
    close: (graceSeconds: number): Promise<void> => drain(server, connections, http1, tls?.sessions, graceSeconds),
  };
}

/**
 * Any other offer (`h2c`, `TLS/1.0`) is not accepted: the request is answered in HTTP/1.1 (RFC 9110 section 7.8). A list
 * that holds `websocket` beside others is taken for an upgrade, and refused there.
 */
const offersWebSocket = ({ headers: { upgrade = '' } }: IncomingMessage): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const SHORTER =
  'The request head is longer than 32 KB: delete the cookies of this host, or let the login in front send fewer groups.\n';
const TOO_LARGE = [
  'HTTP/1.1 431 Request Header Fields Too Large',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${SHORTER.length}`,
  'Connection: close',
  '',
  SHORTER,
].join('\r\n');

/**
 * Answers what the parser refuses, which never becomes a request, and tells the cause. Nothing is written to a socket on which a
 * response has begun.
 */
function respondToClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): ConnectionRefusal | undefined {
  // Bytes behind "Connection: close" are no request, and must not break the response under way.
  if (code === 'HPE_CLOSED_CONNECTION') return undefined;
  const hasWritten = 'bytesWritten' in socket && (socket as Socket).bytesWritten > 0;
  // Otherwise a TLS handshake has failed, or the client is gone: no response can be sent.
  const isOfParser = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!isOfParser || !socket.writable || hasWritten) return void socket.destroy();
  const [cause, answer] = ANSWERS[code] ?? OTHER_ANSWER;
  socket.end(answer);
  return code === LEFT ? undefined : cause;
}

/** The client closed its side within a head or a body. */
const LEFT = 'HPE_INVALID_EOF_STATE';
const OTHER_ANSWER = ['malformed', BAD_REQUEST] as const;
const ANSWERS: Readonly<Record<string, readonly [cause: ConnectionRefusal, answer: string]>> = {
  HPE_HEADER_OVERFLOW: ['head_too_large', TOO_LARGE],
  ERR_HTTP_REQUEST_TIMEOUT: ['too_slow', TOO_SLOW],
};

/** Resolves with the address that is bound, with the real port for 0; rejects with a sentence when it cannot be bound. */
export async function bind(server: Server, at: ListenAddress): Promise<ListenAddress> {
  const { path } = at;
  if (path !== undefined) {
    // A socket file at which nothing answers any more is removed; one that answers is left, and listening fails.
    if ((await connectTo({ path })) === 'ECONNREFUSED') await unlink(path);
    server.once('listening', () => void chmod(path, OWNER_AND_GROUP).catch(() => {}));
  }
  await listening(server, at, listenPlace(at));
  const bound = server.address();
  return typeof bound === 'string' || bound === null ? at : { ...at, port: bound.port };
}

/** Rejects as `bind` would, and takes no port that a start may want at this moment: a program that has it answers. */
export async function assertBindable(at: ListenAddress): Promise<void> {
  const { host, port, path } = at;
  if (path === undefined) {
    const server = createServer();
    await listening(server, at, { host, port: port < FIRST_OPEN_PORT ? port : 0 });
    await new Promise((resolve) => server.close(resolve));
    if (port === 0) return;
  }
  if ((await connectTo(listenPlace(at))) === 'connected') throw cannotListen(at, { code: 'EADDRINUSE' });
}

/** Ports below need a right of their own. */
const FIRST_OPEN_PORT = 1024;

const listening = (server: Server, at: ListenAddress, place: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(at, cause)));
    server.listen(place, resolve);
  });

function cannotListen({ host, port, path }: ListenAddress, cause: Pick<NodeJS.ErrnoException, 'code'>): Error {
  const reason = BIND_FAULTS[cause.code ?? ''] ?? faultMessage(cause);
  return new Error(`cannot listen on ${path ?? `${host}:${port}`}: ${reason}`, { cause });
}

const listenPlace = ({ host, port, path }: ListenAddress) => (path === undefined ? { host, port } : { path });

const BIND_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has that port: stop it, or choose another port in the configuration',
  EACCES: 'this user may not use that port: choose one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
};

/** Only its owner and its group, such as a proxy's, may connect. */
const OWNER_AND_GROUP = 0o660;

/** `connected`, or the code of the fault. */
const connectTo = (at: NetConnectOpts): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(at);
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });

/** The least number that stays free; of a high limit a sixteenth. */
const LEAST_FREE = 16;

/** Whether the socket has one of the last descriptors. The system gives the lowest number that is free. */
function createDescriptorReserve(limit: number | undefined = descriptorLimit()): (socket: Socket) => boolean {
  if (limit === undefined) return () => false;
  const last = limit - Math.max(LEAST_FREE, Math.floor(limit / 16));
  return (socket) => (fileDescriptor(socket) ?? 0) >= last;
}

/** Undefined where the machine does not tell. */
function descriptorLimit(): number | undefined {
  const limits = attempt(() => readFileSync('/proc/self/limits', 'utf8')) ?? '';
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
  return Number.isNaN(limit) ? undefined : limit;
}

const fileDescriptor = (socket: Socket): number | undefined =>
  (socket as Socket & { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;

const BETWEEN_LOOKS_MS = 50;
/**
 * A kept connection is not closed before it was idle for so many looks: its client may be sending, and a request that
 * crosses the end of its connection is lost.
 */
const IDLE_LOOKS = 5;

/**
 * Stops accepting, lets requests in flight finish, and breaks what is left after `graceSeconds`. The last response of a
 * connection of HTTP/1 says `Connection: close`. Clients of HTTP/2 are told to open no more streams (GOAWAY); open streams
 * may end.
 */
async function drain(
  server: Server,
  connections: ReadonlySet<Socket>,
  http1: Http1Connections,
  http2: Http2Sessions | undefined,
  graceSeconds: number,
): Promise<void> {
  http1.leave();
  // Not the method of Node's HTTP servers: it closes idle connections at once, and checks no head in time any more.
  const isClosed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
  const looking = setInterval(() => {
    http1.closeIdle(IDLE_LOOKS);
    http2?.leave(IDLE_LOOKS);
  }, BETWEEN_LOOKS_MS);
  const timer = setTimeout(() => {
    for (const socket of connections) socket.destroy();
  }, graceSeconds * 1000);
  await isClosed;
  clearInterval(looking);
  clearTimeout(timer);
  server.close(); // of an HTTP server, the clock that looks for late heads
}

/** Proxies say the end of an empty body at once. */
const LONGEST_WAIT_MS = 10_000;

/**
 * HTTP/2 and HTTP/3 need not say with the head that no body follows, and proxies make `Transfer-Encoding: chunked` of that: Caddy
 * for HTTP/3, HAProxy for HTTP/2, nginx where it does not buffer requests. A body of zero bytes is no body, so its framing
 * is taken out, and the request is judged and forwarded without one. At the first byte the request goes on as it came, and is refused.
 */
const withWholeHead =
  (
    serve: Handlers['onRequest'],
    patienceMs: number,
    onLate: (request: IncomingMessage) => void,
  ): Handlers['onRequest'] =>
  (request, response) => {
    if (!mayBeEmpty(request)) return serve(request, response);
    if (isEmpty(request)) return serve(withoutFraming(request), response); // it was sent ahead, and has waited for its turn
    const settle = (): void => {
      clearTimeout(timer);
      request.off('readable', onReadable);
      response.off('close', settle);
    };
    const onReadable = (): void => {
      settle();
      serve(request.readableLength === 0 ? withoutFraming(request) : request, response);
    };
    const giveUp = (): void => {
      settle();
      onLate(request);
      response.writeHead(408, { Connection: 'close', 'Content-Length': 0 }).end();
    };
    const timer = setTimeout(giveUp, Math.min(patienceMs, LONGEST_WAIT_MS));
    request.on('readable', onReadable);
    response.on('close', settle);
  };

/** HTTP/1.0 has no chunks. What frames a body in HTTP/2 reads as `chunked` here. */
const mayBeEmpty = ({ method = '', headers, httpVersion }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === 'chunked' &&
  headers['content-length'] === undefined &&
  METHODS_WITHOUT_CHUNKS.has(method) &&
  httpVersion !== '1.0';

const isEmpty = ({ complete, readableLength }: IncomingMessage): boolean => complete && readableLength === 0;

function withoutFraming(request: IncomingMessage): IncomingMessage {
  const { rawHeaders, headers } = request;
  const { 'transfer-encoding': _, ...kept } = headers;
  request.headers = kept;
  request.rawHeaders = rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== 'transfer-encoding');
  return request;
}
