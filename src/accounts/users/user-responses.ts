/** Each outcome of the user routes as a response with its audit line (SPEC 4.3, 9). */
import type { RouteContext } from '../../routes/own-route.ts';
import { refuse, refuseWhileBusy, respond } from '../http/responses.ts';
import { type AccountResponseDeps, type AuditedAct, record } from '../http/route-guards.ts';
import type { ChangeFault } from './change-password.ts';
import type { UserOutcome } from './users.ts';

/** `user-fixed`: the NVR's pages expect this user to exist with its role. */
type ReportedFault = ChangeFault | 'user-fixed';

// biome-ignore format: a table
export const STATUS_OF: Readonly<Record<Exclude<ReportedFault, 'busy'>, number>> = {
  'name-invalid':         400,
  'role-unknown':         400,
  'password-unfit':       400,
  'name-taken':           409,
  'user-absent':          404,
  'last-admin':           403,
  'validity-unfit':       400,
  'factor-absent':        404,
  'sign-in-absent':       409,
  'last-way-in':          409,
  'user-fixed':           403,
  'not-own':              403,
  'old-password-missing': 400,
  'old-password-wrong':   401,
};

type Refused = { readonly ok: false; readonly error: { readonly reason: ReportedFault; readonly message: string } };

export function respondWithUser(
  ctx: RouteContext,
  deps: AccountResponseDeps,
  outcome: Extract<UserOutcome, { ok: true }> | Refused,
  act: AuditedAct,
  success: object = { success: true },
): void {
  record(ctx, deps, outcome.ok ? { user: outcome.value, ...act } : act, outcome.ok ? undefined : outcome.error.reason);
  if (outcome.ok) respond(ctx, 200, success);
  else if (outcome.error.reason === 'busy') refuseWhileBusy(ctx);
  else refuse(ctx, STATUS_OF[outcome.error.reason], outcome.error.message);
}
