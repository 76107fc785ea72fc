/** What every account store must do, whatever the engine (interface 2.1, 5.1). */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { User } from '../../src/domain/accounts/account.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import type { AccountStore } from '../../src/store/accounts/accounts.ts';
import { LATE_SECONDS } from '../../src/store/engine/tables.ts';

export interface OpenedAccounts {
  readonly accounts: AccountStore;
  close(): Promise<void>;
}

export interface AccountStoreEngine {
  /** Opens the same store each time: as another process would. */
  open(): Promise<OpenedAccounts>;
  /** Forgets every user and revocation. */
  empty(): Promise<void>;
}

const GUARD = 'guard' as Role;
const ABSENT = 'absent' as UserName;

const person = (name: string, role: Role = VIEWER): User => ({
  name: name as UserName,
  role,
  passwordHash: `pbkdf2_sha256$600000$salt$${name}`,
  passwordChangedAt: null,
  createdAt: 1_700_000_000,
});

const ANNA = person('anna', ADMIN);
const BERT = person('bert', ADMIN);
const CARL = person('carl');
const DORA = person('dora', GUARD);

export function accountStoreContract(engineName: string, engine: AccountStoreEngine): void {
  describe(`The account store on ${engineName}`, () => {
    let store: OpenedAccounts;
    let accounts: AccountStore;

    before(async () => {
      store = await engine.open();
      accounts = store.accounts;
    });
    after(() => store.close());
    beforeEach(() => engine.empty());

    const add = async (...users: User[]) => {
      for (const user of users) assert.equal(await accounts.addUser(user), 'added');
    };
    const rolesByName = async () =>
      Object.fromEntries((await accounts.listUsers()).map((user) => [user.name, user.role]));

    it('starts without users', async () => {
      assert.equal(await accounts.countUsers(), 0);
      assert.deepEqual(await accounts.listUsers(), []);
      assert.equal(await accounts.findUser('anna'), undefined);
    });

    it('gives back a user as it was added', async () => {
      const changed: User = { ...ANNA, passwordChangedAt: 1_700_000_123 };
      await add(changed);
      assert.deepEqual(await accounts.findUser('anna'), changed);
      assert.equal(await accounts.countUsers(), 1);
    });

    it('lists users in order of name', async () => {
      await add(CARL, ANNA, BERT);
      assert.deepEqual(await accounts.listUsers(), [ANNA, BERT, CARL]);
    });

    it('lists users in pieces: so many behind the last one', async () => {
      await add(CARL, ANNA, BERT);
      assert.deepEqual(await accounts.listUsers({}, 2), [ANNA, BERT]);
      assert.deepEqual(await accounts.listUsers({ name: { '>': BERT.name } }, 2), [CARL]);
      assert.deepEqual(await accounts.listUsers({ name: { '>': CARL.name } }, 2), []);
    });

    it('tells the iteration counts of password hashes, each once, and passes over what is none', async () => {
      const hashes = [
        'pbkdf2_sha256$50$s$x',
        'pbkdf2_sha256$9$s$x',
        'pbkdf2_sha256$9$t$y',
        'pbkdf2_sha256$z$t$y',
        'none',
      ];
      await add(...hashes.map((passwordHash, at) => ({ ...person(`hashed${at}`), passwordHash })));
      const counts = (await accounts.listIterations()).filter((count) => count > 0);
      assert.deepEqual(
        counts.toSorted((one, other) => one - other),
        [9, 50],
      );
    });

    it('tells names apart by case', async () => {
      await add(ANNA);
      assert.equal(await accounts.findUser('Anna'), undefined);
    });

    it('takes a name for a value and never for a query', async () => {
      await add(ANNA);
      assert.equal(await accounts.findUser("' OR '1'='1"), undefined);
    });

    it('keeps the first of two users of one name', async () => {
      await add(CARL);
      assert.equal(await accounts.addUser({ ...CARL, role: ADMIN, passwordHash: 'other' }), 'taken');
      assert.deepEqual(await accounts.listUsers(), [CARL]);
    });

    it('lets one of many win who add the same name at once', async () => {
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => accounts.addUser(CARL)));
      assert.deepEqual(outcomes.sort(), ['added', 'taken', 'taken', 'taken']);
    });

    it('lets one of two win whose names differ in case only, also when they are added at once', async () => {
      const twins = ['dora', 'Dora', 'DORA'].map((name) => ({ ...CARL, name: name as User['name'] }));
      const outcomes = await Promise.all(twins.map((user) => accounts.addUser(user)));
      assert.deepEqual(outcomes.sort(), ['added', 'taken', 'taken']);
      assert.equal((await accounts.listUsers()).length, 1);
    });

    it('sets a password and when it changed', async () => {
      await add(ANNA, CARL);
      assert.equal(await accounts.setPassword(CARL.name, 'new-hash', 1_700_000_500), 'set');
      const changed: User = { ...CARL, passwordHash: 'new-hash', passwordChangedAt: 1_700_000_500 };
      assert.deepEqual(await accounts.listUsers(), [ANNA, changed]);
      assert.equal(await accounts.setPassword(ABSENT, 'hash', 1), 'absent');
    });

    it('sets no password in the place of another one than was proven', async () => {
      await add(CARL);
      assert.equal(await accounts.setPassword(CARL.name, 'second', 1_700_000_500, CARL.passwordHash), 'set');
      assert.equal(await accounts.setPassword(CARL.name, 'third', 1_700_000_600, CARL.passwordHash), 'absent');
      const changed: User = { ...CARL, passwordHash: 'second', passwordChangedAt: 1_700_000_500 };
      assert.deepEqual(await accounts.listUsers(), [changed]);
    });

    it('exchanges the hash of the same password without a change of password', async () => {
      await add(CARL);
      await accounts.rehashPassword(CARL.name, CARL.passwordHash, 'stronger');
      assert.deepEqual(await accounts.findUser('carl'), { ...CARL, passwordHash: 'stronger' });
    });

    it('does not exchange a hash that is no longer the one that was checked', async () => {
      await add(CARL);
      await accounts.setPassword(CARL.name, 'changed-meanwhile', 1_700_000_500);
      await accounts.rehashPassword(CARL.name, CARL.passwordHash, 'stronger-hash-of-the-old-password');
      assert.equal((await accounts.findUser('carl'))?.passwordHash, 'changed-meanwhile');
    });

    it('sets a role', async () => {
      await add(ANNA, CARL);
      assert.equal(await accounts.setRole(CARL.name, GUARD), 'set');
      assert.deepEqual(await rolesByName(), { anna: 'admin', carl: 'guard' });
      assert.equal(await accounts.setRole(ABSENT, VIEWER), 'absent');
    });

    it('deletes a user', async () => {
      await add(ANNA, CARL);
      assert.equal(await accounts.deleteUser(CARL.name), 'deleted');
      assert.equal(await accounts.deleteUser(CARL.name), 'absent');
      assert.deepEqual(await accounts.listUsers(), [ANNA]);
    });

    it('keeps the last admin', async () => {
      await add(ANNA, CARL);
      assert.equal(await accounts.setRole(ANNA.name, VIEWER), 'last-admin');
      assert.equal(await accounts.deleteUser(ANNA.name), 'last-admin');
      assert.equal(await accounts.setRole(ANNA.name, ADMIN), 'set');
      assert.deepEqual(await rolesByName(), { anna: 'admin', carl: 'viewer' });
    });

    it('lets an admin go while another one stays', async () => {
      await add(ANNA, BERT);
      assert.equal(await accounts.setRole(ANNA.name, VIEWER), 'set');
      assert.equal(await accounts.deleteUser(BERT.name), 'last-admin');
    });

    it('keeps one of two admins who demote each other at once, each through a process of its own', async () => {
      await add(ANNA, BERT);
      const other = await engine.open();
      const outcomes = await Promise.all([
        accounts.setRole(ANNA.name, VIEWER),
        other.accounts.deleteUser(BERT.name),
        accounts.deleteUser(ANNA.name),
        other.accounts.setRole(BERT.name, VIEWER),
      ]);
      await other.close();
      const admins = (await accounts.listUsers()).filter((user) => user.role === ADMIN);
      assert.equal(admins.length, 1, `outcomes: ${outcomes}`);
    });

    it('keeps the validity of a guest, and deletes one only when it had ended', async () => {
      const guest = { ...CARL, validFrom: 1_700_000_100, validUntil: 1_700_000_200 };
      await add(ANNA, guest, DORA);
      assert.deepEqual(await accounts.findUser('carl'), guest);
      const endedBefore = async (time: number) =>
        (await accounts.listUsers({ valid_until: { '<': time } })).map(({ name }) => name);
      assert.deepEqual(await endedBefore(1_700_000_200), []);
      assert.deepEqual(await endedBefore(1_700_000_201), ['carl']);
      assert.equal(await accounts.deleteUser(CARL.name, { endedBefore: 1_700_000_200, at: 1_700_000_300 }), 'absent');
      assert.equal(await accounts.setValidity(CARL.name, null, 1_700_000_900), 'set');
      assert.equal(await accounts.deleteUser(CARL.name, { endedBefore: 1_700_000_201, at: 1_700_000_300 }), 'absent');
      assert.deepEqual(await accounts.findUser('carl'), { ...CARL, validUntil: 1_700_000_900 });
      assert.equal(await accounts.setValidity(CARL.name, null, null), 'set');
      assert.deepEqual(await accounts.findUser('carl'), CARL);
      assert.equal(await accounts.setValidity(ABSENT, null, null), 'absent');
      assert.equal(await accounts.setRole(CARL.name, GUARD, 1_700_000_500), 'set');
      assert.deepEqual(await accounts.findUser('carl'), { ...CARL, role: GUARD, roleSince: 1_700_000_500 });
      assert.equal(await accounts.setRole(CARL.name, GUARD, 1_700_000_600), 'set');
      assert.equal((await accounts.findUser('carl'))?.roleSince, 1_700_000_500);
    });

    it('keeps an admin whose account lasts', async () => {
      await add(ANNA, { ...BERT, validUntil: 1_700_000_200 });
      assert.equal(await accounts.setValidity(ANNA.name, null, 1_700_000_900), 'last-admin');
      assert.equal(await accounts.setValidity(ANNA.name, 1_700_000_900, null), 'last-admin');
      assert.equal(await accounts.setRole(ANNA.name, VIEWER), 'last-admin');
      assert.equal(await accounts.deleteUser(ANNA.name), 'last-admin');
      assert.equal(await accounts.setValidity(BERT.name, null, null), 'set');
      assert.equal(await accounts.setValidity(ANNA.name, null, 1_700_000_900), 'set');
      assert.equal(await accounts.deleteUser(BERT.name), 'last-admin');
    });

    it('keeps one of two admins lasting who make guests of each other at once', async () => {
      await add(ANNA, BERT);
      const other = await engine.open();
      await Promise.all([
        accounts.setValidity(ANNA.name, null, 1_700_000_900),
        other.accounts.setValidity(BERT.name, null, 1_700_000_900),
      ]);
      await other.close();
      const lasting = (await accounts.listUsers()).filter(({ validUntil }) => validUntil === undefined);
      assert.equal(lasting.length, 1);
    });

    it('makes viewers of users whose role is gone, and names them', async () => {
      await add(ANNA, CARL, DORA, person('ella', 'night_shift' as Role));
      assert.deepEqual(await accounts.demoteUnknownRoles([ADMIN, VIEWER, GUARD]), ['ella']);
      assert.deepEqual(await accounts.demoteUnknownRoles([ADMIN, VIEWER, GUARD]), []);
      assert.deepEqual(await rolesByName(), { anna: 'admin', carl: 'viewer', dora: 'guard', ella: 'viewer' });
    });

    it('never takes admin for a role that is gone', async () => {
      await add(ANNA, DORA);
      assert.deepEqual(await accounts.demoteUnknownRoles([]), ['dora']);
      assert.deepEqual(await rolesByName(), { anna: 'admin', dora: 'viewer' });
    });

    it('knows a revoked token, and may be told twice', async () => {
      assert.equal(await accounts.isRevoked('jti-1'), false);
      const again = await engine.open();
      const outcomes = await Promise.all(
        [accounts, again.accounts].map((one) => one.revokeToken('jti-1', 1_700_000_100)),
      );
      await again.close();
      assert.deepEqual([...outcomes].sort(), [false, true]);
      assert.equal(await accounts.revokeToken('jti-1', 1_700_000_100), false);
      assert.equal(await accounts.isRevoked('jti-1'), true);
      assert.equal(await accounts.isRevoked('jti-2'), false);
    });

    it('forgets revocations only of tokens that have expired', async () => {
      await accounts.revokeToken('old', 1_700_000_099);
      await accounts.revokeToken('still-good', 1_700_000_100);
      await accounts.forgetEnded(1_700_000_100 + LATE_SECONDS);
      assert.equal(await accounts.isRevoked('old'), false);
      assert.equal(await accounts.isRevoked('still-good'), true);
    });

    it('remembers across a restart', async () => {
      await add(ANNA);
      await accounts.revokeToken('jti-1', 1_700_000_100);
      const reopened = await engine.open();
      assert.deepEqual(await reopened.accounts.listUsers(), [ANNA]);
      assert.equal(await reopened.accounts.isRevoked('jti-1'), true);
      await reopened.close();
    });
  });
}
