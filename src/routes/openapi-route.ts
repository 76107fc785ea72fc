/** `GET /postern/api/openapi.json`: what there is to call, for everybody who is logged in (SPEC 15). */
import type { OwnRoute, RouteContext } from './own-route.ts';
import { ANY } from './shapes.ts';

export interface OpenApiDeps {
  /** JSON. It tells of no account and no camera, so it is the same for everybody. */
  readonly description: () => string;
}

// biome-ignore format: a table
export const OPENAPI_ROUTES: readonly OwnRoute<OpenApiDeps>[] = [
  { route: 'GET /postern/api/openapi.json', access: 'any', compressed: true, summary: 'This description', yes: [200, ANY], handler: describe },
];

function describe(ctx: RouteContext, { description }: OpenApiDeps): void {
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.type = 'application/json';
  ctx.body = description();
}
