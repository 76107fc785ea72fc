/** `POST /api/status/canary`: one round of the canary now, for admins (SPEC 15). */
import type { CanaryStatus } from '../domain/status.ts';
import type { OwnRoute, RouteContext } from '../routes/own-route.ts';
import { STATUS } from '../routes/shapes.ts';

/** One round, or the end of the one that is under way. Null when nothing could be asked, as without an NVR. */
export type RunCanary = () => Promise<CanaryStatus | null>;

// biome-ignore format: a table
export const CANARY_ROUTES: readonly OwnRoute<RunCanary>[] = [
  { route: 'POST /api/status/canary', access: 'admin', note: 'asks the NVR what the canary asks', summary: 'One round of the canary now, and what it found', yes: [200, STATUS], no: [409], handler: run },
];

async function run(ctx: RouteContext, runCanary: RunCanary): Promise<void> {
  const status = await runCanary();
  ctx.set('Cache-Control', 'no-store');
  if (!status) ctx.status = 409;
  ctx.body = status ?? {
    success: false,
    message: 'The canary asks an NVR, and none is configured: set nvr.url.',
  };
}
