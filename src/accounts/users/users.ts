/** Creates, changes and deletes users, for the API and the command line alike; and the validity of an account (interface 2.1, 2.2; SPEC 4.3, 13). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, parseNewUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { described } from '../../routes/shapes.ts';
import type { Store } from '../../store/open-store.ts';
import { BY_CONFIGURATION } from '../audit.ts';
import { type Refused, refusedWhileBusy, unfit } from '../http/kernel.ts';
import { unknownPassword } from '../passwords/password-hash.ts';
import { parseNewPassword, toPasswordRules } from '../passwords/password-rules.ts';

/** What users are made and changed with. Each change refuses by a `Refused`. */
export type UserServices = Pick<Services, 'store' | 'hasher' | 'clock' | 'roleRegistry' | 'settings'>;

export interface NewUser {
  readonly name: string;
  /** Undefined: a random password that is told to no person. The user gets in by an invitation. */
  readonly password?: string | undefined;
  readonly role: string;
  /** A guest: from when and until when the account may be used. */
  readonly validity?: z.output<typeof VALIDITY> | undefined;
}

/** The hash of a password, or a refusal while too many wait for theirs. */
export async function hashPassword(password: string, { hasher }: Pick<Services, 'hasher'>): Promise<string> {
  const hash = await hasher.hash(password);
  if (hash === undefined) throw refusedWhileBusy('busy');
  return hash;
}

/** The same for a password that a person has chosen. */
export async function hashNewPassword(
  password: string,
  name: UserName,
  services: Pick<Services, 'hasher' | 'settings'>,
): Promise<string> {
  const fit = await parseNewPassword(password, name, toPasswordRules(services.settings));
  if (!fit.ok) throw unfit(['password-unfit', fit.error.values], fit.error.message);
  return hashPassword(fit.value, services);
}

type Registry = Pick<Services, 'roleRegistry'>;

const knownRoles = async ({ roleRegistry }: Registry): Promise<readonly Role[]> => [
  ...(await roleRegistry.latest()).keys(),
  ADMIN,
  VIEWER,
];

/** The role of that name, or a refusal. */
export async function roleNamed(wanted: unknown, services: Registry): Promise<Role> {
  const known = await knownRoles(services);
  const role = known.find((candidate) => candidate === wanted);
  if (role === undefined) throw unfit('role-unknown', `Role must be one of: ${known.join(', ')}`);
  return role;
}

/** A role that was deleted while it was being assigned: its other users became viewers, and this one must too. */
async function unlessGone(role: Role, services: Registry & Pick<Services, 'store'>): Promise<void> {
  const known = await knownRoles(services);
  if (!known.includes(role)) await services.store.accounts.demoteUnknownRoles(known, [role]);
}

export async function addUser(user: NewUser, services: UserServices): Promise<UserName> {
  const { clock } = services;
  const { accounts } = services.store;
  const existing = (await accounts.listUsers()).map(({ name }) => name);
  const name = parseNewUserName(user.name, existing);
  if (!name.ok) throw unfit('name-invalid', `Invalid username: ${name.error}`);
  const role = await roleNamed(user.role, services);
  const { valid_from: validFrom = null, valid_until: validUntil = null } = user.validity ?? {};
  checkValidity(validFrom, validUntil);
  if (validUntil !== null && validUntil <= unixSeconds(clock))
    throw unfit(['validity-unfit', { why: 'passed' }], 'valid_until has passed already');
  const { password } = user;
  const passwordHash = await (password === undefined
    ? hashPassword(unknownPassword(), services)
    : hashNewPassword(password, name.value, services));
  const row = { passwordHash, passwordChangedAt: null, createdAt: unixSeconds(clock) };
  const ends = { ...(validFrom !== null && { validFrom }), ...(validUntil !== null && { validUntil }) };
  const unknown = password === undefined && ({ hasNoPassword: true } as const);
  const added = await accounts.addUser({ name: name.value, role, ...row, ...ends, ...unknown });
  if (added === 'taken') throw unfit('name-taken', `User ${name.value} exists already`, 409);
  await unlessGone(role, services);
  return name.value;
}

/**
 * Ends the user's sessions; gives the user as it is then. `proven`: the hash that is to be replaced, and no other. Undefined
 * where there is no such user, or another hash by now.
 */
export async function setPassword(
  text: string,
  password: string,
  services: Omit<UserServices, 'roleRegistry'>,
  proven?: string,
): Promise<User | undefined> {
  const { accounts } = services.store;
  const user = await accounts.findUser(text);
  if (!user) return undefined;
  const passwordHash = await hashNewPassword(password, user.name, services);
  const passwordChangedAt = unixSeconds(services.clock);
  const outcome = await accounts.setPassword(user.name, passwordHash, passwordChangedAt, proven);
  return outcome === 'set' ? { ...user, passwordHash, passwordChangedAt } : undefined;
}

export async function setRole(
  name: string,
  roleName: string,
  services: Pick<Services, 'store' | 'roleRegistry' | 'clock'>,
): Promise<void> {
  const role = await roleNamed(roleName, services);
  // An invalid name matches no user.
  const outcome = await services.store.accounts.setRole(name as UserName, role, unixSeconds(services.clock));
  await unlessGone(role, services);
  assertChanged(outcome, 'Cannot take the role of admin from the last admin');
}

export const userAbsent = (): Refused => unfit('user-absent', 'User not found', 404);

export function assertChanged(outcome: 'set' | 'deleted' | 'absent' | 'last-admin', lastAdmin: string): void {
  if (outcome === 'absent') throw userAbsent();
  if (outcome === 'last-admin') throw unfit('last-admin', lastAdmin, 403);
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

/** The validity of an account, as it is asked for. Undefined: not said. */
export const VALIDITY = described('Validity', { valid_from: END, valid_until: END });

export function checkValidity(from: number | null, until: number | null): void {
  if (from !== null && until !== null && until <= from)
    throw unfit(['validity-unfit', { why: 'order' }], 'valid_until must be later than valid_from');
}

/** What is needed where the service changes accounts itself: users whose role is gone become viewers, guests whose time is over are deleted (SPEC 4.2, 4.3). */
interface UpkeepServices extends Pick<Services, 'audit' | 'clock' | 'log'> {
  readonly store: Pick<Store, 'accounts' | 'grants' | 'roles' | 'here' | 'hasOtherNvrs'>;
}

/**
 * SPEC 4.3: a role that was taken out of the file makes viewers of its users. `before`: the roles of the file until now. With other
 * NVRs on the store no other role counts as gone, nor one that the file of another service has.
 */
export async function demoteWhoseRoleIsGone(
  before: readonly Role[],
  roles: CustomRoles,
  services: UpkeepServices,
): Promise<void> {
  const { store, audit, log } = services;
  const elsewhere = store.hasOtherNvrs ? await store.roles.rolesElsewhere(store.here) : [];
  const gone = before.filter((role) => !roles.has(role) && !elsewhere.includes(role));
  if (store.hasOtherNvrs && gone.length === 0) return;
  const among = store.hasOtherNvrs ? gone : undefined;
  const demoted = await store.accounts.demoteUnknownRoles([ADMIN, VIEWER, ...roles.keys()], among);
  for (const user of demoted) {
    log.warn(
      { user },
      'the role of this user is no longer in auth.roles, so the user is now a viewer: give the user another role if that is wrong',
    );
    audit({
      what: 'role-changed',
      who: undefined,
      from: BY_CONFIGURATION,
      verdict: 'allowed',
      reason: 'role-gone',
      user,
    });
  }
}

/** The time for which the account of a guest is kept after its end. */
const GUEST_KEPT_SECONDS = 30 * 86_400;

/** Deletes guests whose time is over, and what else has ended. */
export async function deleteExpired({ store, clock, audit }: UpkeepServices): Promise<void> {
  const { accounts, grants } = store;
  const now = unixSeconds(clock);
  const forgottenFrom = now - GUEST_KEPT_SECONDS;
  for (const { name: user } of await accounts.listUsers({ valid_until: { '<': forgottenFrom } })) {
    const outcome = await accounts.deleteUser(user, { endedBefore: forgottenFrom, at: now });
    const act = { what: 'user-deleted', who: undefined, from: BY_CONFIGURATION, user } as const;
    if (outcome === 'deleted') audit({ ...act, verdict: 'allowed', reason: 'guest-over' });
  }
  await accounts.forgetEnded(now);
  await grants.forgetEnded(now);
}
