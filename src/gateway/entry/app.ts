/**
 * The pipeline: Koa takes every HTTP request of a listener, and this list is all that happens to one, in order. WebSocket
 * upgrades do not pass Koa; `upgrade-handler.ts` takes the same decision for them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import Koa from 'koa';
import { isCompressed, isOwn, isPublic } from '../../access/route-table.ts';
import { compressResponse } from '../../compress/compress.ts';
import { Ending } from '../../domain/async.ts';
import type { RouteState } from '../../domain/caller.ts';
import { type ListenerName, userAgent } from '../../domain/request.ts';
import { type BoundRoute, listOperations, type RouteContext } from '../../routes/own-route.ts';
import { belowBasePath, requestFacts } from '../decision/request-facts.ts';
import type { Gate } from '../gate.ts';
import { hasStalled } from '../response/client-socket.ts';
import { errorResponse, reasonOfFault, viewedHeaders } from '../response/error-responses.ts';
import { mayCarrySession, variesBy } from '../response/response-headers.ts';
import { decide } from './decide.ts';
import { forwardAuth } from './forward-auth.ts';
import { type Middleware, type PipelineContext, type PipelineState, respond } from './pipeline.ts';
import { proxy } from './proxy.ts';
import { upgradesTo } from './upgrade-handler.ts';

/** A listener's two handlers: Koa's for requests, one for WebSocket upgrades. Both take the same decision. */
export type Handlers = ReturnType<typeof createHandlers>;

export function createHandlers(listener: ListenerName, gate: Gate) {
  const app = respondThroughKoa(new Koa<PipelineState>(), ({ respond }) => respond === true);
  sendJsonAsText(app);
  app.use(observe(listener, gate)); // facts of the request, request id, metrics, access log
  app.use(decide(gate)); // admit(): a refusal is sent here, an admission goes on in ctx.state
  app.use(forwardAuth(gate)); // /auth
  app.use(ownRoutes(gate)); // login, accounts, pages: matched on the target that was judged
  app.use(proxy(gate)); // the NVR and the events backend; written to ctx.res, not through Koa
  app.on('error', () => {}); // a client that left in mid-response; faults of the pipeline are caught in observe
  const handleRequest = app.callback();
  return {
    /** A client that waits for leave to send its body (`Expect: 100-continue`) gets it only when admitted. */
    onRequest: (request: IncomingMessage, response: ServerResponse): void => void handleRequest(request, response),
    onUpgrade: upgradesTo(listener, gate),
  };
}

type Pipeline = (ctx: PipelineContext) => Promise<unknown>;

/** Koa calls this method for each request; its types leave it out. Without it here, Koa would do the same for all, and slower. */
interface RequestHandling {
  handleRequest(ctx: PipelineContext, pipeline: Pipeline): Promise<unknown>;
}

/**
 * Koa listens to four events of each response and waits for two promises more than the pipeline: 2.4 of the 15 µs that an
 * empty pipeline costs. `observe` knows of the end of each response and of each fault already, so only what `isFor` names,
 * once the pipeline is through, goes that way.
 */
function respondThroughKoa(
  app: Koa<PipelineState> & Partial<RequestHandling>,
  isFor: (ctx: PipelineContext) => boolean,
): Koa<PipelineState> {
  const koaHandles = app.handleRequest;
  if (koaHandles === undefined) throw new Error('this version of Koa has no handleRequest');
  app.handleRequest = (ctx, pipeline) =>
    pipeline(ctx).then(() => (isFor(ctx) ? koaHandles.call(app, ctx, keepStatus(ctx.res.statusCode)) : undefined));
  return app;
}

/** Koa begins with 404. */
const keepStatus =
  (status: number): Pipeline =>
  (ctx) => {
    ctx.res.statusCode = status;
    return Promise.resolve();
  };

/**
 * Koa asks of each body that it does not know whether it is a `Response`. To name that global loads Node's own fetch: 50 ms of
 * the first login, and some 6 MB. A text it knows.
 */
function sendJsonAsText<State>({ response }: Koa<State>): void {
  const body = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(response), 'body');
  if (!body?.set) throw new Error('this version of Koa has no setter for the body of a response');
  const { set } = body;
  Object.defineProperty(response, 'body', {
    ...body,
    set(this: Koa.Response, value: unknown) {
      if (!isJson(value)) return set.call(this, value);
      if (!/\bjson\b/i.test(this.type)) this.type = 'json';
      set.call(this, JSON.stringify(value));
    },
  });
}

const isJson = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value) && !(value instanceof Readable);

type ObserveGate = Pick<Gate, 'rules' | 'newRequestId' | 'watch' | 'refusals' | 'clientLimits'>;

/**
 * A fault behind it is a 500, or a 503 of the store. A fault of its own, or of that response, costs this connection and no
 * other. Not an async function: each would cost every request a promise and three turns of the microtask queue.
 */
function observe(listener: ListenerName, gate: ObserveGate): Middleware {
  return (ctx, next) => {
    try {
      begin(ctx, listener, gate);
      return next().catch((fault: unknown) => respondToFault(ctx, fault, gate));
    } catch {
      return Promise.resolve(void ctx.res.destroy());
    }
  };
}

function respondToFault(ctx: PipelineContext, fault: unknown, { refusals }: ObserveGate): void {
  ctx.respond = false;
  try {
    const { watch, facts, requestId } = ctx.state;
    watch.onFault(fault);
    respond(ctx, errorResponse(reasonOfFault(fault), facts, requestId, refusals));
  } catch {
    ctx.res.destroy();
  }
}

function begin(ctx: PipelineContext, listener: ListenerName, gate: ObserveGate): void {
  ctx.respond = false; // only own-routes.ts responds through Koa
  const facts = belowBasePath(requestFacts(ctx.req, listener), gate.rules());
  const watch = gate.watch.onRequest(facts);
  ctx.state.facts = facts;
  ctx.state.watch = watch;
  ctx.state.requestId = gate.newRequestId();
  const ending = new Ending();
  ctx.state.ending = ending;
  ctx.state.takePlace = gate.clientLimits.placeUntil(ending);
  ctx.res.on('close', () => {
    const { statusCode: status, writableFinished: isWhole } = ctx.res;
    watch.onEnd({ status, isWhole, bytes: bodyBytes(ctx), isStalled: hasStalled(ctx.res) });
    ending.end();
  });
}

/** The length of the body by the head; the response to HEAD and a 304 have none. */
const bodyBytes = ({ state: { facts }, res }: PipelineContext): number =>
  facts.method === 'HEAD' || res.statusCode === 304 ? 0 : Number(res.getHeader('content-length') ?? 0);

/** Fourth in the pipeline: Postern's own routes, each found by its row. They are the only ones that respond through Koa. */
type OwnRouteGate = Pick<Gate, 'ownRoutes' | 'renewal' | 'refusals'>;
type Context = RouteContext & { readonly state: PipelineState };
type Handler = (ctx: Context, next: Koa.Next) => unknown;

/** The handler is that of the row by which the request was judged; at `/` Postern has a page when no NVR is configured. */
function ownRoutes(gate: OwnRouteGate): (ctx: Context, next: Koa.Next) => Promise<unknown> {
  const handlers = handlersByRoute(gate.ownRoutes);
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
    await renewSession(ctx, gate);
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
export const handlersByRoute = (routes: readonly BoundRoute[]): ReadonlyMap<string, Handler> =>
  new Map(
    routes.flatMap(({ route, handler }) =>
      handler
        ? listOperations(route).map(({ method, path }): [string, Handler] => [
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
    clientAgent: userAgent(facts),
  };
}

/**
 * A route that set a cookie itself (login, logout) has the last word. A response with a cookie is kept by no cache: the next client
 * would be sent the session.
 */
async function renewSession(ctx: PipelineContext, { renewal, refusals }: OwnRouteGate): Promise<void> {
  const { res, state } = ctx;
  const { caller, client, route } = state.admission;
  if (res.headersSent) return;
  if (caller && !res.hasHeader('set-cookie') && mayCarrySession(state.facts, state.admission)) {
    const cookie = await renewal(caller, client);
    if (cookie !== undefined) res.appendHeader('set-cookie', cookie);
  }
  if (!isPublic(route) || res.hasHeader('set-cookie')) ctx.vary(refusals.varies ?? variesBy());
  const isKeptNowhere = String(res.getHeader('cache-control')).includes('no-store');
  if (res.hasHeader('set-cookie') && !isKeptNowhere) res.setHeader('Cache-Control', 'private, no-store');
}
