/** What the middleware of the pipeline leave for each other in Koa's `ctx.state`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Ending } from '../../domain/async.ts';
import type { RouteState } from '../../domain/caller.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';
import type { TakePlace } from '../decision/client-limits.ts';
import type { RequestWatch } from '../decision/gate-watch.ts';
import type { OwnResponse } from '../response/error-responses.ts';
import { send } from '../response/send.ts';

/** `RouteState` is for Postern's own routes; `own-routes.ts` fills it. */
export interface PipelineState extends RouteState {
  /** Set by `observe`. */
  facts: RequestFacts;
  watch: RequestWatch;
  /** Set by `observe`; `decide` keeps the one that a trusted proxy sent. */
  requestId: string;
  /** Set by `observe`. */
  ending: Ending;
  takePlace: TakePlace;
  /** Set by `decide`. */
  admission: Admitted;
  /** Set by `decide`: a proxy asks about another request, and `admission` is about that one. */
  isForwardAuth: boolean;
  /** Set by `decide`: the method of that other request. */
  describedMethod: string;
}

export type PipelineContext = Koa.ParameterizedContext<PipelineState>;
export type Middleware = (ctx: PipelineContext, next: Koa.Next) => Promise<unknown>;

/** An admitted request, and where its response goes. */
export interface AdmittedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly facts: RequestFacts;
  readonly watch: RequestWatch;
  /** What is taken for the request is given back here: its `close` event may have been before. */
  readonly ending: Ending;
  readonly admission: Admitted;
  readonly requestId: string;
}

/** Sends a response of Postern's own, past Koa's response helpers. `cookie` is a line of `Set-Cookie`. */
export const respond = ({ req, res, state }: PipelineContext, response: OwnResponse, cookie?: string): void =>
  send({ request: req, response: res, watch: state.watch }, response, state.requestId, cookie);
