/** Third in the pipeline: `/auth`, where a proxy asks about a request, or a caller about itself (SPEC 4.2). */
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import { asciiOf } from '../forward/rewrite-headers.ts';
import { mayCarrySession, variesBy } from '../response/caches.ts';
import { errorResponse, type OwnResponse, type RefusalRules } from '../response/error-responses.ts';
import { asksForAuth } from './described-request.ts';
import type { GateDeps } from './gate-deps.ts';
import { type Middleware, type PipelineContext, respond } from './pipeline-state.ts';
import { showsPictures } from './viewing-watch.ts';

type ForwardAuthDeps = Pick<GateDeps, 'renewal' | 'refresh' | 'refusals' | 'viewings'>;

export const forwardAuth =
  (deps: ForwardAuthDeps): Middleware =>
  (ctx, next) => {
    if (ctx.state.isForwardAuth) return Promise.resolve(admitForProxy(ctx, deps));
    return asksForAuth(ctx.state.facts) ? Promise.resolve(tellCaller(ctx, deps)) : next();
  };

/** A proxy asked about a request of its own client, which was admitted. */
function admitForProxy(ctx: PipelineContext, { renewal, refusals, viewings }: ForwardAuthDeps): MaybePromise<void> {
  const { facts, admission, describedMethod: method } = ctx.state;
  const { caller, client } = admission;
  const asked = { admission, method };
  if (viewings && showsPictures(asked)) viewings.asked(asked);
  // A proxy puts the cookie on its own response.
  const renewed = caller && mayCarrySession(facts, admission) ? renewal(caller, client) : undefined;
  return mapMaybe(renewed, (cookie) => respond(ctx, acceptedResponse(caller, refusals()), cookie));
}

/** No other request is described: is the caller known? It refreshes a session (interface 5.1.5). */
function tellCaller(ctx: PipelineContext, { refresh, refusals }: ForwardAuthDeps): MaybePromise<void> {
  const { facts, admission, requestId } = ctx.state;
  const { caller, client } = admission;
  if (!caller) return respond(ctx, errorResponse('no-credentials', facts, requestId, refusals()));
  return mapMaybe(refresh(caller, client), (cookie) => respond(ctx, acceptedResponse(caller, refusals()), cookie));
}

/** 202 with who is calling. The names are empty for an unknown caller: Caddy fills an absent header with its placeholder. */
const acceptedResponse = (caller: Caller | undefined, { varies = variesBy() }: RefusalRules): OwnResponse => ({
  status: 202,
  headers: {
    'cache-control': 'no-store',
    vary: varies,
    'remote-user': asciiOf(caller?.name ?? ''),
    'remote-role': asciiOf(caller?.role ?? ''),
  },
  body: '',
});

/** A refusal as a proxy understands it. */
export const forwardAuthRefusal = (refusal: OwnResponse): OwnResponse => ({
  ...refusal,
  status: forwardAuthStatus(refusal.status),
});

/** nginx takes a status other than 2xx, 401 and 403 for a fault. A fault of Postern's own stays one. */
export const forwardAuthStatus = (status: number): number => (status === 401 || status >= 500 ? status : 403);
