/** Answers of the account routes: JSON, never cached, refusals in one shape (SPEC 5); and the end of work for a client that has left. */
import type { ServerResponse } from 'node:http';
import type { Clause } from '../../domain/rate-limit.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason, refusalBody } from '../../domain/refusal.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { BODY_FAULTS, type BodyFault, type FieldFault } from './json-body.ts';

/** An attempt that the login limiter refused. */
export interface LimitedAttempt {
  readonly clause: Clause;
  readonly retryAfterSeconds: number;
}

/** A new password check may find a free lane by then. */
export const BUSY_RETRY_SECONDS = 5;
export const BUSY = 'Too many passwords are being checked at the same time: try again in a few seconds.';

export function respond(ctx: RouteContext, status: number, body: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.status = status;
  ctx.body = body;
}

export const refuseFor = (ctx: RouteContext, reason: RefusalReason, facts: RefusalFacts = {}): void =>
  respond(ctx, REFUSALS[reason].status, refusalBody(reason, facts));

export function bodyFaultBody(fault: BodyFault) {
  const { status, message } = BODY_FAULTS[fault];
  return status === 422
    ? { status, message, detail: [{ loc: ['body'], msg: message, type: 'json_invalid' }] }
    : { status, message };
}

export const fieldsMessage = (faults: readonly FieldFault[]): string =>
  faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');

export function refuseMethod(allowed: string): (ctx: RouteContext) => void {
  return (ctx) => {
    ctx.set('Allow', allowed);
    refuseFor(ctx, 'method-not-allowed');
  };
}

/** `error` is the reference's own wording. */
export const limitedBody = ({ retryAfterSeconds, clause }: LimitedAttempt) => ({
  message: `Too many failed attempts: try again in ${retryAfterSeconds} s.`,
  error: `Rate limit exceeded: ${limitMessage(clause)}`,
});

/** `5/minute` as `5 per 1 minute`, `10/5 minutes` as `10 per 5 minute`. */
const limitMessage = ({ text }: Clause): string =>
  text.replace(/^(\d+)\/(?:(\d+) )?(\w+?)s?$/, (_, count, multiple = '1', unit) => `${count} per ${multiple} ${unit}`);

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
