/** What changes while something else is under way: a role while it is given, an account while its password is hashed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createRoleRegistry } from '../../../src/accounts/roles/roles.ts';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import { addUser, setRole } from '../../../src/accounts/users/users.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import type { Role } from '../../../src/domain/names.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { startAccountServer } from '../support/account-server.ts';
import { handClock, IN_FORCE, NOW, openInstanceStore, PASSWORD, person, userServices } from '../support/people.ts';

const GUARD = 'guard' as Role;

describe('A role that is deleted while it is being given', () => {
  /** Users whose role goes away between the look at the roles and the writing. */
  async function instance(t: TestContext) {
    const records = await openInstanceStore(t);
    const { roles, accounts } = records;
    await accounts.addUser(await person('vera'));
    await roles.changeRoles({ saved: [{ role: GUARD, cameras: ['street'] }], deleted: [] });
    const gone = () => roles.changeRoles({ saved: [], deleted: [GUARD] });
    const store = {
      ...accounts,
      setRole: async (...change: Parameters<typeof accounts.setRole>) => {
        await gone();
        return accounts.setRole(...change);
      },
      addUser: async (user: User) => {
        await gone();
        return accounts.addUser(user);
      },
    };
    const book = createRoleRegistry({
      store: roles,
      fixed: IN_FORCE,
      grace: createStoreGrace({ version: records.version }),
    });
    const users = userServices(store, handClock(), book.latest);
    return { users, accounts };
  }

  it('makes a viewer of the user', async (t) => {
    const { users, accounts } = await instance(t);
    await setRole('vera', GUARD, users);
    assert.equal((await accounts.findUser('vera'))?.role, 'viewer');
  });

  it('makes a viewer of a new user', async (t) => {
    const { users, accounts } = await instance(t);
    await addUser({ name: 'nina', password: 'a-long-password', role: GUARD }, users);
    assert.equal((await accounts.findUser('nina'))?.role, 'viewer');
  });
});

describe('A login whose account changes while the password is hashed', () => {
  type Change = (accounts: Store['accounts'], vera: User) => Promise<unknown>;
  const stronger = `pbkdf2_sha256$20$`;
  // biome-ignore format: a table
  const rows: [sentence: string, change: Change, expected: [status: number, role: string | undefined]][] = [
    ['succeeds when nothing changes',           async () => {}, [200, 'viewer']],
    ['fails when the password is another one',  async (accounts, vera) => accounts.setPassword(vera.name, (await person('vera')).passwordHash, NOW), [401, undefined]],
    ['fails when the user is deleted',          (accounts, vera) => accounts.deleteUser(vera.name), [401, undefined]],
    ['fails when the user is made again',       async (accounts, vera) => {
      await accounts.deleteUser(vera.name);
      await accounts.addUser(await person('vera'));
    }, [401, undefined]],
    ['fails when the account is over',          (accounts, vera) => accounts.setValidity(vera.name, null, NOW), [403, undefined]],
    ['succeeds with the role of now',           (accounts, vera) => accounts.setRole(vera.name, 'gardener' as Role), [200, 'gardener']],
    ['succeeds when another login strengthens the hash', (accounts, vera) => accounts.rehashPassword(vera.name, vera.passwordHash, vera.passwordHash.replace(/^pbkdf2_sha256\$10\$/, stronger)), [200, 'viewer']],
  ];
  for (const [sentence, change, expected] of rows) {
    it(sentence, async (t) => {
      const records = await openInstanceStore(t);
      const vera = await person('vera');
      await records.accounts.addUser(vera);
      const { send } = await startAccountServer(t, { records, afterHash: () => change(records.accounts, vera) });
      const { status, headers } = await send('POST', '/api/login', { body: { user: 'vera', password: PASSWORD } });
      const cookie = headers['set-cookie']?.[0]?.split(';')[0];
      const profile = cookie === undefined ? undefined : await send('GET', '/api/profile', { headers: { cookie } });
      assert.deepEqual([status, profile && Object(profile.json).role], expected);
      assert.equal((await records.sessions.listSessions(0)).length, expected[0] === 200 ? 1 : 0);
    });
  }
});
