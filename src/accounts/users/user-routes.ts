/** `/api/users`: the routes that the NVR's own user pages call (interface 2.1; SPEC 4.3). */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { OWN_SOURCE } from '../../domain/accounts/sign-in.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { isRecord } from '../../domain/json.ts';
import { ADMIN, type UserName, VIEWER } from '../../domain/names.ts';
import { heldBy } from '../../domain/rights.ts';
import { ANY, answer, BODY_NO, described, SUCCESS } from '../../routes/shapes.ts';
import { CLOSED_GUEST, USER } from '../http/answers.ts';
import { fieldsIn, GIVEN_TEXT, MAYBE_GIVEN_TEXT, NAMED, NEW_PASSWORD, ROLE_GIVEN } from '../http/json-body.ts';
import { type Call, declaring, orRefusedFields, type Refused, refusedFields, unfit } from '../http/kernel.ts';
import { type GuessServices, guessOnAccount, judgeGuess, whileThere } from '../login/guesses.ts';
import { keepSession } from '../sessions/session-routes.ts';
import {
  addUser,
  assertChanged,
  checkValidity,
  setPassword,
  setRole,
  type UserServices,
  userAbsent,
  VALIDITY,
} from './users.ts';

const NEW_USER = described('NewUser', {
  username: GIVEN_TEXT.meta({ pattern: '^[A-Za-z0-9._]{1,30}$' }),
  password: NEW_PASSWORD,
  role: MAYBE_GIVEN_TEXT.meta(ROLE_GIVEN),
  ...VALIDITY.shape,
});
const CHANGED_PASSWORD = described('NewPassword', {
  password: NEW_PASSWORD,
  old_password: MAYBE_GIVEN_TEXT.meta({ description: "Needed for one's own" }),
});
const NEW_ROLE = described('NewRole', {
  role: MAYBE_GIVEN_TEXT.meta(ROLE_GIVEN),
  source: MAYBE_GIVEN_TEXT.meta({
    enum: ['provider'],
    description: 'In the place of a role: from the next login on the provider gives it again',
  }),
});
const CLOSED = described('ClosedGuestName', { provider: GIVEN_TEXT, subject: GIVEN_TEXT });
const ROLE_OR_SOURCE = { loc: ['body'], msg: 'Give a role, or "source": "provider"', type: 'value_error' } as const;

/** The NVR's pages expect this user to exist with its role. The command line may remove it. */
const FIXED_USER = 'admin';

const route = declaring<Services>();
const ADMINS = { access: 'admin', who: 'admin' } as const;
const CHANGE = { ...ADMINS, proof: 'users' } as const;

// biome-ignore format: a table
export const USER_ROUTES = [
  route({ route: 'GET /api/users', ...ADMINS, compressed: true, summary: 'All users', yes: [200, z.array(USER)], run: list }),
  route({ route: 'POST /api/users', ...CHANGE, summary: 'Make a user', body: NEW_USER, yes: [200, ANY], no: [...BODY_NO, 409], act: 'user-created', run: add }),
  route({ route: 'GET /api/closed-guests', ...ADMINS, summary: 'Guests of providers whose accounts are gone: a login makes none anew', yes: [200, z.array(CLOSED_GUEST)], run: listClosed }),
  route({ route: 'POST /api/closed-guests/forget', ...ADMINS, proof: 'credentials', summary: 'Open a closed guest: the next login by the provider makes an account again', body: CLOSED, yes: [200, SUCCESS], no: [...BODY_NO, 409], act: 'guest-forgotten', run: forgetClosed }),
  route({ route: 'DELETE /api/users/{user}/sign-ins/{provider}', ...ADMINS, proof: 'credentials', summary: "Disconnect a user from a provider; a role that the provider gave stays", yes: [200, SUCCESS], no: [409], act: 'sign-in-removed', run: removeSignIn }),
  route({ route: 'DELETE /api/users/{user}', ...CHANGE, summary: "Remove a user; the user's sessions and tokens end", yes: [200, SUCCESS], no: [404, 409], act: 'user-deleted', run: (call, deps) => remove(call, deps, call.params['user'] ?? '') }),
  route({ route: 'POST /api/users/delete', ...CHANGE, note: 'for names that cannot stand in a path', summary: 'Remove a user whose name cannot stand in a path', body: NAMED, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], act: 'user-deleted', run: (call, deps) => remove(call, deps, call.body.name) }),
  route({ route: 'PUT /api/users/{user}/password', access: 'any', who: 'person', writes: true, note: "the caller's own; for an admin any", summary: "Change one's own password; as an admin, any user's", body: CHANGED_PASSWORD, yes: [200, SUCCESS], no: [...BODY_NO, 404, 429], act: 'password-changed', before: proveForOther, run: putPassword }),
  route({ route: 'PUT /api/users/{user}/role', ...CHANGE, summary: "Change a user's role", body: NEW_ROLE, yes: [200, SUCCESS], no: [...BODY_NO, 404, 409], act: 'role-changed', before: unlessFixed("Cannot modify admin user's role"), run: changeRole }),
  route({ route: 'PUT /api/users/{user}/validity', ...CHANGE, note: 'from when and until when a guest may use the account', summary: 'Change from when and until when a guest may use the account; what is left out stays', body: VALIDITY, reads: 'names', yes: [200, SUCCESS], no: [...BODY_NO, 404], act: 'validity-changed', before: unlessFixed('Cannot make a guest of the admin user'), run: changeValidity }),
];

const USERS_AT_ONCE = 50;

async function list(_: Call, { store }: Pick<Services, 'store'>): Promise<object> {
  const [logins, signIns] = await Promise.all([store.sessions.lastLogins(), store.signIns.listSignIns()]);
  const connected = Map.groupBy(signIns, ({ user }) => user);
  const shown = (user: User) => {
    const { name: username, hasFactor: secondFactor, roleSource = OWN_SOURCE } = user;
    const places = connected.get(username)?.map(({ provider }) => provider);
    const own = { ...user, username, secondFactor, roleSource, signIns: places };
    return answer(USER, { ...own, lastLoginAt: logins.get(username) });
  };
  const listed: ReturnType<typeof shown>[] = [];
  for (let last: User | undefined; ; ) {
    const users = await store.accounts.listUsers(last && { name: { '>': last.name } }, USERS_AT_ONCE);
    listed.push(...users.map(shown));
    if (users.length < USERS_AT_ONCE) return listed;
    last = users.at(-1);
    await setImmediate(); // other requests come first
  }
}

async function listClosed(_: Call, { store }: Pick<Services, 'store'>): Promise<object> {
  return (await store.signIns.listClosed()).map((guest) => answer(CLOSED_GUEST, guest));
}

async function forgetClosed(
  { body: { provider, subject }, note }: Call<z.output<typeof CLOSED>>,
  { store }: Pick<Services, 'store'>,
): Promise<void> {
  note({ provider });
  const outcome = await store.signIns.forgetClosed(provider, subject);
  if (outcome === 'absent') throw unfit('sign-in-absent', NO_CLOSED, 409);
}

const NO_CLOSED = 'There is no such closed guest: postern users list shows each with its provider and subject';

/** Sessions go on; a role that the provider gave becomes Postern's own. */
async function removeSignIn(call: Call, { store }: Pick<Services, 'store'>): Promise<void> {
  const [user, provider] = [userIn(call), call.params['provider'] ?? ''];
  call.note({ user, provider });
  const outcome = await store.signIns.disconnect(user as UserName, provider, 'admin');
  if (outcome === 'last-way-in') throw unfit(outcome, LAST_WAY_IN, 409);
  if (outcome !== 'disconnected') throw signInAbsent();
}

const LAST_WAY_IN =
  'This is the only way in of the account: it has no password and no passkey. Make a link for a new password first, or delete the user';
const signInAbsent = (): Refused =>
  unfit('sign-in-absent', 'The user has no such sign-in: GET /api/users lists the sign-ins of each user', 409);

/** The role is that of the provider of the first sign-in, from its next login on. Gives the provider. */
async function giveBackRole(user: UserName, { store }: Pick<Services, 'store'>): Promise<string> {
  const [first] = (await store.signIns.listSignIns(user)).toSorted((one, other) => one.connectedAt - other.connectedAt);
  if (!first) throw signInAbsent();
  const outcome = await store.signIns.setRoleSource(user, first.provider);
  if (outcome === 'last-admin') throw unfit(outcome, LAST_ADMIN, 403);
  if (outcome === 'absent') throw signInAbsent();
  return first.provider;
}

const LAST_ADMIN = 'Cannot give the role of the last admin to a provider, which may take it away';

async function add(
  { caller, body, note, prove }: Call<z.output<typeof NEW_USER>>,
  services: UserServices,
): Promise<object> {
  const { username, password, role = VIEWER } = body;
  if (role === ADMIN) prove('elevation');
  // The name in a request may be any text, so a refusal of one is recorded without it.
  if (caller.credential.kind === 'command-line') note({ user: username });
  note({ user: await addUser({ name: username, password, role, validity: body }, services) });
  return { username };
}

const userIn = ({ params }: Call<unknown>): string => params['user'] ?? '';

const isFixed = ({ caller }: Call<unknown>, name: string): boolean =>
  name === FIXED_USER && caller.credential.kind !== 'command-line';
const keptAsIs = (message: string): Refused => unfit('user-fixed', message, 403);

function unlessFixed(message: string): (call: Call) => void {
  return (call) => {
    call.note({ user: userIn(call) });
    if (isFixed(call, userIn(call))) throw keptAsIs(message);
  };
}

/** Asks for a proof before an admin is made, demoted, ended or deleted. Gives the user. */
async function proveForAdmin(
  { prove }: Call<unknown>,
  { store }: Pick<Services, 'store'>,
  name: string,
  becomes?: string,
): Promise<User | undefined> {
  const user = await store.accounts.findUser(name);
  if (becomes === ADMIN || (user && heldBy(user).includes(ADMIN))) prove('elevation');
  return user;
}

async function remove(call: Call<unknown>, deps: Pick<Services, 'store'>, name: string): Promise<void> {
  call.note({ user: name });
  if (isFixed(call, name)) throw keptAsIs('Cannot delete admin user');
  await proveForAdmin(call, deps, name);
  assertChanged(await deps.store.accounts.deleteUser(name as UserName), 'Cannot delete the last admin');
}

async function changeRole(call: Call<z.output<typeof NEW_ROLE>>, deps: UserServices): Promise<void> {
  const { role, source } = call.body;
  const name = userIn(call);
  if ((role === undefined) === (source === undefined)) throw refusedFields([ROLE_OR_SOURCE]);
  if (role !== undefined) {
    await proveForAdmin(call, deps, name, role);
    return setRole(name, role, deps);
  }
  if (source !== 'provider') throw refusedFields([ROLE_OR_SOURCE]);
  // What the provider gives may be more than what the user has.
  call.prove('elevation');
  const user = await deps.store.accounts.findUser(name);
  if (!user) throw userAbsent();
  call.note({ provider: await giveBackRole(user.name, deps) });
}

/** What is not said stays as it is. */
async function changeValidity(call: Call<object>, deps: Pick<Services, 'store'>): Promise<void> {
  const given = orRefusedFields(fieldsIn(VALIDITY, isRecord(call.body) ? call.body : {}));
  const user = await proveForAdmin(call, deps, userIn(call));
  if (!user) throw userAbsent();
  const { valid_from: from = user.validFrom ?? null, valid_until: until = user.validUntil ?? null } = given;
  checkValidity(from, until);
  const outcome = await deps.store.accounts.setValidity(user.name, from, until);
  assertChanged(outcome, 'Cannot make a guest of the last admin: one whose account lasts must stay');
}

/** The own password comes with the current one, which is a proof; a program has none to give. */
function proveForOther(call: Call): void {
  const { caller, prove } = call;
  const name = userIn(call);
  call.note({ user: name });
  const isOwn = name === caller.name && caller.credential.kind !== 'api-token';
  if (!isOwn && (isAdministrator(caller) || name === caller.name)) prove('elevation');
}

type ChangeServices = GuessServices & UserServices & Pick<Services, 'codeLimiter' | 'sessions'>;

/**
 * An administrator sets the password of another account without the old one. The own password always needs it: an open
 * browser or a stolen session must not be enough to take an account over (interface 5.1.6; SPEC 4.3).
 */
async function putPassword(call: Call<z.output<typeof CHANGED_PASSWORD>>, deps: ChangeServices): Promise<void> {
  const { caller, body } = call;
  const name = userIn(call);
  const isOwn = name === caller.name;
  if (!isOwn && !isAdministrator(caller)) throw unfit('not-own', 'You can only change your own password', 403);
  const user = await deps.store.accounts.findUser(name);
  if (!user) throw userAbsent();
  if (isOwn) await proveOld(call, user, deps);
  const changed = await setPassword(name, body.password, deps, isOwn ? user.passwordHash : undefined);
  // The proven hash has been replaced since: the user or an administrator changed the password at the same time.
  if (!changed) throw isOwn ? oldPasswordWrong() : userAbsent();
  // It ends all sessions of the user, this one included: the caller's goes on.
  await keepSession(call, changed, deps, 'password_change');
}

/**
 * Guessing here is guessing all the same: it counts as a failed login does, and by account too, for a right guess gives more
 * than the password does at a login that asks for a second factor.
 */
async function proveOld(
  { caller: { credential }, body, from: address, ctx }: Call<z.output<typeof CHANGED_PASSWORD>>,
  user: User,
  deps: ChangeServices,
): Promise<void> {
  const { old_password: password } = body;
  if (!password) throw unfit('old-password-missing', 'Current password is required');
  const knownSession = credential.kind === 'session' ? credential.tokenId : undefined;
  const guess = { password, address, account: user.name, storedHash: async () => user.passwordHash };
  const judged = await whileThere(ctx?.res, (signal) =>
    guessOnAccount({ user, knownSession, signal }, deps, () => judgeGuess({ ...guess, signal }, deps)),
  );
  if (!judged.ok) throw oldPasswordWrong();
}

/** The NVR's own page looks for these words. */
const oldPasswordWrong = (): Refused => unfit('old-password-wrong', 'Current password is incorrect', 401);
