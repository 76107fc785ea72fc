/** What changes while something else is under way: a role while it is given, an account while its password is hashed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createKnownClients } from '../../../src/accounts/login/client-key.ts';
import { logIn } from '../../../src/accounts/login/login.ts';
import { createLoginLimiter, inTurn } from '../../../src/accounts/login/login-limiter.ts';
import { createRoleRegistry } from '../../../src/accounts/roles/roles.ts';
import { addUser, setRole } from '../../../src/accounts/users/users.ts';
import type { Services } from '../../../src/app/services.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import type { Role } from '../../../src/domain/names.ts';
import type { Store } from '../../../src/store/open-store.ts';
import {
  handClock,
  IN_FORCE,
  NOW,
  openInstanceStore,
  PASSWORD,
  person,
  quickHasher,
  userServices,
} from '../support/people.ts';

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
    const book = createRoleRegistry({ store: roles, fixed: IN_FORCE, version: records.version });
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
  const rows: [sentence: string, change: Change, outcome: string][] = [
    ['succeeds when nothing changes',           async () => {}, 'logged-in as viewer'],
    ['fails when the password is another one',  async (accounts, vera) => accounts.setPassword(vera.name, (await person('vera')).passwordHash, NOW), 'mismatch'],
    ['fails when the user is deleted',          (accounts, vera) => accounts.deleteUser(vera.name), 'mismatch'],
    ['fails when the user is made again',       async (accounts, vera) => {
      await accounts.deleteUser(vera.name);
      await accounts.addUser(await person('vera'));
    }, 'mismatch'],
    ['succeeds with the role of now',           (accounts, vera) => accounts.setRole(vera.name, 'gardener' as Role), 'logged-in as gardener'],
    ['succeeds when another login strengthens the hash', (accounts, vera) => accounts.rehashPassword(vera.name, vera.passwordHash, vera.passwordHash.replace(/^pbkdf2_sha256\$10\$/, stronger)), 'logged-in as viewer'],
  ];
  for (const [sentence, change, expected] of rows) {
    it(sentence, async (t) => {
      const { accounts } = await openInstanceStore(t);
      const vera = await person('vera');
      await accounts.addUser(vera);
      const hasher = {
        ...quickHasher(),
        check: async (...guess: Parameters<ReturnType<typeof quickHasher>['check']>) => {
          const outcome = await quickHasher().check(...guess);
          await change(accounts, vera);
          return outcome;
        },
      };
      const limiter = inTurn(createLoginLimiter({ clauses: [], clock: handClock() }));
      const sessions = { issue: async ({ name }: User) => `token of ${name}`, sessionNamedBy: async () => undefined };
      const attempt = { user: 'vera', password: PASSWORD, address: '192.0.2.1' };
      const outcome = await logIn(attempt, {
        store: { accounts },
        hasher,
        limiter,
        knownClients: createKnownClients(),
        closedOf: async () => undefined,
        mayUsePassword: () => true,
        sessions: { ...sessions, issueForToken: () => assert.fail() },
        verifyToken: () => assert.fail(),
        codeLimiter: limiter,
        secondFactor: { wantedFrom: async () => [], checkCode: async () => ({ kind: 'wrong', by: 'totp' }) },
      } as unknown as Services);
      const shown = outcome.kind === 'logged-in' ? `${outcome.kind} as ${outcome.user.role}` : outcome.kind;
      assert.equal(shown, expected);
    });
  }
});
