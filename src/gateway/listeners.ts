/** The sockets: HTTP or HTTPS servers with the limits of SPEC 1, each with a gate behind it. */
import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ListenAddress } from '../domain/socket-address.ts';
import type { Gate } from './gate.ts';

export interface ListenerRules {
  /** Seconds in which the head of a request must be there. */
  readonly timeoutHeaders: number;
  /** PEM; undefined for plain HTTP. */
  readonly tls: { readonly certificate: string; readonly privateKey: string } | undefined;
}

export interface Listener {
  readonly server: Server;
  readonly address: ListenAddress;
  /** Stops accepting, lets requests in flight finish, and breaks what is left after `graceSeconds`. */
  close(graceSeconds: number): Promise<void>;
}

/** Names and values of a request's headers together (SPEC 1; more is answered 431). */
const MAX_HEADER_BYTES = 16 * 1024;
const LONGEST_BETWEEN_CHECKS_MS = 5_000;

export async function listen(at: ListenAddress, gate: Gate, rules: ListenerRules): Promise<Listener> {
  const options: ServerOptions = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: rules.timeoutHeaders * 1000,
    requestTimeout: 0, // an upload may take its time; its silence is the upstream's idle time-out
    connectionsCheckingInterval: Math.min(LONGEST_BETWEEN_CHECKS_MS, rules.timeoutHeaders * 500),
    insecureHTTPParser: false,
  };
  const server = rules.tls
    ? createTlsServer({ ...options, cert: rules.tls.certificate, key: rules.tls.privateKey })
    : createServer(options);
  const upgraded = new Set<Duplex>();
  server.on('request', gate.onRequest);
  server.on('checkContinue', gate.onCheckContinue);
  server.on('checkExpectation', gate.onRequest); // refused as 'expectation-unknown'
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    gate.onUpgrade(request, socket, head);
  });
  server.on('clientError', answerClientError);
  return { server, address: await bind(server, at), close: (graceSeconds) => close(server, upgraded, graceSeconds) };
}

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const TOO_LARGE = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** What the parser refuses never becomes a request. Nothing is said on a socket that an answer has begun on. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Bytes behind "Connection: close" are nobody's request: the answer under way is not theirs to break.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  if (!socket.writable || ('bytesWritten' in socket && (socket as Socket).bytesWritten > 0))
    return void socket.destroy();
  if (error.code === 'HPE_HEADER_OVERFLOW') return void socket.end(TOO_LARGE);
  socket.end(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : BAD_REQUEST);
}

/** Resolves with the address as it is, with a port for 0; rejects with a sentence when it cannot be had. */
export async function bind(server: Server, { host, port }: ListenAddress): Promise<ListenAddress> {
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause: NodeJS.ErrnoException) =>
      reject(new Error(`cannot listen on ${host}:${port}: ${reasonOf(cause)}`, { cause })),
    );
    server.listen({ host, port }, resolve);
  });
  return { host, port: (server.address() as AddressInfo).port };
}

const BIND_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has that port: stop it, or choose another port in the configuration',
  EACCES: 'this user may not use that port: choose one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
};

const reasonOf = (cause: NodeJS.ErrnoException): string => BIND_FAULTS[cause.code ?? ''] ?? cause.message;

async function close(server: Server, upgraded: ReadonlySet<Duplex>, graceSeconds: number): Promise<void> {
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  for (const socket of upgraded) socket.end(GOING_AWAY);
  const timer = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  }, graceSeconds * 1000);
  await isClosed;
  clearTimeout(timer);
}

/** An unmasked WebSocket close frame with code 1001 (RFC 6455 5.5.1, 7.4.1). */
const GOING_AWAY = Buffer.from([0x88, 0x02, 0x03, 0xe9]);
