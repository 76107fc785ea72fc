/** A listener's two handlers: one for requests, one for WebSocket upgrades. Both take the same decision. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ListenerName } from '../../domain/request.ts';
import type { GateDeps } from './gate-deps.ts';
import { createRequestHandler } from './request-handler.ts';
import { handleUpgrade } from './upgrade-handler.ts';

export interface Gate {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** The client waits for leave to send its body, which it gets only when admitted. */
  onCheckContinue(request: IncomingMessage, response: ServerResponse): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createGate(listener: ListenerName, parts: GateDeps): Gate {
  const door = createRequestHandler(listener, parts);
  const enter = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void => {
    // The door answers for faults behind it. One of its own costs this connection, and no other.
    door(request, response, awaitsContinue).catch(() => response.destroy());
  };
  return {
    onRequest: (request, response) => enter(request, response, false),
    onCheckContinue: (request, response) => enter(request, response, true),
    onUpgrade: (request, socket, head) => void handleUpgrade(request, socket, head, listener, parts),
  };
}
