/** A listener's two doors to the corridor: Koa for requests, the upgrade event for WebSockets. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import Koa from 'koa';
import type { Caller } from '../domain/caller.ts';
import type { ListenerName, RequestFacts } from '../domain/request.ts';
import type { Client, Rules } from './admit.ts';
import type { DestinationRules } from './destinations.ts';
import type { Forwarder } from './forward.ts';
import type { GateWatch } from './gate-watch.ts';
import type { MessageRelay } from './message-relay.ts';
import type { TermsDesk } from './narrow-terms.ts';
import type { OpenStreams } from './open-streams.ts';
import { type OwnRouter, ownRoutes } from './own-routes.ts';
import { passOn } from './pass-on.ts';
import type { RefusalRules } from './refuse.ts';
import { type GateState, judged } from './request-door.ts';
import type { HeaderRules } from './rewrite-headers.ts';
import type { UnknownRoutes } from './unknown-routes.ts';
import { upgraded } from './upgrade-door.ts';

export interface GateParts {
  readonly rules: () => Rules;
  readonly destinations: () => DestinationRules;
  readonly headers: () => HeaderRules;
  readonly refusals: () => RefusalRules;
  readonly forwarder: Forwarder;
  /** The service's own routes; what none of them answers is forwarded. */
  readonly ownRoutes: readonly OwnRouter[];
  /** A Set-Cookie line when the caller's session is near its end (interface 5.1.2). */
  readonly renewal: (caller: Caller, client: Client) => Promise<string | undefined>;
  /** Who a caller is now; undefined when the session or token is over. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  /** What the gate asks and answers itself when it narrows. */
  readonly desk: Omit<TermsDesk, 'owners'>;
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

export function createGate(listener: ListenerName, parts: GateParts): Gate {
  const awaitsContinue = new WeakSet<IncomingMessage>();
  const app = new Koa<GateState>();
  app.use((ctx, next) => judged(ctx, next, listener, parts, awaitsContinue));
  const answered = ownRoutes<GateState>(parts.ownRoutes, (ctx) =>
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId),
  );
  app.use((ctx, next) => answered(ctx.state.admission.target.segments, ctx, next));
  app.use((ctx) => passOn(ctx, parts));
  app.on('error', () => {}); // a client that left in mid-answer; our own faults are caught above
  const handle = app.callback();

  return {
    onRequest: (request, response) => void handle(request, response),
    onCheckContinue(request, response) {
      awaitsContinue.add(request);
      void handle(request, response);
    },
    onUpgrade: (request, socket, head) => void upgraded(request, socket, head, listener, parts),
  };
}
