/** First in the pipeline: what is known of a request, its id, and who is told of its end and of faults behind. */
import { Ending } from '../../domain/async/ending.ts';
import type { ListenerName } from '../../domain/request.ts';
import { belowBasePath } from '../decision/base-path.ts';
import { requestFacts } from '../decision/request-facts.ts';
import { hasStalled } from '../response/client-socket.ts';
import { errorResponse, reasonOfFault } from '../response/error-responses.ts';
import type { GateDeps } from './gate-deps.ts';
import { type Middleware, type PipelineContext, respond } from './pipeline-state.ts';

type ObserveDeps = Pick<GateDeps, 'rules' | 'newRequestId' | 'watch' | 'refusals' | 'clientLimits'>;

/**
 * A fault behind it is a 500, or a 503 of the store. A fault of its own, or of that response, costs this connection and no
 * other. Not an async function: each would cost every request a promise and three turns of the microtask queue.
 */
export function observe(listener: ListenerName, deps: ObserveDeps): Middleware {
  return (ctx, next) => {
    try {
      begin(ctx, listener, deps);
      return next().catch((fault: unknown) => respondToFault(ctx, fault, deps));
    } catch {
      return Promise.resolve(void ctx.res.destroy());
    }
  };
}

function respondToFault(ctx: PipelineContext, fault: unknown, { refusals }: ObserveDeps): void {
  ctx.respond = false;
  try {
    const { watch, facts, requestId } = ctx.state;
    watch.onFault(fault);
    respond(ctx, errorResponse(reasonOfFault(fault), facts, requestId, refusals()));
  } catch {
    ctx.res.destroy();
  }
}

function begin(ctx: PipelineContext, listener: ListenerName, deps: ObserveDeps): void {
  ctx.respond = false; // only own-routes.ts responds through Koa
  const facts = belowBasePath(requestFacts(ctx.req, listener), deps.rules());
  const watch = deps.watch.onRequest(facts);
  ctx.state.facts = facts;
  ctx.state.watch = watch;
  ctx.state.requestId = deps.newRequestId();
  const ending = new Ending();
  ctx.state.ending = ending;
  ctx.state.takePlace = deps.clientLimits.placeUntil(ending);
  ctx.res.on('close', () => {
    const { statusCode: status, writableFinished: isWhole } = ctx.res;
    watch.onEnd({ status, isWhole, bytes: bodyBytes(ctx), isStalled: hasStalled(ctx.res) });
    ending.end();
  });
}

/** The length of the body by the head; the response to HEAD and a 304 have none. */
const bodyBytes = ({ state: { facts }, res }: PipelineContext): number =>
  facts.method === 'HEAD' || res.statusCode === 304 ? 0 : Number(res.getHeader('content-length') ?? 0);
