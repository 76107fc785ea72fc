/** A listener's two doors to the corridor: one for requests, one for WebSocket upgrades. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Caller } from '../../domain/caller.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { ListenerName, RequestFacts } from '../../domain/request.ts';
import type { Client, Rules } from '../decision/admit.ts';
import type { DestinationRules } from '../decision/destinations.ts';
import type { GateWatch } from '../decision/gate-watch.ts';
import type { Forwarder } from '../forward/forward.ts';
import type { HeaderRules } from '../forward/rewrite-headers.ts';
import type { ObligationDeps } from '../narrow/obligations.ts';
import type { RefusalRules } from '../response/refuse.ts';
import type { MessageRelay } from '../websocket/message-relay.ts';
import type { OpenStreams } from './open-streams.ts';
import type { OwnRouter } from './own-routes.ts';
import { createRequestHandler } from './request-handler.ts';
import type { UnknownRoutes } from './unknown-routes.ts';
import { handleUpgrade } from './upgrade-handler.ts';

export interface GateDeps {
  readonly rules: () => Rules;
  readonly destinations: () => DestinationRules;
  readonly headers: () => HeaderRules;
  readonly refusals: () => RefusalRules;
  readonly forwarder: Forwarder;
  /** The service's own routes; what none of them answers is forwarded. */
  readonly ownRoutes: readonly OwnRouter[];
  /** A Set-Cookie line when the caller's session is near its end (interface 5.1.2). */
  readonly renewal: (caller: Caller, client: Client) => MaybePromise<string | undefined>;
  /** The same at any time in a session's life, for `/auth` (interface 5.1.5). */
  readonly refresh: (caller: Caller, client: Client) => MaybePromise<string | undefined>;
  /** Who a caller is now; undefined when the session or token is over. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  /** What the gate asks and answers itself when it narrows. */
  readonly desk: Omit<ObligationDeps, 'owners'>;
  readonly relay: MessageRelay;
  readonly openStreams: Pick<OpenStreams, 'add' | 'addSocket'>;
  /** Told of everybody who is known, with the request that was judged. */
  readonly onCaller: (caller: Caller, client: Client, request: RequestFacts) => void;
  readonly unknownRoutes: UnknownRoutes;
  readonly newRequestId: () => string;
  readonly watch: GateWatch;
}

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
