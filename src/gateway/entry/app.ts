/**
 * The pipeline: Koa takes every HTTP request of a listener, and this list is all that happens to one, in order. WebSocket
 * upgrades do not pass Koa; `upgrade-handler.ts` takes the same decision for them.
 */
import Koa from 'koa';
import type { ListenerName } from '../../domain/request.ts';
import { sendJsonAsText } from '../response/json-as-text.ts';
import { decide } from './decide.ts';
import { forwardAuth } from './forward-auth.ts';
import type { GateDeps } from './gate-deps.ts';
import { observe } from './observe.ts';
import { ownRoutes } from './own-routes.ts';
import type { PipelineState } from './pipeline-state.ts';
import { proxy } from './proxy.ts';
import { respondThroughKoa } from './respond-through-koa.ts';

export function createApp(listener: ListenerName, deps: GateDeps): Koa<PipelineState> {
  const app = respondThroughKoa(new Koa<PipelineState>(), ({ respond }) => respond === true);
  sendJsonAsText(app);
  app.use(observe(listener, deps)); // facts of the request, request id, metrics, access log
  app.use(decide(deps)); // admit(): a refusal is sent here, an admission goes on in ctx.state
  app.use(forwardAuth(deps)); // /auth
  app.use(ownRoutes(deps)); // login, accounts, pages: matched on the target that was judged
  app.use(proxy(deps)); // the NVR and the events backend; written to ctx.res, not through Koa
  app.on('error', () => {}); // a client that left in mid-response; faults of the pipeline are caught in observe
  return app;
}
