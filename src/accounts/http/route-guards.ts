/** Guards and helpers of the account routes: required role, request body, audit line (SPEC 4, 9). */

import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { isAdministrator, lostRights } from '../../domain/caller.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import { ok } from '../../domain/result.ts';
import type { RouteContext, RouteHandler } from '../../routes/own-route.ts';
import { type AuditEntry, agentOf, credentialOf, shortText } from '../audit.ts';
import { fieldsIn } from './body-fields.ts';
import { hasBody, readJson } from './read-json.ts';
import { refuseBody, refuseFields, refuseFor } from './responses.ts';

/** What guards an own route. */
export type AccountResponseDeps = Pick<Services, 'audit' | 'bodySeconds' | 'recheck' | 'asksProof'>;

/**
 * `credentials`: what lets a person in, and sessions of others. `elevation`: what makes, demotes, ends or deletes an admin,
 * and another's password. `users`, `roles`: every other change of them.
 */
export type GuardedAct = 'credentials' | 'settings' | 'elevation' | 'users' | 'roles';

/** They are asked with `auth.reauthenticate: strict` alone. */
export const ONLY_STRICT: ReadonlySet<GuardedAct> = new Set(['users', 'roles']);

/** The console's pages for what the NVR's own pages send too: they cannot ask for a proof, and show the message. */
const PAGES: Partial<Record<GuardedAct, string>> = {
  elevation: '/postern/settings/users',
  users: '/postern/settings/users',
  roles: '/postern/settings/roles',
};

/** What was done, and to which user, role, token or session. */
export type AuditedAct = Omit<AuditEntry, 'who' | 'from' | 'credential' | 'agent' | 'verdict' | 'reason' | 'requestId'>;

/** Lets administrators pass. The route table requires the role too; a mistake there must not open the accounts. */
export const forAdmins =
  <Deps>(handler: RouteHandler<Deps>): RouteHandler<Deps> =>
  (ctx, deps, next) => {
    const { caller } = ctx.state;
    if (!caller) return refuseFor(ctx, 'no-credentials');
    if (!isAdministrator(caller)) return refuseFor(ctx, 'role-too-low');
    return isReading(ctx) || mayManageAccounts(caller) ? handler(ctx, deps, next) : refuseFor(ctx, 'person-needed');
  };

export const isReading = ({ method }: RouteContext): boolean => method === 'GET' || method === 'HEAD';

/** Guards routes on which everyone changes the own account. */
export const forPeople =
  <Deps>(handler: RouteHandler<Deps>): RouteHandler<Deps> =>
  (ctx, deps, next) => {
    const { caller } = ctx.state;
    return caller && !mayManageAccounts(caller) ? refuseFor(ctx, 'person-needed') : handler(ctx, deps, next);
  };

/** Asks for a fresh proof before the handler runs. */
export const afterProof =
  <Deps extends Pick<AccountResponseDeps, 'asksProof'>>(
    act: GuardedAct,
    handler: RouteHandler<Deps>,
  ): RouteHandler<Deps> =>
  (ctx, deps, next) =>
    isProven(ctx, deps, act) ? handler(ctx, deps, next) : undefined;

/** Asks for a fresh proof where the body or the path says what the act is. False when the response is set already. */
export function isProven(
  ctx: RouteContext,
  { asksProof }: Pick<AccountResponseDeps, 'asksProof'>,
  act: GuardedAct,
): boolean {
  const { caller } = ctx.state;
  if (!caller || !asksProof(caller, act)) return true;
  refuseFor(ctx, 'reauthentication-required', proofPage(ctx, act));
  return false;
}

/** The page of the console that asks for the proof, where a page of the NVR may have sent the request. */
export function proofPage({ state: { basePath = '' } }: RouteContext, act: GuardedAct): { readonly page?: string } {
  const page = PAGES[act];
  return page === undefined ? {} : { page: `${basePath}${page}` };
}

/** The body as JSON; undefined when the response is set already. */
export async function jsonOf(
  ctx: RouteContext,
  deps: AccountResponseDeps,
  bytes = BODY_LIMITS.credentials,
  mayBeAbsent = false,
): Promise<{ readonly json: unknown } | undefined> {
  const body =
    mayBeAbsent && !hasBody(ctx.req.headers)
      ? ok(undefined)
      : await readJson(ctx.req, { bytes, seconds: deps.bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  return (await mayStill(ctx, deps)) ? { json: body.value } : undefined;
}

/**
 * Checks the caller's rights again once the body has arrived: a request whose body is held back while the rights are
 * taken away changes nothing. False when the response is set already.
 */
export async function mayStill(ctx: RouteContext, { recheck }: AccountResponseDeps): Promise<boolean> {
  const { caller } = ctx.state;
  const reason = caller ? lostRights(await recheck(caller), caller) : 'token-invalid';
  if (reason) refuseFor(ctx, reason);
  return reason === undefined;
}

/** The body by the shape that the route declares; undefined when the response is set already. */
export async function fieldsOf<Shape extends z.ZodType>(
  ctx: RouteContext,
  deps: AccountResponseDeps,
  shape: Shape,
): Promise<z.output<Shape> | undefined> {
  const body = await jsonOf(ctx, deps);
  if (!body) return undefined;
  const fields = fieldsIn(shape, body.json);
  return fields.ok ? fields.value : void refuseFields(ctx, fields.error);
}

export function record(ctx: RouteContext, { audit }: AccountResponseDeps, act: AuditedAct, reason?: string): void {
  const { caller, clientAddress: from, requestId } = ctx.state;
  const verdict = reason === undefined ? 'allowed' : 'refused';
  const by = { who: caller?.name, from, ...credentialOf(caller), ...agentOf(ctx.state) };
  const done = { ...act, ...shortened('user', act.user), ...shortened('role', act.role) };
  audit({ ...done, ...by, verdict, ...(reason !== undefined && { reason }), requestId });
}

/** A name from a path or a body may have any length. */
const shortened = (field: 'user' | 'role', name: string | undefined): Partial<AuditedAct> =>
  name === undefined ? {} : { [field]: shortText(name) };
