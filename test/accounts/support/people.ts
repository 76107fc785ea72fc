/** Users, a clock that is set by hand, and a real store to keep accounts in. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createPasswordHasher } from '../../../src/accounts/passwords/password-hash.ts';
import type { UserServices } from '../../../src/accounts/users/users.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import type { CustomRoles } from '../../../src/domain/camera-scope.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import type { Role, UserName } from '../../../src/domain/names.ts';
import type { ActiveRoles } from '../../../src/domain/rights.ts';
import type { AccountStore } from '../../../src/store/accounts/accounts.ts';
import { openStore, type Store } from '../../support/whole-store.ts';
import { tempDirectory } from './temp-directory.ts';

export const NOW = 1_800_000_000;
export const PASSWORD = 'only-looking-around';
export const PASSWORD_RULES = { shortest: 12, hostNames: [] } as const;
/** What users are made and changed with, on that store. */
export const userServices = (
  accounts: AccountStore,
  clock: Clock,
  roles: UserServices['roleRegistry']['latest'] = () => ROLES,
): UserServices => {
  const settings = { auth: { password_min_length: PASSWORD_RULES.shortest }, server: { internal_hosts: [] } };
  const services: unknown = {
    ...{ store: { accounts }, clock, hasher: quickHasher(), settings },
    roleRegistry: { latest: roles },
  };
  return services as UserServices;
};

/** Seconds, set by hand. */
export function handClock(
  seconds = NOW,
): Clock & { at: (seconds: number) => void; advance: (seconds: number) => void } {
  let now = seconds * 1000;
  return {
    now: () => now,
    at: (then) => {
      now = then * 1000;
    },
    advance: (by) => {
      now = Math.round(now + by * 1000);
    },
  };
}

export const ROLES: CustomRoles = new Map([['gardener' as Role, ['garden', 'patio_*']]]);
/** The same, as they stand in the configuration: without limits. */
export const IN_FORCE: ActiveRoles = { cameras: ROLES, limits: new Map(), zone: 'UTC' };

export const quickHasher = (onHash = () => {}) =>
  createPasswordHasher({ iterations: 10, concurrency: 1, queue: 32, onHash });

/** A user whose password is `PASSWORD`, unless something else is said. */
export async function person(
  name: string,
  changes: Partial<Omit<User, 'role'>> & { role?: string; password?: string } = {},
) {
  const { password = PASSWORD, role = 'viewer', ...rest } = changes;
  const passwordHash = (await quickHasher().hash(password)) ?? '';
  const row = { name: name as UserName, passwordHash, passwordChangedAt: null, createdAt: NOW - 1000 };
  const user: User = { ...row, ...rest, role: role as Role };
  return user;
}

/** A store in an SQLite file; the same file again, when a directory is given. */
export async function openInstanceStore(t: TestContext, directory = tempDirectory(t)): Promise<Store> {
  const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  t.after(store.close);
  return store;
}

export const openAccounts = async (t: TestContext, directory?: string): Promise<AccountStore> =>
  (await openInstanceStore(t, directory)).accounts;
