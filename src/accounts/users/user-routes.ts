/** `/api/users`: the calls of the NVR's own user pages, with its gaps closed (interface 2.1; SPEC 4.3). */
import Router from 'koa-router';
import type { User } from '../../domain/account.ts';
import { VIEWER } from '../../domain/names.ts';
import { err } from '../../domain/result.ts';
import type { CorridorState } from '../../domain/verdict.ts';
import {
  type AccountResponseDeps,
  type AccountRouterContext,
  type Door,
  fieldsOf,
  forAdmins,
  forPeople,
  record,
} from '../http/doors.ts';
import { answer, refuseFor, refuseMethod, refuseWhileBusy, refuseWhileLimited } from '../http/responses.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type ChangeDeps, changePassword } from './change-password.ts';
import { answerUser } from './user-responses.ts';
import { createUsers, type UserDeps } from './users.ts';

export interface UserRouteDeps extends UserDeps, AccountResponseDeps, Pick<ChangeDeps, 'limiter' | 'knownClients'> {
  readonly sessions: Pick<Sessions, 'issue' | 'cookieFor'>;
}

/** The NVR's pages expect this one user to be there, as it is. The command line may remove it. */
const FIXED_USER = 'admin';
const keptAsIs = (message: string) => err({ reason: 'user-fixed', message } as const);

export function createUserRoutes(parts: UserRouteDeps): Router<CorridorState> {
  const users = createUsers(parts);
  const router = new Router<CorridorState>({ strict: true, sensitive: true });

  const list: Door = async (ctx) => {
    const known = await users.list();
    answer(
      ctx,
      200,
      known.map(({ name, role }) => ({ username: name, role })),
    );
  };
  const add: Door = async (ctx) => {
    const body = await fieldsOf(ctx, parts, { required: ['username', 'password'], optional: ['role'] });
    if (!body) return;
    const outcome = await users.add({ name: body.username, password: body.password, role: body.role ?? VIEWER });
    answerUser(ctx, parts, outcome, { what: 'user-created' }, { username: body.username });
  };
  const remove: Door = async (ctx) => {
    const name = ctx.params['user'] ?? '';
    const deed = { what: 'user-deleted', user: name } as const;
    if (name === FIXED_USER) return answerUser(ctx, parts, keptAsIs('Cannot delete admin user'), deed);
    answerUser(ctx, parts, await users.remove(name), deed);
  };
  const setRole: Door = async (ctx) => {
    const name = ctx.params['user'] ?? '';
    const deed = { what: 'role-changed', user: name } as const;
    if (name === FIXED_USER) return answerUser(ctx, parts, keptAsIs("Cannot modify admin user's role"), deed);
    const body = await fieldsOf(ctx, parts, { required: ['role'] });
    if (body) answerUser(ctx, parts, await users.setRole(name, body.role), deed);
  };

  router.get('/api/users', forAdmins(list)).post('/api/users', forAdmins(add));
  router.all('/api/users', refuseMethod('GET, POST'));
  router.delete('/api/users/:user', forAdmins(remove)).all('/api/users/:user', refuseMethod('DELETE'));
  router.put('/api/users/:user/role', forAdmins(setRole)).all('/api/users/:user/role', refuseMethod('PUT'));
  router.put(
    '/api/users/:user/password',
    forPeople((ctx) => putPassword(ctx, { ...parts, users })),
  );
  router.all('/api/users/:user/password', refuseMethod('PUT'));
  return router;
}

async function putPassword(ctx: AccountRouterContext, parts: UserRouteDeps & ChangeDeps): Promise<void> {
  const { caller, clientAddress: address } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const body = await fieldsOf(ctx, parts, { required: ['password'], optional: ['old_password'] });
  if (!body) return;
  const name = ctx.params['user'] ?? '';
  const change = { caller, address, name, password: body.password, oldPassword: body.old_password };
  const outcome = await changePassword(change, parts);
  const deed = { what: 'password-changed', user: name } as const;
  switch (outcome.kind) {
    case 'limited':
      record(ctx, parts, deed, 'rate-limited');
      return refuseWhileLimited(ctx, outcome);
    case 'busy':
      record(ctx, parts, deed, 'busy');
      return refuseWhileBusy(ctx);
    case 'refused':
      return answerUser(ctx, parts, { ok: false, error: outcome }, deed);
    case 'changed':
      await keepSession(ctx, outcome.user, parts);
      return answerUser(ctx, parts, { ok: true, value: caller.name }, deed);
  }
}

/**
 * The change ends all sessions of the user, this one too; whoever made it goes on with a fresh cookie: for the password
 * that was set, and no other that may have come after it.
 */
async function keepSession(ctx: AccountRouterContext, user: User, { sessions }: UserRouteDeps): Promise<void> {
  const { name, credential } = ctx.state.caller ?? {};
  if (name !== user.name || credential?.kind !== 'session' || credential.carriedBy !== 'cookie') return;
  ctx.set('Set-Cookie', sessions.cookieFor(await sessions.issue(user), cookieClientOf(ctx.state)));
}
