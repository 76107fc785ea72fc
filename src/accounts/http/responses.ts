/** Answers of the account routes: JSON, never cached, refusals in one shape (SPEC 5); and the end of work for a client that has left. */
import type { ServerResponse } from 'node:http';
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

/**
 * The signal is aborted when the connection of a response that is not sent yet is closed. Work that ends by it has the
 * outcome `busy`, as work that found no place: the answer is not read. Without a response there is no client that may leave.
 */
export async function whileThere<Outcome>(
  response: Pick<ServerResponse, 'once' | 'off' | 'closed'> | undefined,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome | { readonly kind: 'busy' }> {
  const gone = new AbortController();
  const abort = (): void => gone.abort(LEFT);
  if (response?.closed) abort();
  response?.once('close', abort);
  try {
    return await work(gone.signal);
  } catch (fault) {
    if (fault === LEFT) return { kind: 'busy' };
    throw fault;
  } finally {
    response?.off('close', abort);
  }
}

const LEFT = new Error('the client closed the connection before its response');
