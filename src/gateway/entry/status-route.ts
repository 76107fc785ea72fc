/** `GET /api/status`: how the service is, for admins (SPEC 8). */
import Router from 'koa-router';
import type { ServiceStatus } from '../../domain/status.ts';
import type { RouteState } from '../../domain/verdict.ts';

/** The routes of the status; their rows are for admins only. */
export function createStatusRoutes(status: () => Promise<ServiceStatus>): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.get('/api/status', async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    ctx.body = await status();
  });
  return router;
}
