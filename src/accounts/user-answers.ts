/** Bodies of the user routes, and each outcome as an answer with its audit line (SPEC 4.3, 9). */
import type { RouterContext } from 'koa-router';
import type { CorridorState } from '../domain/verdict.ts';
import { answer, refuse, refuseBody, refuseFields, refuseWhileBusy } from './answers.ts';
import type { Audit, AuditEntry } from './audit.ts';
import { type FieldNames, type Fields, stringFields } from './body-fields.ts';
import type { ChangeFault } from './change-password.ts';
import { readJson } from './read-json.ts';
import type { UserOutcome } from './users.ts';

export type UserContext = RouterContext<CorridorState>;

export interface UserAnswerParts {
  readonly audit: Audit;
  /** `server.timeout_login_body`. */
  readonly bodySeconds: () => number;
}

type Deed = Pick<AuditEntry, 'what' | 'user'>;

const MOST_BODY_BYTES = 8192;

// biome-ignore format: a table
const STATUS_OF: Readonly<Record<Exclude<ChangeFault, 'busy'>, number>> = {
  'name-invalid':         400,
  'role-unknown':         400,
  'password-unfit':       400,
  'name-taken':           409,
  'user-absent':          404,
  'last-admin':           403,
  'not-own':              403,
  'old-password-missing': 400,
  'old-password-wrong':   401,
};

/** The body's fields; undefined when the answer is given already. */
export async function fieldsOf<Required extends string, Optional extends string = never>(
  ctx: UserContext,
  { bodySeconds }: UserAnswerParts,
  names: FieldNames<Required, Optional>,
): Promise<Fields<Required, Optional> | undefined> {
  const body = await readJson(ctx.req, { bytes: MOST_BODY_BYTES, seconds: bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  const fields = stringFields(body.value, names);
  return fields.ok ? fields.value : void refuseFields(ctx, fields.error);
}

type Refused = { readonly ok: false; readonly error: { readonly reason: ChangeFault; readonly message: string } };

export function answerUser(
  ctx: UserContext,
  parts: UserAnswerParts,
  outcome: Extract<UserOutcome, { ok: true }> | Refused,
  deed: Deed,
  success: object = { success: true },
): void {
  record(
    ctx,
    parts,
    outcome.ok ? { user: outcome.value, ...deed } : deed,
    outcome.ok ? undefined : outcome.error.reason,
  );
  if (outcome.ok) answer(ctx, 200, success);
  else if (outcome.error.reason === 'busy') refuseWhileBusy(ctx);
  else refuse(ctx, STATUS_OF[outcome.error.reason], outcome.error.message);
}

export function record({ state }: UserContext, { audit }: UserAnswerParts, deed: Deed, reason?: string): void {
  const { caller, clientAddress: from, requestId } = state;
  const verdict = reason === undefined ? 'allowed' : 'refused';
  audit({ ...deed, who: caller?.name, from, verdict, ...(reason !== undefined && { reason }), requestId });
}
