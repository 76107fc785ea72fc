import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ensureFirstAdmin, makePassword } from '../../../src/accounts/login/first-admin.ts';
import { ADMIN } from '../../../src/domain/names.ts';
import type { AccountStore } from '../../../src/store/accounts/accounts.ts';
import { handClock, NOW, openAccounts, person, quickHasher } from '../support/people.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const start = (store: AccountStore, reset = false) =>
  ensureFirstAdmin({ store, hasher: quickHasher(), clock: handClock(), reset });

const busyHasher = { ...quickHasher(), hash: async () => undefined };

/** Whether the password that is printed opens the admin's account. */
async function isTheAdmins(printed: { password: string } | undefined, store: AccountStore): Promise<boolean> {
  const admin = await store.findUser('admin');
  assert.ok(printed && admin);
  return (await quickHasher().check(printed.password, admin.passwordHash)) === 'match';
}
const storeOf = async (t: TestContext, ...names: string[]): Promise<AccountStore> => {
  const store = await openAccounts(t);
  for (const name of names) await store.addUser(await person(name));
  return store;
};

describe('The first start (interface 2.1)', () => {
  it('makes an admin with a generated password', async (t) => {
    const store = await storeOf(t);
    const printed = await start(store);
    assert.match(printed?.password ?? '', /^[0-9a-f]{32}$/);
    assert.equal(await isTheAdmins(printed, store), true);
    const users = (await store.listUsers()).map(({ passwordHash: _, ...user }) => user);
    assert.deepEqual(users, [
      { name: 'admin', role: ADMIN, passwordChangedAt: null, createdAt: NOW, passwordIsGenerated: true },
    ]);
  });

  it('takes the password that was begun before, so that its hash is not waited for', async (t) => {
    const store = await storeOf(t);
    const made = makePassword(quickHasher());
    const printed = await ensureFirstAdmin({ store, hasher: busyHasher, clock: handClock(), reset: false, made });
    assert.equal(printed?.password, (await made).password);
    assert.equal(await isTheAdmins(printed, store), true);
  });

  it('happens once', async (t) => {
    const store = await storeOf(t);
    await start(store);
    assert.equal(await start(store), undefined);
  });

  it('does nothing when there are users, even without an admin among them', async (t) => {
    const store = await storeOf(t, 'vera');
    assert.equal(await start(store), undefined);
    assert.equal(await store.countUsers(), 1);
  });

  it('of two processes at once prints one password, and it is the right one', async (t) => {
    const directory = tempDirectory(t);
    const stores = [await openAccounts(t, directory), await openAccounts(t, directory)];
    const printed = (await Promise.all(stores.map((store) => start(store)))).filter(
      (password) => password !== undefined,
    );
    assert.equal(printed.length, 1);
    const store = await openAccounts(t, directory);
    assert.equal(await isTheAdmins(printed[0], store), true);
  });
});

describe('A reset of the admin password (interface 5.2)', () => {
  it('gives the admin a new password, the role of admin, and ends the sessions', async (t) => {
    const store = await storeOf(t, 'admin', 'vera');
    const before = await store.findUser('vera');
    const printed = await start(store, true);
    assert.equal(await isTheAdmins(printed, store), true);
    const admin = await store.findUser('admin');
    assert.deepEqual([admin?.role, admin?.passwordChangedAt, admin?.createdAt], [ADMIN, NOW, NOW - 1000]);
    assert.deepEqual(await store.findUser('vera'), before);
  });

  it('makes the admin when there is none', async (t) => {
    const store = await storeOf(t, 'vera');
    assert.equal(await isTheAdmins(await start(store, true), store), true);
  });
});
