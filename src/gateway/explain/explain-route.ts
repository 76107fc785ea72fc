/** `GET /api/explain?method=&path=&user=|header=…`: the trace of a described request, for admins (SPEC 1). */
import { z } from 'zod';
import type { Result } from '../../domain/result.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { named } from '../../routes/shapes.ts';
import type { Explanation } from './explanation.ts';

const QUERY = {
  method: 'GET when not given',
  path: 'With its query',
  user: 'An account',
  header: '"Name: value", may be repeated',
  peer: 'Address that the request comes from',
};
const EXPLANATION = named(
  'Explanation',
  z.looseObject({}).meta({ description: 'How a request would be authorized, and why' }),
);

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

// biome-ignore format: a table
export const EXPLAIN_ROUTES: readonly OwnRoute<ExplainRouteDeps>[] = [
  { route: 'GET /api/explain', access: 'admin', note: 'how a described request would be judged', summary: 'How a request would be authorized, and why', query: QUERY, yes: [200, EXPLANATION], no: [422], handler: answer },
];

async function answer(ctx: RouteContext, { explain }: ExplainRouteDeps): Promise<void> {
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
}
