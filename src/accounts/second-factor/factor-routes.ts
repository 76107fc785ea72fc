/** `/api/second-factor`: one's own second factors; an admin removes those of others (SPEC 12). */
import Router from 'koa-router';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { refuse, refuseFor, refuseMethod, respond } from '../http/responses.ts';
import {
  type AccountResponseDeps,
  type AccountRouterContext,
  afterProof,
  fieldsOf,
  forAdmins,
  type Handler,
  record,
} from '../http/route-guards.ts';
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

export type UserHandler = (ctx: AccountRouterContext, user: User) => Promise<void>;

export const OFF = 'Second factors are turned off here: auth.second_factor is "off"';
const NO_ACCOUNT = 'Second factors belong to an account: log in with its password';
const NONE_WAITS = 'No secret waits for a code: begin with POST /api/second-factor/totp';
const WRONG_CODE = 'The code is not right: is the clock of the phone right?';
const NO_FACTOR = 'There is no second factor';

export function createFactorRoutes(deps: FactorRouteDeps): Router<RouteState> {
  const { enrolment } = deps;
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  const changing = (handler: UserHandler): Handler => afterProof('credentials', deps, forUser(deps, handler));
  const enrolling = (handler: UserHandler): Handler =>
    changing(async (ctx, user) => (deps.mayEnrol ? handler(ctx, user) : refuse(ctx, 409, OFF)));

  router.get(
    '/api/second-factor',
    forUser(deps, async (ctx, user) => respond(ctx, 200, await enrolment.stateOf(user))),
  );
  router.all('/api/second-factor', refuseMethod('GET, HEAD'));
  router.post(
    '/api/second-factor/totp',
    enrolling((ctx, user) => offer(ctx, user, deps)),
  );
  router.delete(
    '/api/second-factor/totp',
    changing((ctx, user) => removeTotp(ctx, user, deps)),
  );
  router.all('/api/second-factor/totp', refuseMethod('POST, DELETE'));
  router.post(
    '/api/second-factor/totp/confirm',
    enrolling((ctx, user) => confirm(ctx, user, deps)),
  );
  router.all('/api/second-factor/totp/confirm', refuseMethod('POST'));
  router.post(
    '/api/second-factor/recovery-codes',
    enrolling((ctx, user) => makeRecoveryCodes(ctx, user, deps)),
  );
  router.all('/api/second-factor/recovery-codes', refuseMethod('POST'));
  router.delete(
    '/api/users/:user/second-factor',
    forAdmins(afterProof('credentials', deps, (ctx) => removeOf(ctx, deps))),
  );
  router.all('/api/users/:user/second-factor', refuseMethod('DELETE'));
  return router;
}

/** Guards routes for the user behind a session: a token, a proxy's user and the internal listener have no factors. */
export const forUser =
  ({ store }: Pick<FactorRouteDeps, 'store'>, handler: UserHandler): Handler =>
  async (ctx) => {
    const { caller } = ctx.state;
    if (!caller) return refuseFor(ctx, 'no-credentials');
    if (caller.credential.kind !== 'session') return refuse(ctx, 403, NO_ACCOUNT);
    const user = await store.findUser(caller.name);
    return user ? handler(ctx, user) : refuseFor(ctx, 'token-invalid');
  };

async function offer(ctx: AccountRouterContext, user: User, { enrolment }: FactorRouteDeps): Promise<void> {
  const offered = await enrolment.offerTotp(user);
  if (offered) respond(ctx, 200, offered);
  else refuseFor(ctx, 'token-invalid');
}

async function confirm(ctx: AccountRouterContext, user: User, deps: FactorRouteDeps): Promise<void> {
  const body = await fieldsOf(ctx, deps, { required: ['code'] });
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

async function removeTotp(ctx: AccountRouterContext, user: User, deps: FactorRouteDeps): Promise<void> {
  const left = await deps.enrolment.removeTotp(user);
  if (!left) return refuse(ctx, 404, NO_FACTOR);
  record(ctx, deps, { what: 'second-factor-removed', user: user.name, factor: 'totp' });
  await goOn(ctx, left, deps);
  respond(ctx, 200, { success: true });
}

async function makeRecoveryCodes(ctx: AccountRouterContext, user: User, deps: FactorRouteDeps): Promise<void> {
  const codes = await deps.enrolment.newRecoveryCodes(user);
  if (!codes) return refuse(ctx, 409, NO_FACTOR);
  record(ctx, deps, { what: 'recovery-codes-made', user: user.name });
  respond(ctx, 200, { recovery_codes: codes });
}

async function removeOf(ctx: AccountRouterContext, deps: FactorRouteDeps): Promise<void> {
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
  ctx: AccountRouterContext,
  user: User,
  { sessions }: Pick<FactorRouteDeps, 'sessions'>,
): Promise<void> {
  const token = ctx.state.caller && (await sessions.goOn(ctx.state.caller, user));
  if (token !== undefined) ctx.set('Set-Cookie', sessions.cookieFor(token, cookieClientOf(ctx.state)));
}
