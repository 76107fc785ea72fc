/** `POST /api/status/canary`: one round of the canary now, for admins (SPEC 15). */
import Router from 'koa-router';
import type { CanaryStatus } from '../domain/status.ts';
import type { RouteState } from '../domain/verdict.ts';

/** One round, or the end of the one that is under way. Null when nothing could be asked, as without an NVR. */
export type RunCanary = () => Promise<CanaryStatus | null>;

/** The route that runs a round; its row is for admins only. */
export function createCanaryRoute(run: RunCanary): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.post('/api/status/canary', async (ctx) => {
    const status = await run();
    ctx.set('Cache-Control', 'no-store');
    if (status) {
      ctx.body = status;
      return;
    }
    ctx.status = 409;
    ctx.body = { success: false, message: 'The canary asks an NVR, and none is configured: set nvr.url.' };
  });
  return router;
}
