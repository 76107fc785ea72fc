/** `/api/users`: the routes that the NVR's own user pages call (interface 2.1; SPEC 4.3). */
import { z } from 'zod';
import type { User } from '../../domain/accounts/account.ts';
import type { LoginPlaceStore } from '../../domain/accounts/notice.ts';
import { OWN_SOURCE } from '../../domain/accounts/sign-in.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { isRecord } from '../../domain/json.ts';
import { ADMIN, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok } from '../../domain/result.ts';
import { heldBy } from '../../domain/rights/rights.ts';
import type { OwnRoute, RouteContext, RouteHandler } from '../../routes/own-route.ts';
import { ANY, BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { CLOSED_GUEST, USER } from '../http/answers.ts';
import {
  fieldsIn,
  GIVEN_TEXT,
  MAYBE_GIVEN_TEXT,
  NAMED,
  NEW_PASSWORD,
  ROLE_GIVEN,
  unknownFields,
} from '../http/body-fields.ts';
import { whileThere } from '../http/leaving.ts';
import { refuseFields, refuseFor, refuseWhileBusy, refuseWhileLimited, respond } from '../http/responses.ts';
import {
  type AccountResponseDeps,
  afterProof,
  fieldsOf,
  forAdmins,
  forPeople,
  isProven,
  jsonOf,
  record,
} from '../http/route-guards.ts';
import { cookieClientOf } from '../sessions/session-cookie.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type ChangeDeps, changePassword } from './change-password.ts';
import type { SignInAdmin } from './sign-in-admin.ts';
import { respondWithUser } from './user-responses.ts';
import type { Users } from './users.ts';
import { VALIDITY, validityOf } from './validity.ts';

export interface UserRouteDeps extends AccountResponseDeps, ChangeDeps {
  readonly users: Users;
  readonly sessions: Pick<Sessions, 'goOn' | 'cookieFor'>;
  readonly loginPlaces: Pick<LoginPlaceStore, 'lastLogins'>;
  readonly signIns: SignInAdmin;
}

const NEW_USER = named(
  'NewUser',
  z.object({
    username: GIVEN_TEXT.meta({ pattern: '^[A-Za-z0-9._]{1,30}$' }),
    password: NEW_PASSWORD,
    role: MAYBE_GIVEN_TEXT.meta(ROLE_GIVEN),
    ...VALIDITY.shape,
  }),
);
const CHANGED_PASSWORD = named(
  'NewPassword',
  z.object({ password: NEW_PASSWORD, old_password: MAYBE_GIVEN_TEXT.meta({ description: "Needed for one's own" }) }),
);
const NEW_ROLE = named(
  'NewRole',
  z.object({
    role: MAYBE_GIVEN_TEXT.meta(ROLE_GIVEN),
    source: MAYBE_GIVEN_TEXT.meta({
      enum: ['provider'],
      description: 'In the place of a role: from the next login on the provider gives it again',
    }),
  }),
);
const ROLE_OR_SOURCE = { loc: ['body'], msg: 'Give a role, or "source": "provider"', type: 'value_error' } as const;

/** The NVR's pages expect this user to exist with its role. The command line may remove it. */
const FIXED_USER = 'admin';
const ABSENT = err({ reason: 'user-absent', message: 'User not found' } as const);
const keptAsIs = (message: string) => err({ reason: 'user-fixed', message } as const);

// biome-ignore format: a table
export const USER_ROUTES: readonly OwnRoute<UserRouteDeps>[] = [
  { route: 'GET /api/users', access: 'admin', compressed: true, summary: 'All users', yes: [200, z.array(USER)], handler: forAdmins(list) },
  { route: 'POST /api/users', access: 'admin', summary: 'Make a user', body: NEW_USER, yes: [200, ANY], no: [...BODY_NO, 409], handler: changing(add) },
  { route: 'GET /api/closed-guests', access: 'admin', summary: 'Guests of providers whose accounts are gone: a login makes none anew', yes: [200, z.array(CLOSED_GUEST)], handler: forAdmins(listClosed) },
  { route: 'DELETE /api/users/{user}', access: 'admin', summary: "Remove a user; the user's sessions and tokens end", yes: [200, SUCCESS], no: [404, 409], handler: changing((ctx, deps) => remove(ctx, deps, ctx.params['user'] ?? '')) },
  { route: 'POST /api/users/delete', access: 'admin', note: 'for names that cannot stand in a path', summary: 'Remove a user whose name cannot stand in a path', body: NAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], handler: changing(removeByBody) },
  { route: 'PUT /api/users/{user}/password', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: "Change one's own password; as an admin, any user's", body: CHANGED_PASSWORD, yes: [200, SUCCESS], no: [...BODY_NO, 404, 429], handler: forPeople(putPassword) },
  { route: 'PUT /api/users/{user}/role', access: 'admin', summary: "Change a user's role", body: NEW_ROLE, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], handler: changing(setRole) },
  { route: 'PUT /api/users/{user}/validity', access: 'admin', note: 'from when and until when a guest may use the account', summary: 'Change from when and until when a guest may use the account; what is left out stays', body: VALIDITY, yes: [200, SUCCESS], no: [...BODY_NO, 404], handler: changing(setValidity) },
];

function changing(handler: RouteHandler<UserRouteDeps>): RouteHandler<UserRouteDeps> {
  return forAdmins(afterProof('users', handler));
}

async function list(ctx: RouteContext, { users, loginPlaces, signIns }: UserRouteDeps): Promise<void> {
  const [known, logins, connected] = await Promise.all([users.list(), loginPlaces.lastLogins(), signIns.byUser()]);
  const shown = known.map(
    ({ name, role, hasFactor, validFrom, validUntil, roleSource = OWN_SOURCE }): z.output<typeof USER> => ({
      username: name,
      role,
      role_source: roleSource,
      ...(connected.has(name) && { sign_ins: [...(connected.get(name) ?? [])] }),
      ...(hasFactor && { second_factor: true }),
      ...(validFrom !== undefined && { valid_from: validFrom }),
      ...(validUntil !== undefined && { valid_until: validUntil }),
      ...(logins.has(name) && { last_login_at: logins.get(name) }),
    }),
  );
  respond(ctx, 200, shown);
}

async function listClosed(ctx: RouteContext, { signIns }: UserRouteDeps): Promise<void> {
  const shown = (await signIns.closed()).map(
    ({ provider, subject, knownUntil }): z.output<typeof CLOSED_GUEST> => ({
      provider,
      subject,
      known_until: knownUntil,
    }),
  );
  respond(ctx, 200, shown);
}

async function add(ctx: RouteContext, deps: UserRouteDeps): Promise<void> {
  const body = await fieldsOf(ctx, deps, NEW_USER);
  if (!body) return;
  const { username, password, role = VIEWER } = body;
  if (role === ADMIN && !isProven(ctx, deps, 'elevation')) return;
  const outcome = await deps.users.add({ name: username, password, role, validity: validityOf(body) });
  respondWithUser(ctx, deps, outcome, { what: 'user-created' }, { username });
}

/** Asks for a proof before an admin is made, demoted, ended or deleted. False when the response is set already. */
async function mayChange(ctx: RouteContext, deps: UserRouteDeps, name: string, becomes?: string): Promise<boolean> {
  const user = await deps.store.findUser(name);
  const isOfAdmin = becomes === ADMIN || (user !== undefined && heldBy(user).includes(ADMIN));
  return !isOfAdmin || isProven(ctx, deps, 'elevation');
}

async function remove(ctx: RouteContext, deps: UserRouteDeps, name: string): Promise<void> {
  const act = { what: 'user-deleted', user: name } as const;
  if (name === FIXED_USER) return respondWithUser(ctx, deps, keptAsIs('Cannot delete admin user'), act);
  if (!(await mayChange(ctx, deps, name))) return;
  respondWithUser(ctx, deps, await deps.users.remove(name), act);
}

/** Removes names that cannot stand in a path: `.` and `..` were allowed once. */
async function removeByBody(ctx: RouteContext, deps: UserRouteDeps): Promise<void> {
  const body = await fieldsOf(ctx, deps, NAMED);
  if (body) await remove(ctx, deps, body.name);
}

async function setRole(ctx: RouteContext, deps: UserRouteDeps): Promise<void> {
  const name = ctx.params['user'] ?? '';
  const act = { what: 'role-changed', user: name } as const;
  if (name === FIXED_USER) return respondWithUser(ctx, deps, keptAsIs("Cannot modify admin user's role"), act);
  const body = await fieldsOf(ctx, deps, NEW_ROLE);
  if (!body) return;
  const { role, source } = body;
  if ((role === undefined) === (source === undefined)) return refuseFields(ctx, [ROLE_OR_SOURCE]);
  if (role === undefined) return giveBackRole(ctx, deps, source);
  if (!(await mayChange(ctx, deps, name, role))) return;
  respondWithUser(ctx, deps, await deps.users.setRole(name, role), act);
}

/** What the provider gives may be more than what the user has. */
async function giveBackRole(ctx: RouteContext, deps: UserRouteDeps, source: string | undefined): Promise<void> {
  if (source !== 'provider') return refuseFields(ctx, [ROLE_OR_SOURCE]);
  if (!isProven(ctx, deps, 'elevation')) return;
  const user = ctx.params['user'] ?? '';
  const act = { what: 'role-changed', user } as const;
  if (!(await deps.store.findUser(user))) return respondWithUser(ctx, deps, ABSENT, act);
  const outcome = await deps.signIns.giveBackRole(user);
  if (outcome.ok) respondWithUser(ctx, deps, ok(user as UserName), { ...act, provider: outcome.value });
  else respondWithUser(ctx, deps, outcome, act);
}

async function setValidity(ctx: RouteContext, deps: UserRouteDeps): Promise<void> {
  const name = ctx.params['user'] ?? '';
  const act = { what: 'validity-changed', user: name } as const;
  if (name === FIXED_USER) return respondWithUser(ctx, deps, keptAsIs('Cannot make a guest of the admin user'), act);
  const read = await jsonOf(ctx, deps);
  if (!read) return;
  const unknown = unknownFields(VALIDITY, read.json);
  const validity = unknown.length > 0 ? err(unknown) : fieldsIn(VALIDITY, isRecord(read.json) ? read.json : {});
  if (!validity.ok) return refuseFields(ctx, validity.error);
  if (!(await mayChange(ctx, deps, name))) return;
  respondWithUser(ctx, deps, await deps.users.setValidity(name, validityOf(validity.value)), act);
}

async function putPassword(ctx: RouteContext, deps: UserRouteDeps): Promise<void> {
  const { caller, clientAddress: address } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const name = ctx.params['user'] ?? '';
  // The own password comes with the current one, which is a proof; a program has none to give.
  const isOwn = name === caller.name && caller.credential.kind !== 'api-token';
  if (!isOwn && (isAdministrator(caller) || name === caller.name) && !isProven(ctx, deps, 'elevation')) return;
  const body = await fieldsOf(ctx, deps, CHANGED_PASSWORD);
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
 * The change ends all sessions of the user, this one included. The caller's goes on with a new cookie for the password that
 * was just set, not for one that another request may have set since.
 */
async function keepSession(ctx: RouteContext, user: User, { sessions }: UserRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (caller?.name !== user.name || caller.credential.kind !== 'session' || caller.credential.carriedBy !== 'cookie')
    return;
  const token = await sessions.goOn(caller, user, 'password_change');
  if (token !== undefined) ctx.set('Set-Cookie', sessions.cookieFor(token, cookieClientOf(ctx.state)));
}
