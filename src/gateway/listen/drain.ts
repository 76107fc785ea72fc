/** Drain: how a listener stops at SIGTERM: no new connections, requests in flight finish, the rest is cut (SPEC 1). */
import { Server, type Socket } from 'node:net';
import type { Http1Connections } from './http1-connections.ts';
import type { Http2Sessions } from './http2-sessions.ts';

export interface Draining {
  readonly server: Server;
  /** All of them, of TCP. */
  readonly connections: ReadonlySet<Socket>;
  readonly http1: Http1Connections;
  /** Undefined where the listener does not speak HTTP/2. */
  readonly http2: Http2Sessions | undefined;
}

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
export async function drain({ server, connections, http1, http2 }: Draining, graceSeconds: number): Promise<void> {
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
