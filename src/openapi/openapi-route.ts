/** `GET /postern/api/openapi.json`: what there is to call, for everybody who is logged in (SPEC 15). */
import Router from 'koa-router';
import type { RouteState } from '../domain/verdict.ts';
import { openApiDocument } from './document.ts';

/** The same for everybody: it tells of no account and no camera. */
export function createOpenApiRoutes(version: string): Router<RouteState> {
  let text: string | undefined; // made for the first who asks: it is long, and few do
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.get('/postern/api/openapi.json', (ctx) => {
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.type = 'application/json';
    text ??= JSON.stringify(openApiDocument(version));
    ctx.body = text;
  });
  return router;
}
