/** The drain: the listeners stop accepting and let requests in flight finish; telemetry ends last (SPEC 1). */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Listener } from '../gateway/listen/listeners.ts';

/** What is left after `graceSeconds` is broken off. Until the listeners are closed, `/readyz` says that they drain. */
export async function drainListeners(
  listeners: readonly Listener[],
  telemetry: Server | undefined,
  graceSeconds: number,
): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close(graceSeconds)));
  if (telemetry) await end(telemetry);
}

/** A scraper keeps its connection, and would keep the process. */
async function end(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
