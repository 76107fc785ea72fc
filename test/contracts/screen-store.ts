/** What every store must do with screens and the codes that pair them, whatever the engine: a code makes one screen, for one display (SPEC 18). */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Screen, ScreenCode, ScreenStore } from '../../src/domain/accounts/screen.ts';
import { type UserName, VIEWER } from '../../src/domain/names.ts';
import type { AccountStore } from '../../src/store/accounts/accounts.ts';

export interface OpenedScreens {
  readonly accounts: AccountStore;
  readonly screens: ScreenStore;
  close(): Promise<void>;
}

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
  id,
  secretHash: null,
  name: 'Küche',
  user: SARA,
  userCreatedAt: THEN,
  cameras: ['hall', 'yard'],
  createdAt: THEN,
  endsAt: null,
  lastSeenAt: null,
  lastSeenFrom: null,
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
    const begin = (name: string, more: Partial<ScreenCode> = {}) => store.screens.addCode(code(name, more), MOST);
    const paired = async (id: string, more: Partial<Screen> = {}): Promise<Screen> => {
      await begin(id);
      assert.equal(await store.screens.confirmCode(`letters ${id}`, screen(id, more), MOST), 'confirmed');
      assert.equal(await store.screens.pickUp(`device ${id}`, `secret ${id}`, THEN), 'picked-up');
      return { ...screen(id, more), secretHash: `secret ${id}` };
    };

    it('keep a code as it was made, once for the same letters, and no more codes than may wait', async () => {
      assert.equal(await begin('a'), 'added');
      assert.deepEqual(await other.screens.findCode({ deviceHash: 'device a' }), code('a'));
      assert.deepEqual(await other.screens.findCode({ userHash: 'letters a' }), code('a'));
      assert.equal(await begin('b', { userHash: 'letters a' }), 'taken');
      assert.equal(await store.screens.addCode(code('c'), 1), 'too-many');
      assert.equal(await store.screens.addCode(code('c', { createdAt: THEN + 600 }), 1), 'added', 'the first is over');
    });

    it('note a poll that comes in time, and refuse one that comes too soon, also of two at once', async () => {
      await begin('poll');
      const poll = (at: number, by = store) => by.screens.notePoll('device poll', at, 5);
      assert.deepEqual((await Promise.all([poll(THEN), poll(THEN, other)])).sort(), [false, true]);
      assert.deepEqual([await poll(THEN + 4), await poll(THEN + 5), await poll(THEN - 100)], [false, true, true]);
    });

    it('make one screen of a code, however many confirm it at once, and give it to one display', async () => {
      await begin('race');
      const confirmed = await Promise.all(
        [store, other, store, other].map(({ screens }, at) =>
          screens.confirmCode('letters race', screen(`race${at}`), MOST),
        ),
      );
      assert.deepEqual(confirmed.toSorted(), ['confirmed', 'gone', 'gone', 'gone']);
      const picked = await Promise.all(
        [store, other, store, other].map(({ screens }, at) => screens.pickUp('device race', `secret race${at}`, THEN)),
      );
      assert.deepEqual(picked.toSorted(), ['gone', 'gone', 'gone', 'picked-up']);
      assert.equal(await store.screens.findCode({ userHash: 'letters race' }), undefined);
      const made = await store.screens.findScreen({ secretHash: `secret race${picked.indexOf('picked-up')}` });
      assert.equal(made?.id, `race${confirmed.indexOf('confirmed')}`);
    });

    it('confirm and deny no code that is over, was denied, or belongs to an account of another time', async () => {
      const confirm = (name: string, more: Partial<Screen> = {}) =>
        store.screens.confirmCode(`letters ${name}`, screen(`of ${name}`, more), MOST);
      await begin('late');
      assert.equal(await confirm('late', { createdAt: THEN + 600 }), 'gone');
      assert.equal(await store.screens.denyCode('letters late', THEN + 600), 'gone');
      assert.equal(await confirm('late', { userCreatedAt: THEN - 1 }), 'absent');
      assert.equal(await store.screens.denyCode('letters late', THEN), 'denied');
      assert.equal(await confirm('late'), 'gone');
      assert.equal(await store.screens.pickUp('device late', 'secret late', THEN), 'gone');
      await begin('many');
      const { length } = await store.screens.listScreens(SARA);
      assert.equal(await store.screens.confirmCode('letters many', screen('many'), length), 'too-many');
      assert.equal(await store.screens.findScreen({ id: 'many' }), undefined);
    });

    it('keep a screen as it was made, changed and used, and list it to its user', async () => {
      const kept = await paired('kept', { cameras: null, endsAt: THEN + 9, createdAt: THEN + 1, agent: 'TV' });
      assert.deepEqual(await other.screens.findScreen({ id: 'kept' }), kept);
      assert.deepEqual(await other.screens.findScreen({ secretHash: 'secret kept' }), kept);
      assert.equal(await store.screens.changeScreen('kept', { name: 'Flur' }), 'changed');
      assert.equal(await store.screens.changeScreen('kept', { cameras: ['yard'] }), 'changed');
      await store.screens.noteUses([{ id: 'kept', at: THEN + 5, from: '192.0.2.9' }]);
      const changed = { name: 'Flur', cameras: ['yard'], lastSeenAt: THEN + 5, lastSeenFrom: '192.0.2.9' };
      const [latest] = await other.screens.listScreens(SARA);
      assert.deepEqual(latest, { ...kept, ...changed });
      assert.deepEqual(await other.screens.listScreens('nobody'), []);
      assert.deepEqual(
        [await store.screens.deleteScreen('kept'), await other.screens.deleteScreen('kept')],
        ['deleted', 'absent'],
      );
      assert.equal(await store.screens.changeScreen('kept', { name: 'x' }), 'absent');
    });

    it('forget codes and screens that are over, and screens that no display has fetched', async () => {
      await paired('ends', { endsAt: THEN + 10 });
      await paired('lasts');
      await begin('waits');
      await store.screens.confirmCode('letters waits', screen('waits'), MOST);
      const left = async () => (await store.screens.listScreens(SARA)).map(({ id }) => id);
      await store.screens.forgetBefore(THEN);
      const before = await left();
      assert.ok(['ends', 'lasts', 'waits'].every((id) => before.includes(id)));
      await store.screens.forgetBefore(THEN + 700);
      assert.deepEqual(
        (await left()).filter((id) => ['ends', 'lasts', 'waits'].includes(id)),
        ['lasts'],
      );
      assert.equal(await store.screens.findCode({ userHash: 'letters waits' }), undefined);
    });
  });
}
