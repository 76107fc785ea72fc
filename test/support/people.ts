/** Who lives in the test instance: one for each kind of role. */

import { createPasswordHasher } from '../../src/accounts/passwords/password-hash.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import type { AccountStore } from '../../src/store/accounts/accounts.ts';

export interface Person {
  readonly name: string;
  readonly role: string;
  readonly password: string;
}

export const ADMIN_PERSON: Person = { name: 'admin', role: 'admin', password: 'IronsPassw0rd!!' };
export const VERA: Person = { name: 'vera', role: 'viewer', password: 'ZincPassw0rd!!!' };
/** Sees cam1 alone. */
export const CARL: Person = { name: 'carl', role: 'front_only', password: 'TinyPassw0rd!!!' };
export const EVERYBODY: readonly Person[] = [ADMIN_PERSON, VERA, CARL];

/** Enough to be a hash, and cheap: 600,000 is proved where it is the point. */
export const TEST_ITERATIONS = 1000;

/** `createdAt` is Unix seconds. */
export async function moveIn(people: readonly Person[], accounts: AccountStore, createdAt: number): Promise<void> {
  const hasher = createPasswordHasher({ iterations: TEST_ITERATIONS, concurrency: 1, queue: people.length });
  for (const { name, role, password } of people) {
    const passwordHash = await hasher.hash(password);
    if (passwordHash === undefined) throw new Error('the hasher is busy');
    const account = { name: name as UserName, role: role as Role, passwordHash };
    await accounts.addUser({ ...account, passwordChangedAt: null, createdAt });
  }
}
