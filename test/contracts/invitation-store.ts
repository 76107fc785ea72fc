/** What every store must do with invitations and places of logins, whatever the engine: of two who use a link at once, one does (SPEC 12). */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { MAKERS_WITHOUT_ACCOUNT, NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { ADMIN, type UserName, VIEWER } from '../../src/domain/names.ts';
import type { PasskeyRecord } from '../../src/store/engine/tables.ts';
import type { Store } from '../../src/store/open-store.ts';

type Opened = Pick<Store, 'accounts' | 'grants' | 'invitations' | 'sessions' | 'secondFactor' | 'close'>;

const THEN = 1_700_000_000;
const [VERA, BOSS, CHIEF] = ['vera', 'boss', 'chief'] as UserName[] as [UserName, UserName, UserName];

const PASSKEY: Omit<PasskeyRecord, 'id' | 'user'> = {
  userHandle: 'handle',
  publicKey: 'key',
  counter: 0,
  transports: [],
  isBackupEligible: false,
  isBackedUp: false,
  name: 'Phone',
  createdAt: THEN,
  lastUsedAt: null,
};

export function invitationStoreContract(engineName: string, engine: { open(): Promise<Opened> }): void {
  describe(`The store of invitations and places of logins on ${engineName}`, () => {
    let store: Opened;
    let other: Opened;
    before(async () => {
      store = await engine.open();
      other = await engine.open();
    });
    after(() => Promise.all([store.close(), other.close()]));
    beforeEach(async () => {
      const row = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };
      await store.accounts.addUser({ ...row, name: CHIEF, role: ADMIN });
      for (const [name, role] of [
        [VERA, VIEWER],
        [BOSS, ADMIN],
      ] as const) {
        await store.accounts.deleteUser(name);
        await store.accounts.addUser({ ...row, name, role });
      }
    });
    const put = (secretHash: string, madeBy: string = BOSS, userCreatedAt = THEN) =>
      store.grants.add('invitation', {
        ...NEW_GRANT,
        id: `id of ${secretHash}`,
        secretHash,
        user: VERA,
        userCreatedAt,
        madeBy,
        createdAt: THEN,
        expiresAt: THEN + 100,
      });
    const holds = async (secretHash: string, now = THEN): Promise<boolean> =>
      (await other.invitations.findInvitation(secretHash, now)) !== undefined;

    it('sets the password once, also when two stores are asked at once', async () => {
      assert.equal(await put('h1'), 'added');
      const tries = [store, other, store, other].map((each, at) =>
        each.invitations.acceptInvitation('h1', `p$1$salt$${at}`, THEN + 1),
      );
      const outcomes = await Promise.all(tries);
      assert.deepEqual([...outcomes].sort(), ['accepted', 'void', 'void', 'void']);
      const { passwordHash, passwordChangedAt } = (await other.accounts.findUser(VERA)) ?? {};
      assert.equal(passwordHash, `p$1$salt$${outcomes.indexOf('accepted')}`);
      assert.equal(passwordChangedAt, THEN + 1);
      assert.equal(await holds('h1'), false);
      assert.deepEqual(await other.invitations.listInvitations(THEN), []);
    });

    const byPasskey = (each: Opened, secretHash: string, id: string, challenge = id, now = THEN + 1) =>
      each.invitations.acceptByPasskey(
        secretHash,
        {
          passkey: { ...PASSKEY, id, user: VERA },
          challenge: { id: `challenge ${challenge}`, expiresAt: THEN + 300 },
          passwordHash: `p$1$salt$${id}`,
          epoch: `e${id}`,
        },
        now,
      );
    const passkeysOf = async (): Promise<string[]> => (await other.secondFactor.listPasskeys(VERA)).map(({ id }) => id);

    it('adds one passkey, or sets one password, also when two stores are asked at once', async () => {
      await put('p1');
      const outcomes = await Promise.all([
        byPasskey(store, 'p1', 'k1'),
        byPasskey(other, 'p1', 'k2'),
        store.invitations.acceptInvitation('p1', 'p$1$salt$word', THEN + 1),
        other.invitations.acceptInvitation('p1', 'p$1$salt$word', THEN + 1),
      ]);
      assert.deepEqual([...outcomes].filter((outcome) => outcome === 'accepted').length, 1);
      const { passwordHash, factorEpoch, hasFactor } = (await other.accounts.findUser(VERA)) ?? {};
      const winner = ['k1', 'k2', 'word', 'word'][outcomes.indexOf('accepted')];
      assert.equal(passwordHash, `p$1$salt$${winner}`);
      const isByPasskey = winner !== 'word';
      assert.deepEqual(await passkeysOf(), isByPasskey ? [winner] : []);
      assert.deepEqual([factorEpoch, hasFactor], isByPasskey ? [`e${winner}`, true] : [undefined, undefined]);
      assert.equal(await store.secondFactor.countRecoveryCodes(VERA), 0);
    });

    it('adds no passkey beside a factor, of another person, for a spent challenge or a link that is over, and changes nothing then', async () => {
      await put('p2');
      const first = { epoch: 'e', recoveryCodes: [], known: { passwordChangedAt: null } };
      const added = { challenge: { id: 'challenge spent', expiresAt: THEN + 300 }, first, most: 9 };
      await store.secondFactor.addPasskey({ ...PASSKEY, id: 'taken', user: CHIEF }, added);
      assert.equal(await byPasskey(store, 'p2', 'taken'), 'taken');
      assert.equal(await byPasskey(store, 'p2', 'k3', 'spent'), 'spent');
      assert.equal(await byPasskey(store, 'p2', 'k3', 'k3', THEN + 100), 'void');
      assert.equal(await byPasskey(store, 'none', 'k3'), 'void');
      const own = { ...added, challenge: { id: 'challenge own', expiresAt: THEN + 300 } };
      assert.equal(await store.secondFactor.addPasskey({ ...PASSKEY, id: 'own', user: VERA }, own), 'first');
      assert.equal(await byPasskey(store, 'p2', 'k3'), 'has-factor');
      assert.deepEqual([await holds('p2'), await passkeysOf()], [true, ['own']]);
      assert.equal((await other.accounts.findUser(VERA))?.passwordHash, 'p$1$salt$x');
      await store.secondFactor.removeFactors(CHIEF, 'e2');
    });

    it('holds until the second of its end, and is no account of another time', async () => {
      await put('h2');
      assert.deepEqual([await holds('h2', THEN + 99), await holds('h2', THEN + 100)], [true, false]);
      assert.equal(await store.invitations.acceptInvitation('h2', 'x', THEN + 100), 'void');
      assert.equal(await put('h3', BOSS, THEN - 1), 'absent');
    });

    it('ends with its maker, a newer one, and another role or password of its user', async () => {
      const ends: readonly (() => Promise<unknown>)[] = [
        () => store.accounts.setRole(BOSS, VIEWER),
        () => store.accounts.deleteUser(BOSS),
        () => store.accounts.setRole(VERA, ADMIN),
        () => store.accounts.setPassword(VERA, 'p$1$salt$y', THEN + 1),
        () => store.accounts.deleteUser(VERA),
        () => store.grants.revoke('invitation', { user: VERA }, 0),
        () => put('newer'),
      ];
      for (const [at, end] of ends.entries()) {
        const row = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };
        await store.accounts.addUser({ ...row, name: BOSS, role: ADMIN });
        await store.accounts.addUser({ ...row, name: VERA, role: VIEWER });
        await store.accounts.setRole(BOSS, ADMIN);
        await put(`end${at}`);
        assert.equal(await holds(`end${at}`), true);
        await end();
        assert.equal(await holds(`end${at}`), false, String(end));
      }
    });

    it('by the command line it needs no maker among the users', async () => {
      await put('h4', MAKERS_WITHOUT_ACCOUNT.commandLine);
      assert.equal(await holds('h4'), true);
    });

    it('tells which part of a place is new, once, and nothing at the first login of an account', async () => {
      const user = (await store.accounts.findUser(VERA)) ?? assert.fail();
      const begin = (device: string, network: string, at = THEN, of = user) => {
        const login = { user: of, salt: 'salt', session: undefined, place: { device, network }, at, most: 1 };
        return other.sessions.beginLogin(login);
      };
      const note = async (device: string, network: string) => (await begin(device, network))?.unseen;
      assert.deepEqual(await note('Firefox', '192.0.2.0/24'), []);
      assert.deepEqual(await note('Firefox', '198.51.100.0/24'), ['network']);
      assert.deepEqual(await note('Chrome', '192.0.2.0/24'), ['device']);
      assert.deepEqual(await note('Safari', '203.0.113.0/24'), ['device', 'network']);
      assert.deepEqual(await note('Chrome', '198.51.100.0/24'), []);
      for (const changed of [{ name: 'gone' as UserName }, { createdAt: THEN + 1 }, { factorEpoch: 'another' }])
        assert.equal(await begin('', '', THEN, { ...user, ...changed }), undefined, JSON.stringify(changed));
      const both = await Promise.all([note('Edge', '198.18.0.0/24'), note('Edge', '198.18.0.0/24')]);
      assert.deepEqual(both.toSorted(), [[], ['device', 'network']]);
      await begin('Firefox', '192.0.2.0/24', THEN + 5);
      assert.deepEqual(await store.sessions.lastLogins(), new Map([[VERA, THEN + 5]]));
    });

    it('keeps the name of a device with its user: another process reads it, and it goes with the user', async () => {
      const firefox = { user: VERA, agent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0', since: THEN };
      const asked = [firefox, { ...firefox, user: BOSS }, { ...firefox, agent: 'curl/8' }, { user: VERA, agent: null }];
      await store.sessions.nameDevice(firefox, 'Desk');
      assert.deepEqual(await other.sessions.deviceNames(asked), ['Desk', null, null, null]);
      assert.deepEqual(await store.sessions.deviceNames([firefox]), ['Desk']);
      await other.sessions.nameDevice(firefox, null);
      assert.deepEqual(await store.sessions.deviceNames([firefox]), [null]);
      await store.sessions.nameDevice(firefox, 'Desk');
      const vera = await store.accounts.findUser(VERA);
      await store.accounts.deleteUser(VERA);
      if (vera) await store.accounts.addUser(vera);
      assert.deepEqual(await store.sessions.deviceNames([firefox]), [null]);
      await store.sessions.nameDevice({ ...firefox, user: 'gone' as UserName }, 'Desk');
      assert.deepEqual(await store.sessions.deviceNames([{ ...firefox, user: 'gone' }]), [null]);
    });
  });
}
