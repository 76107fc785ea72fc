/** Fourth in the pipeline: Postern's own routes, each found by its row. They are the only ones that respond through Koa. */
import type Koa from 'koa';
import { isCompressed, isOwn, isPublic } from '../../access/route-table.ts';
import { compressResponse } from '../../compress/compress.ts';
import { agentOf } from '../../domain/request.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { type BoundRoute, operationsOf, type RouteContext } from '../../routes/own-route.ts';
import { mayCarrySession, variesBy } from '../response/caches.ts';
import { viewedHeaders } from '../response/viewed-as.ts';
import type { GateDeps } from './gate-deps.ts';
import type { PipelineContext, PipelineState } from './pipeline-state.ts';

type OwnRouteDeps = Pick<GateDeps, 'ownRoutes' | 'renewal' | 'refusals'>;
type Context = RouteContext & { readonly state: PipelineState };
type Handler = (ctx: Context, next: Koa.Next) => unknown;

/** The handler is that of the row by which the request was judged; at `/` Postern has a page when no NVR is configured. */
export function ownRoutes(deps: OwnRouteDeps): (ctx: Context, next: Koa.Next) => Promise<unknown> {
  const handlers = handlersOf(deps.ownRoutes);
  const serve = async (ctx: Context, next: Koa.Next, handler: Handler): Promise<void> => {
    Object.assign(ctx.state, stateForRoutes(ctx));
    ctx.respond = true;
    ctx.res.statusCode = 404; // as Koa would have it
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    await handler(ctx, () => {
      ctx.respond = false;
      return next();
    });
    if (!ctx.respond) return;
    ctx.set(viewedHeaders(ctx.state.admission.caller) ?? {});
    if (isCompressed(ctx.state.admission.route)) await compressResponse(ctx);
    await renewSession(ctx, deps);
  };
  return (ctx, next) => {
    const { route, target } = ctx.state.admission;
    const path = isOwn(route) ? route.row.path : target.path === '/' ? '/' : undefined;
    const handler =
      path === undefined ? undefined : handlers.get(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${path}`);
    if (!handler) return next();
    return serve(Object.assign(ctx, { params: isOwn(route) ? route.parameters : {} }), next, handler);
  };
}

/** The handlers by method and path of their rows. */
export const handlersOf = (routes: readonly BoundRoute[]): ReadonlyMap<string, Handler> =>
  new Map(
    routes.flatMap(({ route, handler }) =>
      handler
        ? operationsOf(route).map(({ method, path }): [string, Handler] => [
            `${method} ${path}`,
            (ctx, next) => handler(ctx, undefined, next),
          ])
        : [],
    ),
  );

function stateForRoutes({ state: { facts, admission, requestId } }: PipelineContext): RouteState {
  const { caller, client, credentialFault } = admission;
  return {
    requestId,
    caller,
    credentialFault,
    clientAddress: client.address,
    clientEncrypted: client.encrypted,
    ...(facts.basePath === undefined ? {} : { basePath: facts.basePath }),
    clientAgent: agentOf(facts),
  };
}

/**
 * A route that set a cookie itself (login, logout) has the last word. A response with a cookie is kept by no cache: the next client
 * would be sent the session.
 */
async function renewSession(ctx: PipelineContext, { renewal, refusals }: OwnRouteDeps): Promise<void> {
  const { res, state } = ctx;
  const { caller, client, route } = state.admission;
  if (res.headersSent) return;
  if (caller && !res.hasHeader('set-cookie') && mayCarrySession(state.facts, state.admission)) {
    const cookie = await renewal(caller, client);
    if (cookie !== undefined) res.appendHeader('set-cookie', cookie);
  }
  if (!isPublic(route) || res.hasHeader('set-cookie')) ctx.vary(refusals().varies ?? variesBy());
  const isKeptNowhere = String(res.getHeader('cache-control')).includes('no-store');
  if (res.hasHeader('set-cookie') && !isKeptNowhere) res.setHeader('Cache-Control', 'private, no-store');
}
