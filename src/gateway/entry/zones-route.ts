/** `GET /api/zones`: which zones there are, from the NVR's own configuration where no events backend tells it. */
import Router from 'koa-router';
import { viewOf } from '../../access/camera-view.ts';
import type { RouteState } from '../../domain/verdict.ts';
import type { Rules } from '../decision/admit.ts';

export interface ZonesRouteDeps {
  /** Then the request is forwarded to it. */
  readonly hasEventsBackend: boolean;
  readonly surroundings: Rules['surroundings'];
}

export function createZonesRoute({ hasEventsBackend, surroundings }: ZonesRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  if (hasEventsBackend) return router;
  router.get('/api/zones', (ctx) => {
    const { caller } = ctx.state;
    const { layout, now } = surroundings();
    if (!caller || !layout) return void Object.assign(ctx, { body: [] });
    const view = viewOf(caller, now, layout);
    const seen = [...layout.zones].filter(([, cameras]) => cameras.some(view.sees));
    ctx.set('Cache-Control', 'no-store');
    ctx.body = seen.map(([zone]) => zone).sort();
  });
  return router;
}
