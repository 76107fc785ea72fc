/** Own routes behind a Koa of a test, found by their rows as in the gate; without the decision on who may. */
import type Koa from 'koa';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { handlersByRoute } from '../../src/gateway/entry/app.ts';
import { type BoundRoute, listOperations } from '../../src/routes/own-route.ts';

export function serveRoutes(routes: readonly BoundRoute[]): Koa.Middleware {
  const handlers = handlersByRoute(routes);
  const rows = routes.flatMap(({ route, access }) =>
    listOperations(route).map(({ method, path }) => ({ method, path, access })),
  );
  const table = compileRouteTable(
    rows.map(({ method, ...row }) => ({ ...row, methods: [method], own: true, line: 1 })),
  );
  return (ctx, next) => {
    const match = table.match(ctx.method, ctx.path.split('/').slice(1).map(decodeURIComponent));
    // Of `none` are other methods and spellings of these paths: nothing serves them.
    const found =
      match.kind === 'listed' && match.row.access !== 'none' ? match : { row: { path: ctx.path }, parameters: {} };
    const handler = handlers.get(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${found.row.path}`);
    return handler ? handler(Object.assign(ctx, { params: found.parameters }) as never, next) : next();
  };
}
