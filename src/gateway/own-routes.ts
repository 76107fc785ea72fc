/** The service's own routes as one step: a request whose path begins like none of theirs passes it unlooked at. */
import type Koa from 'koa';

/** As much of a koa-router as the gate needs: how it types its context is its own affair. */
export interface OwnRouter {
  routes(): Answering;
  /** One for each path that it was given, such as `/api/users/:user/role`. */
  readonly stack: readonly { readonly path: string | RegExp }[];
}

type Answering = (ctx: never, next: Koa.Next) => Promise<unknown>;

type Context<State> = Koa.ParameterizedContext<State>;

export type OwnRoutes<State> = (segments: readonly string[], ctx: Context<State>, next: Koa.Next) => Promise<unknown>;

/**
 * Matching a path against every route costs more than judging the request, and most requests are the NVR's. Those that
 * begin alike are asked in their order, after `onAsked`; what none of them answers goes on to `next`.
 */
export function ownRoutes<State>(
  routers: readonly OwnRouter[],
  onAsked: (ctx: Context<State>) => void,
): OwnRoutes<State> {
  const byBeginning = new Map<string, Answering[]>();
  for (const router of routers) {
    const routes = router.routes();
    for (const beginning of new Set(router.stack.map(({ path }) => beginningOf(fixedSegments(String(path))))))
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), routes]);
  }
  return (segments, ctx, next) => {
    const asked = byBeginning.get(beginningOf(segments)) ?? byBeginning.get(segments[0] ?? '');
    if (!asked) return next();
    onAsked(ctx);
    return asked.reduceRight<Koa.Next>((rest, routes) => () => routes(ctx as never, rest), next)();
  };
}

const beginningOf = ([first = '', second]: readonly string[]): string =>
  second === undefined ? first : `${first}/${second}`;

/** Those before the first that may be anything. */
function fixedSegments(path: string): readonly string[] {
  const segments = path.slice(1).split('/');
  const open = segments.findIndex((segment) => /[:{*]/.test(segment));
  return open < 0 ? segments : segments.slice(0, open);
}
