/** `/api/second-factor`: one's own second factors; an admin removes those of others (SPEC 12). */
import { z } from 'zod';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { OwnRoute, RouteContext, RouteHandler } from '../../routes/own-route.ts';
import { BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { RECOVERY_CODES, SECOND_FACTOR, TOTP_OFFER } from '../http/answers.ts';
import { CODE, GIVEN_TEXT } from '../http/body-fields.ts';
import { refuse, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, afterProof, fieldsOf, forAdmins, record } from '../http/route-guards.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Enrolment } from './enrolment.ts';

export interface FactorRouteDeps extends AccountResponseDeps {
  readonly enrolment: Enrolment;
  /** False when `auth.second_factor` is off: factors can be removed, not set up. */
  readonly mayEnrol: boolean;
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly sessions: Pick<Sessions, 'goOn' | 'cookieFor'>;
}

export type UserHandler<Deps> = (ctx: RouteContext, deps: Deps, user: User) => Promise<void>;

export const OFF = 'Second factors are turned off here: auth.second_factor is "off"';
const NO_ACCOUNT = 'Second factors belong to an account: log in with its password';
const NONE_WAITS = 'No secret waits for a code: begin with POST /api/second-factor/totp';
const WRONG_CODE = 'The code is not right: is the clock of the phone right?';
const NO_FACTOR = 'There is no second factor';

const CONFIRMED = named('Code', z.object({ code: GIVEN_TEXT.meta(CODE) }));
const OWN = { access: 'any', writes: true, note: "the caller's own" } as const;

/** Routes with "enrolment" are also for a caller who must set up a second factor before anything else. */
// biome-ignore format: a table
export const FACTOR_ROUTES: readonly OwnRoute<FactorRouteDeps>[] = [
  { route: 'GET /api/second-factor', access: 'any', enrolment: true, note: "the caller's own", summary: "One's own second factors", yes: [200, SECOND_FACTOR],
    handler: forUser(async (ctx, { enrolment }, user) => respond(ctx, 200, await enrolment.stateOf(user))) },
  { route: 'POST /api/second-factor/totp', ...OWN, enrolment: true, summary: 'A secret for an authenticator app, good once a code confirms it', yes: [200, TOTP_OFFER], no: [409], handler: enrolling(offer) },
  { route: 'DELETE /api/second-factor/totp', ...OWN, enrolment: true, summary: 'Remove the authenticator app', yes: [200, SUCCESS], no: [404], handler: changing(removeTotp) },
  { route: 'POST /api/second-factor/totp/confirm', ...OWN, enrolment: true, summary: 'The first code: the authenticator app is set up', body: CONFIRMED, yes: [200, RECOVERY_CODES], no: [...BODY_NO, 409], handler: enrolling(confirm) },
  { route: 'POST /api/second-factor/recovery-codes', ...OWN, summary: 'New recovery codes; the old ones are void', yes: [200, RECOVERY_CODES], no: [409], handler: enrolling(makeRecoveryCodes) },
  { route: 'DELETE /api/users/{user}/second-factor', access: 'admin', summary: "Remove a user's second factors", yes: [200, SUCCESS], no: [404], handler: forAdmins(afterProof('credentials', removeOf)) },
];

/** Calls the handler with the user behind a session: a token, a proxy's user and the internal listener have no factors. */
export function forUser<Deps extends Pick<FactorRouteDeps, 'store'>>(handler: UserHandler<Deps>): RouteHandler<Deps> {
  return async (ctx, deps) => {
    const { caller } = ctx.state;
    if (!caller) return refuseFor(ctx, 'no-credentials');
    if (caller.credential.kind !== 'session') return refuse(ctx, 403, NO_ACCOUNT);
    const user = await deps.store.findUser(caller.name);
    return user ? handler(ctx, deps, user) : refuseFor(ctx, 'token-invalid');
  };
}

export function changing<Deps extends FactorRouteDeps>(handler: UserHandler<Deps>): RouteHandler<Deps> {
  return afterProof('credentials', forUser(handler));
}

function enrolling(handler: UserHandler<FactorRouteDeps>): RouteHandler<FactorRouteDeps> {
  return changing(async (ctx, deps, user) => (deps.mayEnrol ? handler(ctx, deps, user) : refuse(ctx, 409, OFF)));
}

async function offer(ctx: RouteContext, { enrolment }: FactorRouteDeps, user: User): Promise<void> {
  const offered = await enrolment.offerTotp(user);
  if (offered) respond(ctx, 200, offered);
  else refuseFor(ctx, 'token-invalid');
}

async function confirm(ctx: RouteContext, deps: FactorRouteDeps, user: User): Promise<void> {
  const body = await fieldsOf(ctx, deps, CONFIRMED);
  if (!body) return;
  const outcome = await deps.enrolment.confirmTotp(user, body.code);
  const act = { what: 'second-factor-added', user: user.name, factor: 'totp' } as const;
  if (outcome.kind !== 'confirmed') {
    record(ctx, deps, act, outcome.kind);
    return outcome.kind === 'wrong-code' ? refuse(ctx, 400, WRONG_CODE) : refuse(ctx, 409, NONE_WAITS);
  }
  record(ctx, deps, act);
  await goOn(ctx, outcome.user, deps);
  respond(ctx, 200, { recovery_codes: outcome.recoveryCodes ?? [] });
}

async function removeTotp(ctx: RouteContext, deps: FactorRouteDeps, user: User): Promise<void> {
  const left = await deps.enrolment.removeTotp(user);
  if (!left) return refuse(ctx, 404, NO_FACTOR);
  record(ctx, deps, { what: 'second-factor-removed', user: user.name, factor: 'totp' });
  await goOn(ctx, left, deps);
  respond(ctx, 200, { success: true });
}

async function makeRecoveryCodes(ctx: RouteContext, deps: FactorRouteDeps, user: User): Promise<void> {
  const codes = await deps.enrolment.newRecoveryCodes(user);
  if (!codes) return refuse(ctx, 409, NO_FACTOR);
  record(ctx, deps, { what: 'recovery-codes-made', user: user.name });
  respond(ctx, 200, { recovery_codes: codes });
}

async function removeOf(ctx: RouteContext, deps: FactorRouteDeps): Promise<void> {
  const user = await deps.store.findUser(ctx.params['user'] ?? '');
  if (!user) return refuse(ctx, 404, 'User not found');
  const left = await deps.enrolment.removeAll(user);
  if (!left) return refuse(ctx, 404, NO_FACTOR);
  record(ctx, deps, { what: 'second-factor-removed', user: user.name });
  if (user.name === ctx.state.caller?.name) await goOn(ctx, left, deps);
  respond(ctx, 200, { success: true });
}

/** Goes on with a new token: with the first factor, and without the last one, every other session of the user is over. */
export async function goOn(
  ctx: RouteContext,
  user: User,
  { sessions }: Pick<FactorRouteDeps, 'sessions'>,
): Promise<void> {
  const token = ctx.state.caller && (await sessions.goOn(ctx.state.caller, user));
  if (token !== undefined) ctx.set('Set-Cookie', sessions.cookieFor(token, cookieClientOf(ctx.state)));
}
