/** Creates, changes and deletes users, for the API and the command line alike; and the validity of an account (interface 2.1, 2.2; SPEC 4.3, 13). */
import { z } from 'zod';
import type { User } from '../../domain/accounts/account.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, parseNewUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { named } from '../../routes/shapes.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import { type Refused, refusedWhileBusy, unfit } from '../http/kernel.ts';
import { type PasswordHasher, unknownPassword } from '../passwords/password-hash.ts';
import { type PasswordRules, parseNewPassword } from '../passwords/password-rules.ts';

export interface UserDeps {
  readonly store: AccountStore;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly roles: () => CustomRoles | Promise<CustomRoles>;
  readonly passwordRules: PasswordRules;
}

export interface NewUser {
  readonly name: string;
  /** Undefined: a random password that is told to no person. The user gets in by an invitation. */
  readonly password: string | undefined;
  readonly role: string;
  /** A guest: from when and until when the account may be used. */
  readonly validity?: GivenValidity | undefined;
}

export type Users = ReturnType<typeof createUsers>;

/** Each change refuses by a `Refused`. */
export function createUsers({ store, hasher, clock, roles, passwordRules }: UserDeps) {
  const hashOf = async (password: string): Promise<string> => {
    const outcome = await hasher.hash(password);
    if (outcome.kind === 'busy') throw refusedWhileBusy('busy');
    return outcome.hash;
  };
  const hashOfNew = async (password: string, name: UserName): Promise<string> => {
    const fit = await parseNewPassword(password, name, passwordRules);
    if (!fit.ok) throw unfit('password-unfit', fit.error);
    return hashOf(fit.value);
  };
  const knownRoles = async (): Promise<Role[]> => [...(await roles()).keys(), ADMIN, VIEWER];
  const roleNamed = async (text: string): Promise<Role> => {
    const known = await knownRoles();
    const role = known.find((candidate) => candidate === text);
    if (!role) throw unfit('role-unknown', `Role must be one of: ${known.join(', ')}`);
    return role;
  };
  /** A role that was deleted while it was being assigned: its other users became viewers, and this one must too. */
  const unlessGone = async (role: Role): Promise<void> => {
    const known = await knownRoles();
    if (!known.includes(role)) await store.demoteUnknownRoles(known, [role]);
  };
  return {
    async add(user: NewUser): Promise<UserName> {
      const existing = (await store.listUsers()).map(({ name }) => name);
      const name = parseNewUserName(user.name, existing);
      if (!name.ok) throw unfit('name-invalid', `Invalid username: ${name.error}`);
      const role = await roleNamed(user.role);
      const { validFrom = null, validUntil = null } = user.validity ?? {};
      checkValidity(validFrom, validUntil);
      if (validUntil !== null && validUntil <= unixSeconds(clock))
        throw unfit('validity-unfit', 'valid_until has passed already');
      const { password } = user;
      const passwordHash = await (password === undefined ? hashOf(unknownPassword()) : hashOfNew(password, name.value));
      const row = { passwordHash, passwordChangedAt: null, createdAt: unixSeconds(clock) };
      const ends = { ...(validFrom !== null && { validFrom }), ...(validUntil !== null && { validUntil }) };
      const unknown = password === undefined && ({ hasNoPassword: true } as const);
      const added = await store.addUser({ name: name.value, role, ...row, ...ends, ...unknown });
      if (added === 'taken') throw unfit('name-taken', `User ${name.value} exists already`, 409);
      await unlessGone(role);
      return name.value;
    },
    /**
     * Ends the user's sessions; gives the user as it is then. `proven`: the hash that is to be replaced, and no other. Undefined
     * where there is no such user, or another hash by now.
     */
    async setPassword(text: string, password: string, proven?: string): Promise<User | undefined> {
      const user = await store.findUser(text);
      if (!user) return undefined;
      const passwordHash = await hashOfNew(password, user.name);
      const passwordChangedAt = unixSeconds(clock);
      const outcome = await store.setPassword(user.name, passwordHash, passwordChangedAt, proven);
      return outcome === 'set' ? { ...user, passwordHash, passwordChangedAt } : undefined;
    },
    async setRole(name: string, roleName: string): Promise<void> {
      const role = await roleNamed(roleName);
      // An invalid name matches no user.
      const outcome = await store.setRole(name as UserName, role, unixSeconds(clock));
      await unlessGone(role);
      assertChanged(outcome, 'Cannot take the role of admin from the last admin');
    },
    /** What is not said stays as it is. */
    async setValidity(text: string, given: GivenValidity): Promise<void> {
      const user = await store.findUser(text);
      if (!user) throw userAbsent();
      const { validFrom = user.validFrom ?? null, validUntil = user.validUntil ?? null } = given;
      checkValidity(validFrom, validUntil);
      const outcome = await store.setValidity(user.name, validFrom, validUntil);
      assertChanged(outcome, 'Cannot make a guest of the last admin: one whose account lasts must stay');
    },
    async remove(name: string): Promise<void> {
      assertChanged(await store.deleteUser(name as UserName), 'Cannot delete the last admin');
    },
  };
}

export const userAbsent = (): Refused => unfit('user-absent', 'User not found', 404);

function assertChanged(outcome: 'set' | 'deleted' | 'absent' | 'last-admin', lastAdmin: string): void {
  if (outcome === 'absent') throw userAbsent();
  if (outcome === 'last-admin') throw unfit('last-admin', lastAdmin, 403);
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

function checkValidity(from: number | null, until: number | null): void {
  if (from !== null && until !== null && until <= from)
    throw unfit('validity-unfit', 'valid_until must be later than valid_from');
}
