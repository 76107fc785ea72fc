/** `/api/users`: the routes that the NVR's own user pages call (interface 2.1; SPEC 4.3). */
import Router from 'koa-router';
import type { User } from '../../domain/accounts/account.ts';
import type { NoticeStore } from '../../domain/accounts/notice.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import { err } from '../../domain/result.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { stringFields, unknownFields } from '../http/body-fields.ts';
import { whileThere } from '../http/leaving.ts';
import {
  refuseFields,
  refuseFor,
  refuseMethod,
  refuseWhileBusy,
  refuseWhileLimited,
  respond,
} from '../http/responses.ts';
import {
  type AccountResponseDeps,
  type AccountRouterContext,
  afterProof,
  fieldsOf,
  forAdmins,
  forPeople,
  type Handler,
  jsonOf,
  mayElevate,
  record,
} from '../http/route-guards.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type ChangeDeps, changePassword } from './change-password.ts';
import { respondWithUser } from './user-responses.ts';
import { createUsers, type UserDeps } from './users.ts';
import { VALIDITY_FIELDS, validityIn } from './validity.ts';

export interface UserRouteDeps
  extends UserDeps,
    AccountResponseDeps,
    Pick<ChangeDeps, 'limiter' | 'knownClients' | 'codeLimiter'> {
  readonly sessions: Pick<Sessions, 'issue' | 'cookieFor'>;
  readonly noticeStore: Pick<NoticeStore, 'lastLogins'>;
}

/** The NVR's pages expect this user to exist with its role. The command line may remove it. */
const FIXED_USER = 'admin';
const keptAsIs = (message: string) => err({ reason: 'user-fixed', message } as const);

export function createUserRoutes(deps: UserRouteDeps): Router<RouteState> {
  const users = createUsers(deps);
  const router = new Router<RouteState>({ strict: true, sensitive: true });

  const list: Handler = async (ctx) => {
    const [known, logins] = await Promise.all([users.list(), deps.noticeStore.lastLogins()]);
    respond(
      ctx,
      200,
      known.map(({ name, role, hasFactor, validFrom, validUntil }) => ({
        username: name,
        role,
        ...(hasFactor && { second_factor: true }),
        ...(validFrom !== undefined && { valid_from: validFrom }),
        ...(validUntil !== undefined && { valid_until: validUntil }),
        ...(logins.has(name) && { last_login_at: logins.get(name) }),
      })),
    );
  };
  const add: Handler = async (ctx) => {
    const read = await jsonOf(ctx, deps);
    if (!read) return;
    const fields = stringFields(read.json, { required: ['username', 'password'], optional: ['role'] });
    if (!fields.ok) return refuseFields(ctx, fields.error);
    const validity = validityIn(read.json);
    if (!validity.ok) return refuseFields(ctx, validity.error);
    const { username, password, role = VIEWER } = fields.value;
    if (role === ADMIN && !mayElevate(ctx, deps)) return;
    const outcome = await users.add({ name: username, password, role, validity: validity.value });
    respondWithUser(ctx, deps, outcome, { what: 'user-created' }, { username });
  };
  const removeNamed = async (ctx: AccountRouterContext, name: string): Promise<void> => {
    const act = { what: 'user-deleted', user: name } as const;
    if (name === FIXED_USER) return respondWithUser(ctx, deps, keptAsIs('Cannot delete admin user'), act);
    respondWithUser(ctx, deps, await users.remove(name), act);
  };
  const remove: Handler = (ctx) => removeNamed(ctx, ctx.params['user'] ?? '');
  /** Deletes a user whose name cannot stand in a path: `.` and `..` were allowed once. */
  const removeByBody: Handler = async (ctx) => {
    const body = await fieldsOf(ctx, deps, { required: ['name'] });
    if (body) await removeNamed(ctx, body.name);
  };
  const setRole: Handler = async (ctx) => {
    const name = ctx.params['user'] ?? '';
    const act = { what: 'role-changed', user: name } as const;
    if (name === FIXED_USER) return respondWithUser(ctx, deps, keptAsIs("Cannot modify admin user's role"), act);
    const body = await fieldsOf(ctx, deps, { required: ['role'] });
    if (!body || (body.role === ADMIN && !mayElevate(ctx, deps))) return;
    respondWithUser(ctx, deps, await users.setRole(name, body.role), act);
  };

  const setValidity: Handler = async (ctx) => {
    const name = ctx.params['user'] ?? '';
    const act = { what: 'validity-changed', user: name } as const;
    if (name === FIXED_USER) return respondWithUser(ctx, deps, keptAsIs('Cannot make a guest of the admin user'), act);
    const read = await jsonOf(ctx, deps);
    if (!read) return;
    const unknown = unknownFields(read.json, VALIDITY_FIELDS);
    const validity = unknown.length > 0 ? err(unknown) : validityIn(read.json);
    if (!validity.ok) return refuseFields(ctx, validity.error);
    const isOfAdmin = (await deps.store.findUser(name))?.role === ADMIN;
    if (isOfAdmin && !mayElevate(ctx, deps)) return;
    respondWithUser(ctx, deps, await users.setValidity(name, validity.value), act);
  };

  const changing = (handler: Handler): Handler => forAdmins(afterProof('accounts', deps, handler));
  router.get('/api/users', forAdmins(list)).post('/api/users', changing(add));
  router.all('/api/users', refuseMethod('GET, POST'));
  router.post('/api/users/delete', changing(removeByBody));
  router.delete('/api/users/:user', changing(remove)).all('/api/users/:user', refuseMethod('DELETE'));
  router.put('/api/users/:user/role', changing(setRole)).all('/api/users/:user/role', refuseMethod('PUT'));
  const ofValidity = '/api/users/:user/validity';
  router.put(ofValidity, changing(setValidity)).all(ofValidity, refuseMethod('PUT'));
  router.put(
    '/api/users/:user/password',
    forPeople((ctx) => putPassword(ctx, { ...deps, users })),
  );
  router.all('/api/users/:user/password', refuseMethod('PUT'));
  return router;
}

async function putPassword(ctx: AccountRouterContext, deps: UserRouteDeps & ChangeDeps): Promise<void> {
  const { caller, clientAddress: address } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const name = ctx.params['user'] ?? '';
  // The own password comes with the current one, which is a proof; a program has none to give.
  const isOwn = name === caller.name && caller.credential.kind !== 'api-token';
  if (!isOwn && (isAdministrator(caller) || name === caller.name) && !mayElevate(ctx, deps)) return;
  const body = await fieldsOf(ctx, deps, { required: ['password'], optional: ['old_password'] });
  if (!body) return;
  const change = { caller, address, name, password: body.password, oldPassword: body.old_password };
  const outcome = await whileThere(ctx.res, (signal) => changePassword({ ...change, signal }, deps));
  const act = { what: 'password-changed', user: name } as const;
  switch (outcome.kind) {
    case 'limited':
      record(ctx, deps, act, 'rate-limited');
      return refuseWhileLimited(ctx, outcome);
    case 'busy':
      record(ctx, deps, act, 'busy');
      return refuseWhileBusy(ctx);
    case 'refused':
      return respondWithUser(ctx, deps, { ok: false, error: outcome }, act);
    case 'changed':
      await keepSession(ctx, outcome.user, deps);
      return respondWithUser(ctx, deps, { ok: true, value: caller.name }, act);
  }
}

/**
 * The change ends all sessions of the user, this one included. The caller gets a new cookie for the password that was
 * just set, not for one that another request may have set since.
 */
async function keepSession(ctx: AccountRouterContext, user: User, { sessions }: UserRouteDeps): Promise<void> {
  const { name, credential } = ctx.state.caller ?? {};
  if (name !== user.name || credential?.kind !== 'session' || credential.carriedBy !== 'cookie') return;
  ctx.set('Set-Cookie', sessions.cookieFor(await sessions.issue(user), cookieClientOf(ctx.state)));
}
