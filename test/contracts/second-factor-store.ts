/** What every store must do with second factors, whatever the engine: of two at once, one wins (SPEC 12). */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { FirstFactor } from '../../src/domain/accounts/second-factor.ts';
import { ADMIN, type UserName, VIEWER } from '../../src/domain/names.ts';
import type { AccountStore } from '../../src/store/accounts/accounts.ts';
import type { SessionStore } from '../../src/store/accounts/logins.ts';
import type { SecondFactorStore } from '../../src/store/accounts/second-factor.ts';
import type { PasskeyRecord } from '../../src/store/engine/tables.ts';

export interface OpenedFactors {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly secondFactor: SecondFactorStore;
  close(): Promise<void>;
}

export interface FactorEngine {
  /** Opens the same store each time: as another process would. */
  open(): Promise<OpenedFactors>;
}

const THEN = 1_700_000_000;
const [VERA, GUS, GONE] = ['vera', 'gus', 'gone'] as UserName[] as [UserName, UserName, UserName];
type Known = FirstFactor['known'];
const NEW: Known = { passwordChangedAt: null };
/** A hash is bound to its user. */
const firstOf = (user: UserName, known = NEW) => ({
  epoch: 'epoch-1',
  recoveryCodes: [`${user}-1`, `${user}-2`],
  known,
});

export function factorStoreContract(engineName: string, engine: FactorEngine): void {
  describe(`The store of second factors on ${engineName}`, () => {
    let store: OpenedFactors;
    let other: OpenedFactors;
    before(async () => {
      store = await engine.open();
      other = await engine.open();
    });
    after(() => Promise.all([store.close(), other.close()]));
    beforeEach(async () => {
      const row = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };
      await store.accounts.addUser({ ...row, name: 'boss' as UserName, role: ADMIN });
      for (const name of [VERA, GUS]) {
        await store.accounts.deleteUser(name);
        await store.accounts.addUser({ ...row, name, role: VIEWER });
      }
    });
    const enrol = async (user = VERA, sealed = 'k1.secret', step = 100) => {
      await store.secondFactor.startTotp(user, sealed, THEN + 900);
      return store.secondFactor.confirmTotp(user, { sealed, step, first: firstOf(user) });
    };

    it('marks the user with the first factor, ends the listed sessions, and keeps the recovery codes', async () => {
      const seen = { id: 's1', user: VERA, address: '', agent: '', since: THEN, lastSeen: THEN, keyId: 'k' };
      await store.sessions.noteSessions([{ ...seen, expiresAt: THEN + 100 }]);
      assert.equal(await enrol(), 'first');
      const { hasFactor, factorEpoch } = (await other.accounts.findUser(VERA)) ?? {};
      assert.deepEqual([hasFactor, factorEpoch], [true, 'epoch-1']);
      assert.deepEqual(await store.sessions.listSessions(THEN), []);
      assert.equal(await other.secondFactor.countRecoveryCodes(VERA), 2);
    });

    it('keeps epoch and recovery codes when the secret is replaced, and the old one until then', async () => {
      await enrol();
      await store.secondFactor.startTotp(VERA, 'k1.second', THEN + 900);
      assert.equal((await store.secondFactor.findTotp(VERA))?.secret, 'k1.secret');
      const first = { epoch: 'epoch-2', recoveryCodes: [], known: { ...NEW, factorEpoch: 'epoch-1' } };
      const confirmed = { sealed: 'k1.second', step: 120, first };
      assert.equal(await store.secondFactor.confirmTotp(VERA, confirmed), 'more');
      assert.equal((await store.accounts.findUser(VERA))?.factorEpoch, 'epoch-1');
      assert.equal(await store.secondFactor.countRecoveryCodes(VERA), 2);
    });

    it('confirms one of two enrolments at once, and none that was replaced', async () => {
      await store.secondFactor.startTotp(VERA, 'k1.one', THEN + 900);
      const confirmed = { sealed: 'k1.one', step: 100, first: firstOf(VERA) };
      const both = [store, other].map(({ secondFactor }) => secondFactor.confirmTotp(VERA, confirmed));
      assert.deepEqual((await Promise.all(both)).sort(), ['first', 'gone']);
      await store.secondFactor.startTotp(GUS, 'k1.one', THEN + 900);
      await other.secondFactor.startTotp(GUS, 'k1.two', THEN + 900);
      assert.equal(await store.secondFactor.confirmTotp(GUS, confirmed), 'gone');
    });

    it('takes a step once, of many at once, and none that is older', async () => {
      await enrol();
      const tries = [store, other, store, other].map((at) => at.secondFactor.useTotpStep(VERA, 'k1.secret', 101));
      assert.deepEqual((await Promise.all(tries)).sort(), ['spent', 'spent', 'spent', 'used']);
      assert.equal(await store.secondFactor.useTotpStep(VERA, 'k1.secret', 100), 'spent');
      assert.equal(await store.secondFactor.useTotpStep(VERA, 'k1.other', 102), 'spent');
    });

    it('takes a recovery code once, of many at once, and of its own user alone', async () => {
      await enrol();
      assert.equal(await store.secondFactor.useRecoveryCode(GUS, 'vera-1'), 'absent');
      const tries = [store, other, store, other].map((at) => at.secondFactor.useRecoveryCode(VERA, 'vera-1'));
      assert.deepEqual((await Promise.all(tries)).sort(), ['absent', 'absent', 'absent', 'used']);
      assert.equal(await store.secondFactor.countRecoveryCodes(VERA), 1);
    });

    it('unmarks the user with the last factor, under a new epoch, and voids the recovery codes', async () => {
      await enrol();
      assert.equal(await store.secondFactor.removeTotp(VERA, 'epoch-2'), 'last');
      assert.equal(await store.secondFactor.removeTotp(VERA, 'epoch-3'), 'absent');
      const { hasFactor, factorEpoch } = (await store.accounts.findUser(VERA)) ?? {};
      assert.deepEqual([hasFactor, factorEpoch], [undefined, 'epoch-2']);
      assert.equal(await store.secondFactor.countRecoveryCodes(VERA), 0);
    });

    describe('with passkeys', () => {
      const passkey = (id: string, user = VERA): PasskeyRecord => ({
        id,
        user,
        userHandle: 'handle',
        publicKey: 'key',
        counter: 4,
        transports: ['internal', 'usb'],
        isBackupEligible: true,
        isBackedUp: false,
        name: 'Phone',
        createdAt: THEN,
        lastUsedAt: null,
      });
      let challenges = 0;
      const fresh = () => {
        challenges += 1;
        return { id: `challenge ${challenges}`, expiresAt: THEN + 300 };
      };
      const knownAs = async (user: UserName): Promise<Known> => (await store.accounts.findUser(user)) ?? NEW;
      const add = async (id: string, { challenge = fresh(), user = VERA, most = 20, at = store } = {}) => {
        const first = firstOf(user, await knownAs(user));
        return at.secondFactor.addPasskey(passkey(id, user), { challenge, first, most });
      };
      const use = (counter: number, { challenge = fresh(), user = VERA, at = store } = {}) =>
        at.secondFactor.usePasskey({ id: 'a', user }, { challenge, counter, isBackedUp: true, at: THEN + 9 });

      it('gives one back as it was, and marks the user with the first factor', async () => {
        assert.deepEqual([await add('a'), await add('b')], ['first', 'more']);
        assert.deepEqual(await other.secondFactor.findPasskey('a'), passkey('a'));
        assert.deepEqual(
          (await other.secondFactor.listPasskeys(VERA)).map(({ id }) => id),
          ['a', 'b'],
        );
        assert.equal((await other.accounts.findUser(VERA))?.factorEpoch, 'epoch-1');
        assert.equal(await store.secondFactor.countRecoveryCodes(VERA), 2);
        assert.deepEqual(await store.secondFactor.passkeyUsers(), [VERA]);
      });

      it('adds none to a user who has another password or other factors than were known, and so does an app', async () => {
        const both = [store, other].map((at, n) => {
          const first = firstOf(VERA);
          return at.secondFactor.addPasskey(passkey(`c${n}`), { challenge: fresh(), first, most: 20 });
        });
        assert.deepEqual((await Promise.all(both)).sort(), ['first', 'gone']);
        assert.equal((await store.secondFactor.listPasskeys(VERA)).length, 1);
        assert.equal(await enrol(), 'gone', 'known without a factor');
        await store.accounts.setPassword(GUS, 'p$1$other$x', THEN + 1);
        const first = firstOf(GUS);
        assert.equal(
          await store.secondFactor.addPasskey(passkey('d', GUS), { challenge: fresh(), first, most: 20 }),
          'gone',
        );
        assert.equal(await enrol(GUS), 'gone');
        assert.deepEqual(await store.secondFactor.passkeyUsers(), [VERA]);
        for (const user of [VERA, GUS]) assert.equal((await store.secondFactor.findTotp(user))?.secret, undefined);
      });

      it('takes an id once, a challenge once, so many of a user, and none of a user who is gone', async () => {
        const challenge = fresh();
        const both = [store, other].map((at, n) => add(`b${n}`, { challenge, at }));
        assert.deepEqual((await Promise.all(both)).sort(), ['first', 'spent']);
        assert.equal(await add('a'), 'more');
        assert.equal(await add('a', { user: GUS }), 'taken');
        assert.equal(await add('c', { most: 2 }), 'full');
        assert.equal(await add('c', { user: GONE }), 'gone');
      });

      it('counts a use with a counter that rises, once for a challenge, and by its own user', async () => {
        await add('a');
        const challenge = fresh();
        const both = [store, other].map((at) => use(5, { challenge, at }));
        assert.deepEqual((await Promise.all(both)).sort(), ['spent', 'used']);
        assert.deepEqual([await use(5), await use(0), await use(6)], ['cloned', 'cloned', 'used']);
        assert.equal(await use(7, { user: GUS }), 'gone');
        const { counter, lastUsedAt, isBackedUp } = (await other.secondFactor.findPasskey('a')) ?? {};
        assert.deepEqual([counter, lastUsedAt, isBackedUp], [6, THEN + 9, true]);
      });

      it('takes one without a counter as often as it comes', async () => {
        const challenge = fresh();
        const plain = { ...passkey('a'), counter: 0 };
        await store.secondFactor.addPasskey(plain, { challenge, first: firstOf(VERA), most: 20 });
        assert.deepEqual([await use(0), await use(0), await use(3), await use(0)], ['used', 'used', 'used', 'cloned']);
      });

      it('names and removes those of the user alone, and unmarks the user with the last one', async () => {
        await add('a');
        await add('b');
        assert.equal(await store.secondFactor.renamePasskey(GUS, 'a', 'Mine'), 'absent');
        assert.equal(await store.secondFactor.renamePasskey(VERA, 'a', 'Key'), 'renamed');
        assert.equal((await store.secondFactor.findPasskey('a'))?.name, 'Key');
        const known = { ...NEW, factorEpoch: 'epoch-1' };
        const removed = { epoch: 'epoch-2', known };
        assert.equal(await store.secondFactor.removePasskey(GUS, 'a', { epoch: 'e', known: NEW }), 'absent');
        assert.equal(await store.secondFactor.removePasskey(VERA, 'a', { epoch: 'e', known: NEW }), 'gone');
        assert.equal(await store.secondFactor.removePasskey(GONE, 'a', { epoch: 'e', known: NEW }), 'gone');
        assert.equal(await store.secondFactor.removePasskey(VERA, 'a', removed), 'more');
        assert.equal(await store.secondFactor.removePasskey(VERA, 'b', removed), 'last');
        const { hasFactor, factorEpoch } = (await store.accounts.findUser(VERA)) ?? {};
        assert.deepEqual([hasFactor, factorEpoch], [undefined, 'epoch-2']);
      });
    });

    it('replaces recovery codes of a user as known who has a factor, and writes none for another', async () => {
      const known = { ...NEW, factorEpoch: 'epoch-1' };
      const { secondFactor } = store;
      assert.equal(await secondFactor.replaceRecoveryCodes(GUS, ['gus-a'], NEW), 'gone');
      assert.equal(await secondFactor.replaceRecoveryCodes(GONE, ['gone-a'], NEW), 'gone');
      await enrol();
      assert.equal(await secondFactor.replaceRecoveryCodes(VERA, ['vera-a'], NEW), 'gone');
      for (const user of [GUS, GONE]) assert.equal(await secondFactor.countRecoveryCodes(user), 0);
      assert.equal(await secondFactor.countRecoveryCodes(VERA), 2);
      assert.equal(await secondFactor.replaceRecoveryCodes(VERA, ['vera-a'], known), 'replaced');
      assert.equal(await other.secondFactor.countRecoveryCodes(VERA), 1);
    });

    it('removes all that a user has at once', async () => {
      await enrol();
      assert.equal(await store.secondFactor.removeFactors(VERA, 'epoch-2'), 'last');
      assert.equal(await store.secondFactor.removeFactors(VERA, 'epoch-3'), 'absent');
      assert.equal(await store.secondFactor.findTotp(VERA), undefined);
    });

    it('gives a user made again under the same name nothing of the former one', async () => {
      await enrol();
      const before = await store.accounts.findUser(VERA);
      await store.accounts.deleteUser(VERA);
      assert.ok(before);
      const { hasFactor: _, factorEpoch: __, ...again } = before;
      await store.accounts.addUser(again);
      assert.equal(await store.secondFactor.findTotp(VERA), undefined);
      assert.equal(await store.secondFactor.countRecoveryCodes(VERA), 0);
      assert.equal(await store.secondFactor.startTotp(GONE, 'k1.x', THEN), 'absent');
    });

    it('counts the secrets of another key', async () => {
      await enrol(VERA, 'k1.a');
      await enrol(GUS, 'k2.b');
      assert.equal(await store.secondFactor.countTotpNotSealedWith('k1'), 1);
    });
  });
}
