/** Answers of the account routes: JSON, never cached, refusals in one shape (SPEC 5). */
import { REFUSALS, type RefusalFacts, type RefusalReason, refusalBody } from '../../domain/refusal.ts';
import type { RouteContext } from '../../routes/own-route.ts';

export function respond(ctx: RouteContext, status: number, body: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.body = body;
}

export const refuseFor = (ctx: RouteContext, reason: RefusalReason, facts: RefusalFacts = {}): void =>
  respond(ctx, REFUSALS[reason].status, refusalBody(reason, facts));

export function refuseMethod(allowed: string): (ctx: RouteContext) => void {
  return (ctx) => {
    ctx.set('Allow', allowed);
    refuseFor(ctx, 'method-not-allowed');
  };
}
