/** What every store must do with screens and the codes that pair them, whatever the engine: a code makes one screen, for one display (SPEC 18). */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NEW_GRANT } from '../../../src/domain/accounts/grant.ts';
import { type UserName, VIEWER } from '../../../src/domain/names.ts';
import type { Screen, ScreenCode } from '../../../src/features/screens/tables.ts';
import { LATE_SECONDS } from '../../../src/store/engine/tables.ts';
import type { Store } from '../../support/whole-store.ts';

export type OpenedScreens = Pick<Store, 'accounts' | 'grants' | 'screenCodes' | 'close'>;

const THEN = 1_700_000_000;
const SARA = 'sara' as UserName;
const MOST = 100;
const code = (name: string, more: Partial<ScreenCode> = {}): ScreenCode => ({
  deviceHash: `device ${name}`,
  userHash: `letters ${name}`,
  address: '2001:db8::1',
  agent: 'Fernseher',
  createdAt: THEN,
  expiresAt: THEN + 600,
  state: 'pending',
  screenId: null,
  ...more,
});
const screen = (id: string, more: Partial<Screen> = {}): Screen => ({
  ...NEW_GRANT,
  id,
  secretHash: null,
  name: 'Küche',
  user: SARA,
  userCreatedAt: THEN,
  cameras: ['hall', 'yard'],
  createdAt: THEN,
  agent: null,
  ...more,
});

export function screenStoreContract(engineName: string, open: () => Promise<OpenedScreens>): void {
  describe(`Screens on ${engineName}`, () => {
    let store: OpenedScreens;
    let other: OpenedScreens;
    before(async () => {
      store = await open();
      other = await open();
      const row = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };
      await store.accounts.addUser({ ...row, name: SARA, role: VIEWER });
    });
    after(async () => {
      await store.accounts.deleteUser(SARA);
      await Promise.all([store.close(), other.close()]);
    });
    const begin = (name: string, more: Partial<ScreenCode> = {}) => store.screenCodes.addCode(code(name, more), MOST);
    const paired = async (id: string, more: Partial<Screen> = {}): Promise<Screen> => {
      await begin(id);
      assert.equal(await store.screenCodes.confirmCode(`letters ${id}`, screen(id, more), MOST), 'confirmed');
      assert.equal(await store.screenCodes.pickUp(`device ${id}`, `secret ${id}`, THEN), 'picked-up');
      return { ...screen(id, more), secretHash: `secret ${id}` };
    };

    it('keep a code as it was made, once for the same letters, and no more codes than may wait', async () => {
      assert.equal(await begin('a'), 'added');
      assert.deepEqual(await other.screenCodes.findCode({ deviceHash: 'device a' }), code('a'));
      assert.deepEqual(await other.screenCodes.findCode({ userHash: 'letters a' }), code('a'));
      assert.equal(await begin('b', { userHash: 'letters a' }), 'taken');
      assert.equal(await store.screenCodes.addCode(code('c'), 1), 'too-many');
      assert.equal(
        await store.screenCodes.addCode(code('c', { createdAt: THEN + 600 }), 1),
        'added',
        'the first is over',
      );
    });

    it('note a poll that comes in time, and refuse one that comes too soon, also of two at once', async () => {
      await begin('poll');
      const poll = (at: number, by = store) => by.screenCodes.notePoll('device poll', at, 5);
      assert.deepEqual((await Promise.all([poll(THEN), poll(THEN, other)])).sort(), [false, true]);
      assert.deepEqual([await poll(THEN + 4), await poll(THEN + 5), await poll(THEN - 100)], [false, true, true]);
    });

    it('make one screen of a code, however many confirm it at once, and give it to one display', async () => {
      await begin('race');
      const confirmed = await Promise.all(
        [store, other, store, other].map(({ screenCodes }, at) =>
          screenCodes.confirmCode('letters race', screen(`race${at}`), MOST),
        ),
      );
      assert.deepEqual(confirmed.toSorted(), ['confirmed', 'gone', 'gone', 'gone']);
      const picked = await Promise.all(
        [store, other, store, other].map(({ screenCodes }, at) =>
          screenCodes.pickUp('device race', `secret race${at}`, THEN),
        ),
      );
      assert.deepEqual(picked.toSorted(), ['gone', 'gone', 'gone', 'picked-up']);
      assert.equal(await store.screenCodes.findCode({ userHash: 'letters race' }), undefined);
      const made = await store.grants.find('screen', { secretHash: `secret race${picked.indexOf('picked-up')}` });
      assert.equal(made?.id, `race${confirmed.indexOf('confirmed')}`);
    });

    it('confirm and deny no code that is over, was denied, or belongs to an account of another time', async () => {
      const confirm = (name: string, more: Partial<Screen> = {}) =>
        store.screenCodes.confirmCode(`letters ${name}`, screen(`of ${name}`, more), MOST);
      await begin('late');
      assert.equal(await confirm('late', { createdAt: THEN + 600 }), 'gone');
      assert.equal(await store.screenCodes.denyCode('letters late', THEN + 600), 'gone');
      assert.equal(await confirm('late', { userCreatedAt: THEN - 1 }), 'absent');
      assert.equal(await store.screenCodes.denyCode('letters late', THEN), 'denied');
      assert.equal(await confirm('late'), 'gone');
      assert.equal(await store.screenCodes.pickUp('device late', 'secret late', THEN), 'gone');
      await begin('many');
      const { length } = await store.grants.list('screen', SARA);
      assert.equal(await store.screenCodes.confirmCode('letters many', screen('many'), length), 'too-many');
      assert.equal(await store.grants.find('screen', { id: 'many' }), undefined);
    });

    it('keep a screen as it was made, changed and used, and list it to its user', async () => {
      const kept = await paired('kept', { cameras: null, expiresAt: THEN + 9, createdAt: THEN + 1, agent: 'TV' });
      assert.deepEqual(await other.grants.find('screen', { id: 'kept' }), kept);
      assert.deepEqual(await other.grants.find('screen', { secretHash: 'secret kept' }), kept);
      assert.equal(await store.screenCodes.changeScreen('kept', { name: 'Flur' }), true);
      assert.equal(await store.screenCodes.changeScreen('kept', { cameras: ['yard'] }), true);
      await store.grants.noteUses([{ id: 'kept', at: THEN + 5, from: '192.0.2.9' }]);
      const changed = { name: 'Flur', cameras: ['yard'], lastUsedAt: THEN + 5, lastUsedFrom: '192.0.2.9' };
      const [latest] = await other.grants.list('screen', SARA);
      assert.deepEqual(latest, { ...kept, ...changed });
      assert.deepEqual(await other.grants.list('screen', 'nobody' as UserName), []);
      assert.deepEqual(
        [
          await store.grants.revoke('screen', { id: 'kept' }, 0),
          await other.grants.revoke('screen', { id: 'kept' }, 0),
        ],
        ['revoked', 'absent'],
      );
      assert.equal(await store.screenCodes.changeScreen('kept', { name: 'x' }), false);
    });

    it('forget codes and screens that are over, and screens that no display has fetched', async () => {
      await paired('ends', { expiresAt: THEN + 10 });
      await paired('lasts');
      await begin('waits');
      await store.screenCodes.confirmCode('letters waits', screen('waits'), MOST);
      const left = async () => (await store.grants.list('screen', SARA)).map(({ id }) => id);
      await store.grants.forgetEnded(THEN + LATE_SECONDS);
      const before = await left();
      assert.ok(['ends', 'lasts', 'waits'].every((id) => before.includes(id)));
      await store.grants.forgetEnded(THEN + 700 + LATE_SECONDS);
      await store.accounts.forgetEnded(THEN + 700 + LATE_SECONDS);
      assert.deepEqual(
        (await left()).filter((id) => ['ends', 'lasts', 'waits'].includes(id)),
        ['lasts'],
      );
      assert.equal(await store.screenCodes.findCode({ userHash: 'letters waits' }), undefined);
    });
  });
}
