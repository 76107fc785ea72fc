/** What every store must do with invitations and notices, whatever the engine: of two who use a link at once, one does (SPEC 12). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AccountStore } from '../../src/domain/accounts/account.ts';
import { type InvitationStore, MAKERS_WITHOUT_ACCOUNT } from '../../src/domain/accounts/invitation.ts';
import type { NoticeStore } from '../../src/domain/accounts/notice.ts';
import { ADMIN, type UserName, VIEWER } from '../../src/domain/names.ts';

interface Opened {
  readonly accounts: AccountStore;
  readonly invitations: InvitationStore;
  readonly notices: NoticeStore;
  close(): Promise<void>;
}

const THEN = 1_700_000_000;
const [VERA, BOSS, CHIEF] = ['vera', 'boss', 'chief'] as UserName[] as [UserName, UserName, UserName];

export function invitationStoreContract(engineName: string, engine: { open(): Promise<Opened> }): void {
  describe(`The store of invitations and notices on ${engineName}`, () => {
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
    const put = (tokenHash: string, madeBy: string = BOSS, userCreatedAt = THEN) =>
      store.invitations.putInvitation({
        tokenHash,
        user: VERA,
        userCreatedAt,
        madeBy,
        createdAt: THEN,
        expiresAt: THEN + 100,
      });
    const holds = async (tokenHash: string, now = THEN): Promise<boolean> =>
      (await other.invitations.findInvitation(tokenHash, now)) !== undefined;

    it('sets the password once, also when two stores are asked at once', async () => {
      assert.equal(await put('h1'), 'put');
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
        () => store.invitations.removeInvitation(VERA),
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
      const note = (device: string, network: string) => other.notices.notePlace(VERA, { device, network }, THEN);
      assert.deepEqual(await note('Firefox', '192.0.2.0/24'), []);
      assert.deepEqual(await note('Firefox', '198.51.100.0/24'), ['network']);
      assert.deepEqual(await note('Chrome', '192.0.2.0/24'), ['device']);
      assert.deepEqual(await note('Chrome', '198.51.100.0/24'), []);
      assert.deepEqual(await store.notices.notePlace('gone' as UserName, { device: '', network: '' }, THEN), []);
    });

    it('keeps notices until the user is deleted or they are forgotten, latest first', async () => {
      const notice = { user: VERA, kind: 'token-created', from: '192.0.2.1', by: 'boss' } as const;
      await store.notices.addNotice({ ...notice, id: 'a', at: THEN });
      await store.notices.addNotice({ ...notice, id: 'b', at: THEN + 1, agent: 'x', detail: 't1' });
      const found = await other.notices.listNotices(VERA, 10);
      assert.deepEqual(found, [
        { ...notice, id: 'b', at: THEN + 1, agent: 'x', detail: 't1' },
        { ...notice, id: 'a', at: THEN },
      ]);
      await store.notices.forgetNoticesBefore(THEN + 1);
      assert.equal((await other.notices.listNotices(VERA, 10)).length, 1);
      await store.accounts.deleteUser(VERA);
      await store.notices.addNotice({ ...notice, id: 'c', at: THEN });
      assert.deepEqual(await other.notices.listNotices(VERA, 10), []);
    });
  });
}
