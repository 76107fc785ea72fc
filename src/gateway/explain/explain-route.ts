/** `GET /api/explain?method=&path=&user=|header=…`: the trace of a described request, for admins (SPEC 1). */
import Router from 'koa-router';
import type { Result } from '../../domain/result.ts';
import type { RouteState } from '../../domain/verdict.ts';
import type { Explanation } from './explanation.ts';

export interface ExplainRouteDeps {
  /** Errs with what is wrong with the question. It takes no token: addresses are logged on the way. */
  readonly explain: (question: {
    readonly method: string;
    readonly path: string;
    readonly user: string | undefined;
    readonly headers: readonly string[];
    readonly peer: string | undefined;
  }) => Promise<Result<Explanation, string>>;
}

/** The route that explains a request; its row is for admins only. */
export function createExplainRoutes({ explain }: ExplainRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.get('/api/explain', async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const explanation = await explain({
      method: query.get('method') ?? 'GET',
      path: query.get('path') ?? '',
      user: query.get('user') ?? undefined,
      headers: query.getAll('header'),
      peer: query.get('peer') ?? undefined,
    });
    ctx.set('Cache-Control', 'no-store');
    ctx.status = explanation.ok ? 200 : 422;
    ctx.body = explanation.ok ? explanation.value : { success: false, message: explanation.error };
  });
  return router;
}
