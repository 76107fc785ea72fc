/** What the account routes have in common: who may enter, what they bring, and the audit line of what was done (SPEC 4, 9). */
import type { RouterContext } from 'koa-router';
import { type Caller, isAdministrator, lostRights, mayManageAccounts } from '../../domain/caller.ts';
import type { CorridorState } from '../../domain/verdict.ts';
import { type Audit, type AuditEntry, agentOf, shortText } from '../audit.ts';
import { type FieldNames, type Fields, stringFields } from './body-fields.ts';
import { readJson } from './read-json.ts';
import { refuseBody, refuseFields, refuseFor } from './responses.ts';

export type AccountRouterContext = RouterContext<CorridorState>;
export type Door = (ctx: AccountRouterContext) => Promise<void>;

export interface AccountResponseDeps {
  readonly audit: Audit;
  /** `server.timeout_login_body`. */
  readonly bodySeconds: () => number;
  /** Who a caller is now; undefined when the session or token is over. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
}

/** What was done, and to what. */
export type Deed = Omit<AuditEntry, 'who' | 'from' | 'agent' | 'verdict' | 'reason' | 'requestId'>;

const MOST_BODY_BYTES = 8192;

/** The route table says so too; two locks, for what lies behind is every account. */
export const forAdmins =
  (door: Door): Door =>
  async (ctx) => {
    const { caller } = ctx.state;
    if (!caller) return refuseFor(ctx, 'no-credentials');
    if (!isAdministrator(caller)) return refuseFor(ctx, 'role-too-low');
    return isReading(ctx) || mayManageAccounts(caller) ? door(ctx) : refuseFor(ctx, 'person-needed');
  };

const isReading = ({ method }: AccountRouterContext): boolean => method === 'GET' || method === 'HEAD';

/** For routes on which everyone changes the own account. */
export const forPeople =
  (door: Door): Door =>
  async (ctx) => {
    const { caller } = ctx.state;
    return caller && !mayManageAccounts(caller) ? refuseFor(ctx, 'person-needed') : door(ctx);
  };

/** The body as JSON; undefined when the answer is given already. */
export async function jsonOf(
  ctx: AccountRouterContext,
  parts: AccountResponseDeps,
  bytes = MOST_BODY_BYTES,
): Promise<{ readonly json: unknown } | undefined> {
  const body = await readJson(ctx.req, { bytes, seconds: parts.bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  return (await mayStill(ctx, parts)) ? { json: body.value } : undefined;
}

/**
 * Asked again when a body has come: whoever holds it back while his rights are taken away has lost them by then, and a
 * request that was kept open for that moment changes nothing. False when the answer is given already.
 */
export async function mayStill(ctx: AccountRouterContext, { recheck }: AccountResponseDeps): Promise<boolean> {
  const { caller } = ctx.state;
  const reason = caller ? lostRights(await recheck(caller), caller) : 'token-invalid';
  if (reason) refuseFor(ctx, reason);
  return reason === undefined;
}

/** The body's fields; undefined when the answer is given already. */
export async function fieldsOf<Required extends string, Optional extends string = never>(
  ctx: AccountRouterContext,
  parts: AccountResponseDeps,
  names: FieldNames<Required, Optional>,
): Promise<Fields<Required, Optional> | undefined> {
  const body = await jsonOf(ctx, parts);
  if (!body) return undefined;
  const fields = stringFields(body.json, names);
  return fields.ok ? fields.value : void refuseFields(ctx, fields.error);
}

export function record(ctx: AccountRouterContext, { audit }: AccountResponseDeps, deed: Deed, reason?: string): void {
  const { caller, clientAddress: from, requestId } = ctx.state;
  const verdict = reason === undefined ? 'allowed' : 'refused';
  const agent = agentOf(ctx.state);
  const done = { ...deed, ...shortened('user', deed.user), ...shortened('role', deed.role) };
  audit({ ...done, who: caller?.name, from, ...agent, verdict, ...(reason !== undefined && { reason }), requestId });
}

/** A name out of a path or a body may be of any length. */
const shortened = (field: 'user' | 'role', name: string | undefined): Partial<Deed> =>
  name === undefined ? {} : { [field]: shortText(name) };
