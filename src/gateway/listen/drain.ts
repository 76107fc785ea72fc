/** Drain: how a listener stops at SIGTERM: no new connections, requests in flight finish, the rest is cut (SPEC 1). */
import type { Server as HttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';

/** A kept connection whose response is out would keep the listener open until its next request. */
const BETWEEN_LOOKS_MS = 100;

/** Node's HTTP/2 server has it too, for its HTTP/1 connections, but its types do not say so. */
export type IdleConnections = Partial<Pick<HttpServer, 'closeIdleConnections'>>;

/**
 * Stops accepting, lets requests in flight finish, and breaks what is left after `graceSeconds`. Clients of HTTP/2 are told
 * to open no more streams (GOAWAY); open streams may end.
 */
export async function drain(
  server: Server & IdleConnections,
  connections: ReadonlySet<Socket>,
  graceSeconds: number,
): Promise<void> {
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  const looking = setInterval(() => server.closeIdleConnections?.(), BETWEEN_LOOKS_MS);
  const timer = setTimeout(() => {
    for (const socket of connections) socket.destroy();
  }, graceSeconds * 1000);
  await isClosed;
  clearInterval(looking);
  clearTimeout(timer);
}
