/** `GET /api/status`: how the service is, for admins (SPEC 8). */
import type { ServiceStatus } from '../../domain/status.ts';
import type { OwnRoute } from '../../routes/own-route.ts';
import { STATUS } from '../../routes/shapes.ts';

// biome-ignore format: a table
export const STATUS_ROUTES: readonly OwnRoute<() => Promise<ServiceStatus>>[] = [
  { route: 'GET /api/status', access: 'admin', note: 'addresses, warnings and failures of the service', summary: 'State of the service', yes: [200, STATUS],
    handler: async (ctx, status) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.body = await status();
    } },
];
