/** A listener's two handlers: Koa's for requests, one for WebSocket upgrades. Both take the same decision. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ListenerName } from '../../domain/request.ts';
import { createApp } from './app.ts';
import type { GateDeps } from './gate-deps.ts';
import { handleUpgrade } from './upgrade-handler.ts';

export interface Gate {
  /** A client that waits for leave to send its body (`Expect: 100-continue`) gets it only when admitted. */
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createGate(listener: ListenerName, deps: GateDeps): Gate {
  const handleRequest = createApp(listener, deps).callback();
  return {
    onRequest: (request, response) => void handleRequest(request, response),
    onUpgrade: (request, socket, head) => {
      // handleUpgrade responds to faults behind it. A fault of its own costs this connection, and no other.
      handleUpgrade(request, socket, head, listener, deps).catch(() => socket.destroy());
    },
  };
}
