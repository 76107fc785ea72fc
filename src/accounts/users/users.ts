/** Creates, changes and deletes users, for the API and the command line alike; the validity of an account, and what an admin does about sign-ins of others (interface 2.1, 2.2; SPEC 4.3, 13, 16). */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { User } from '../../domain/accounts/account.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, parseNewUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { named } from '../../routes/shapes.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import type { SignInStore } from '../../store/accounts/sign-ins.ts';
import type { PasswordHasher } from '../passwords/password-hash.ts';
import { type PasswordRules, parseNewPassword } from '../passwords/password-rules.ts';

export interface UserDeps {
  readonly store: AccountStore;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly roles: () => CustomRoles | Promise<CustomRoles>;
  readonly passwordRules: PasswordRules;
}

export type UserFault =
  | 'name-invalid'
  | 'role-unknown'
  | 'password-unfit'
  | 'name-taken'
  | 'user-absent'
  | 'last-admin'
  | 'factor-absent'
  | 'sign-in-absent'
  | 'last-way-in'
  | 'validity-unfit'
  | 'busy';

export interface UserRefusal {
  readonly reason: UserFault;
  /** Shown to the client of the API, or at the terminal. */
  readonly message: string;
}

export type UserOutcome = Result<UserName, UserRefusal>;

export interface NewUser {
  readonly name: string;
  /** Undefined: a random password that is told to no person. The user gets in by an invitation. */
  readonly password: string | undefined;
  readonly role: string;
  /** A guest: from when and until when the account may be used. */
  readonly validity?: GivenValidity | undefined;
}

export type Users = ReturnType<typeof createUsers>;

const UNKNOWN_BYTES = 32;

/** A password that no person knows, for an account that is made without one. */
export const unknownPassword = (): string => randomBytes(UNKNOWN_BYTES).toString('base64url');

export function createUsers({ store, hasher, clock, roles, passwordRules }: UserDeps) {
  const hashOf = async (password: string, name: UserName): Promise<Result<string, UserRefusal>> => {
    const fit = await parseNewPassword(password, name, passwordRules);
    if (!fit.ok) return refused('password-unfit', fit.error);
    const outcome = await hasher.hash(fit.value);
    return outcome.kind === 'busy' ? BUSY : ok(outcome.hash);
  };
  const unknownToAll = async (): Promise<Result<string, UserRefusal>> => {
    const outcome = await hasher.hash(unknownPassword());
    return outcome.kind === 'busy' ? BUSY : ok(outcome.hash);
  };
  const knownRoles = async (): Promise<Role[]> => [...(await roles()).keys(), ADMIN, VIEWER];
  const roleOf = async (text: string): Promise<Result<Role, UserRefusal>> => {
    const known = await knownRoles();
    const role = known.find((candidate) => candidate === text);
    return role ? ok(role) : refused('role-unknown', `Role must be one of: ${known.join(', ')}`);
  };
  /** A role that was deleted while it was being assigned: its other users became viewers, and this one must too. */
  const unlessGone = async (role: Role): Promise<void> => {
    const known = await knownRoles();
    if (!known.includes(role)) await store.demoteUnknownRoles(known, [role]);
  };
  return {
    /** All users, in order of name. */
    list: async (): Promise<
      readonly Pick<User, 'name' | 'role' | 'hasFactor' | 'validFrom' | 'validUntil' | 'roleSource'>[]
    > =>
      (await store.listUsers()).map(({ name, role, hasFactor, validFrom, validUntil, roleSource }) => ({
        name,
        role,
        ...(hasFactor && { hasFactor }),
        ...(validFrom !== undefined && { validFrom }),
        ...(validUntil !== undefined && { validUntil }),
        ...(roleSource !== undefined && { roleSource }),
      })),
    async add(user: NewUser): Promise<UserOutcome> {
      const existing = (await store.listUsers()).map(({ name }) => name);
      const name = parseNewUserName(user.name, existing);
      if (!name.ok) return refused('name-invalid', `Invalid username: ${name.error}`);
      const role = await roleOf(user.role);
      if (!role.ok) return role;
      const { validFrom = null, validUntil = null } = user.validity ?? {};
      const fit = checkedValidity(validFrom, validUntil);
      if (!fit.ok) return refused('validity-unfit', fit.error);
      if (validUntil !== null && validUntil <= unixSeconds(clock))
        return refused('validity-unfit', 'valid_until has passed already');
      const hash = await (user.password === undefined ? unknownToAll() : hashOf(user.password, name.value));
      if (!hash.ok) return hash;
      const row = { passwordHash: hash.value, passwordChangedAt: null, createdAt: unixSeconds(clock) };
      const ends = { ...(validFrom !== null && { validFrom }), ...(validUntil !== null && { validUntil }) };
      const unknown = user.password === undefined && ({ hasNoPassword: true } as const);
      const added = await store.addUser({ name: name.value, role: role.value, ...row, ...ends, ...unknown });
      if (added === 'taken') return refused('name-taken', `User ${name.value} exists already`);
      await unlessGone(role.value);
      return ok(name.value);
    },
    /** Ends the user's sessions; gives the user as it is then. `proven`: the hash that is to be replaced, and no other. */
    async setPassword(text: string, password: string, proven?: string): Promise<Result<User, UserRefusal>> {
      const user = await store.findUser(text);
      if (!user) return ABSENT;
      const hash = await hashOf(password, user.name);
      if (!hash.ok) return hash;
      const passwordChangedAt = unixSeconds(clock);
      const outcome = await store.setPassword(user.name, hash.value, passwordChangedAt, proven);
      return outcome === 'set' ? ok({ ...user, passwordHash: hash.value, passwordChangedAt }) : ABSENT;
    },
    async setRole(text: string, roleName: string): Promise<UserOutcome> {
      const role = await roleOf(roleName);
      if (!role.ok) return role;
      const name = text as UserName; // an invalid name matches no user
      const outcome = await store.setRole(name, role.value, unixSeconds(clock));
      await unlessGone(role.value);
      return toOutcome(outcome, name, 'Cannot take the role of admin from the last admin');
    },
    /** What is not said stays as it is. */
    async setValidity(text: string, given: GivenValidity): Promise<UserOutcome> {
      const user = await store.findUser(text);
      if (!user) return ABSENT;
      const { validFrom = user.validFrom ?? null, validUntil = user.validUntil ?? null } = given;
      const fit = checkedValidity(validFrom, validUntil);
      if (!fit.ok) return refused('validity-unfit', fit.error);
      const outcome = await store.setValidity(user.name, validFrom, validUntil);
      return toOutcome(outcome, user.name, 'Cannot make a guest of the last admin: one whose account lasts must stay');
    },
    async remove(text: string): Promise<UserOutcome> {
      const name = text as UserName;
      return toOutcome(await store.deleteUser(name), name, 'Cannot delete the last admin');
    },
  };
}

const refused = (reason: UserFault, message: string): Result<never, UserRefusal> => err({ reason, message });

const ABSENT = refused('user-absent', 'User not found');
const BUSY = refused('busy', 'Too many passwords are being checked at the same time: try again in a few seconds.');

function toOutcome(
  outcome: 'set' | 'deleted' | 'absent' | 'last-admin',
  name: UserName,
  lastAdmin: string,
): UserOutcome {
  if (outcome === 'absent') return ABSENT;
  return outcome === 'last-admin' ? refused('last-admin', lastAdmin) : ok(name);
}

/** The validity of an account, as it is asked for, in Unix seconds. Null: without that end. Undefined: not said. */
export interface GivenValidity {
  readonly validFrom?: number | null;
  readonly validUntil?: number | null;
}

/** The year 3000: a time in milliseconds is beyond it. */
const LATEST = 32_503_680_000;
const NO_TIME = 'Input should be a time in whole Unix seconds, or null';
const END = z
  .int(NO_TIME)
  .min(0, NO_TIME)
  .max(LATEST, NO_TIME)
  .nullish()
  .meta({ description: 'Unix seconds; null: without that end' });

export const VALIDITY = named('Validity', z.object({ valid_from: END, valid_until: END }));

export const toValidity = ({ valid_from: from, valid_until: until }: z.output<typeof VALIDITY>): GivenValidity => ({
  ...(from !== undefined && { validFrom: from }),
  ...(until !== undefined && { validUntil: until }),
});

/** Errs with a sentence. */
export const checkedValidity = (from: number | null, until: number | null): Result<undefined, string> =>
  from !== null && until !== null && until <= from ? err('valid_until must be later than valid_from') : ok(undefined);

export type SignInAdmin = ReturnType<typeof createSignInAdmin>;

export function createSignInAdmin(store: SignInStore) {
  return {
    /** The names of the providers of each user who has a sign-in. */
    async byUser(): Promise<ReadonlyMap<UserName, readonly string[]>> {
      const byUser = new Map<UserName, string[]>();
      for (const { user, provider } of await store.listSignIns())
        byUser.set(user, [...(byUser.get(user) ?? []), provider]);
      return byUser;
    },
    /** The role is that of the provider of the first sign-in, from its next login on. Gives the provider. */
    async giveBackRole(name: string): Promise<Result<string, UserRefusal>> {
      const user = name as UserName; // an invalid name matches no user
      const [first] = (await store.listSignIns(user)).toSorted((one, other) => one.connectedAt - other.connectedAt);
      if (!first) return NO_SIGN_IN;
      const outcome = await store.setRoleSource(user, first.provider);
      if (outcome === 'last-admin') return LAST_ADMIN;
      return outcome === 'absent' ? NO_SIGN_IN : ok(first.provider);
    },
    /** Sessions go on; a role that the provider gave becomes Postern's own. */
    async remove(name: string, provider: string): Promise<UserOutcome> {
      const user = name as UserName;
      const outcome = await store.disconnect(user, provider, 'admin');
      if (outcome === 'last-way-in') return LAST_WAY_IN;
      return outcome === 'disconnected' ? ok(user) : NO_SIGN_IN;
    },
    /** Guests whose accounts are gone. */
    closed: store.listClosed,
    /** A closed guest may sign in again, without an invitation. */
    forget: async (provider: string, subject: string): Promise<Result<undefined, UserRefusal>> =>
      (await store.forgetClosed(provider, subject)) === 'absent' ? NO_CLOSED : ok(undefined),
  };
}

const NO_SIGN_IN = refused('sign-in-absent', 'The user has no such sign-in: GET /api/users shows those that exist');
const NO_CLOSED = refused(
  'sign-in-absent',
  'There is no such closed guest: postern users list shows each with its provider and subject',
);
const LAST_ADMIN = refused(
  'last-admin',
  'Cannot give the role of the last admin to a provider, which may take it away',
);
const LAST_WAY_IN = refused(
  'last-way-in',
  'This is the only way in of the account: it has no password and no passkey. Make a link for a new password first, or delete the user',
);
