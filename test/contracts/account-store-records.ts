/** What every store must do with roles, seen sessions and API tokens, whatever the engine (SPEC 4.2 to 4.4). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import { type ApiToken, LATE_SECONDS, type SeenSession } from '../../src/store/engine/tables.ts';
import type { Store } from '../../src/store/open-store.ts';
import { until } from '../support/until.ts';

export type OpenedRecords = Pick<Store, 'accounts' | 'roles' | 'sessions' | 'grants' | 'version' | 'close'>;

export interface RecordsEngine {
  /** Opens the same store each time: as another process would. */
  open(): Promise<OpenedRecords>;
  empty(): Promise<void>;
}

const THEN = 1_700_000_000;
const [GUARD, NIGHT] = ['guard', 'night.shift'] as Role[] as [Role, Role];
const [VERA, GUS] = ['vera', 'gus'] as UserName[] as [UserName, UserName];

const user = (name: UserName, role: Role = VIEWER) => ({
  name,
  role,
  passwordHash: `pbkdf2_sha256$600000$salt$${name}`,
  passwordChangedAt: null,
  createdAt: THEN,
});

const session = (id: string, changes: Partial<SeenSession> = {}): SeenSession => ({
  id,
  user: VERA,
  address: '192.0.2.1',
  agent: 'a browser',
  since: THEN,
  lastSeen: THEN + 10,
  expiresAt: THEN + 100,
  keyId: 'k1',
  ...changes,
});

const token = (id: string, changes: Partial<ApiToken> = {}): ApiToken => ({
  ...NEW_GRANT,
  id,
  secretHash: 'ab'.repeat(32),
  name: 'ha',
  user: VERA,
  userCreatedAt: THEN,
  role: VIEWER,
  cameras: ['garden', 'patio_*'],
  managesAccounts: false,
  logsIn: true,
  createdAt: THEN,
  expiresAt: THEN + 1000,
  ...changes,
});

export function accountRecordsContract(engineName: string, engine: RecordsEngine): void {
  let store: OpenedRecords;
  const open = (): void => {
    before(async () => {
      store = await engine.open();
    });
    after(() => store.close());
    beforeEach(() => engine.empty());
  };

  describe(`The roles on ${engineName}`, () => {
    open();
    it('are given back as they were saved, in order of name', async () => {
      const night = { role: NIGHT, cameras: ['street', 'patio_*'] };
      await store.roles.changeRoles({ saved: [night, { role: GUARD, cameras: ['a'] }], deleted: [] });
      assert.deepEqual(await store.roles.listRoles(), [{ role: GUARD, cameras: ['a'] }, night]);
    });

    it('take new cameras', async () => {
      await store.roles.changeRoles({ saved: [{ role: GUARD, cameras: ['a'] }], deleted: [] });
      await store.roles.changeRoles({ saved: [{ role: GUARD, cameras: ['b'] }], deleted: [] });
      assert.deepEqual(await store.roles.listRoles(), [{ role: GUARD, cameras: ['b'] }]);
    });

    it('make viewers of their users when they are deleted, and name them', async () => {
      for (const account of [user(VERA, GUARD), user(GUS, GUARD), user('boss' as UserName, ADMIN)])
        await store.accounts.addUser(account);
      await store.roles.changeRoles({ saved: [{ role: GUARD, cameras: ['a'] }], deleted: [] });
      const viewers = await store.roles.changeRoles({ saved: [{ role: NIGHT, cameras: ['b'] }], deleted: [GUARD] });
      assert.deepEqual(viewers, [GUS, VERA]);
      const roles = (await store.accounts.listUsers()).map(({ role }) => role);
      assert.deepEqual(
        [roles, (await store.roles.listRoles()).map(({ role }) => role)],
        [[ADMIN, VIEWER, VIEWER], [NIGHT]],
      );
    });

    it('change the version, for this process at once, for another in a moment', { timeout: 300_000 }, async () => {
      const other = await engine.open();
      const [before, beforeThere] = [store.version(), other.version()];
      await store.roles.changeRoles({ saved: [{ role: GUARD, cameras: ['a'] }], deleted: [] });
      assert.notEqual(store.version(), before);
      await until('the version rises in the other process', () => other.version() !== beforeThere);
      await other.close();
    });
  });

  describe(`The seen sessions on ${engineName}`, () => {
    open();
    beforeEach(async () => {
      for (const name of [VERA, GUS]) await store.accounts.addUser(user(name));
    });
    const ids = async (): Promise<string[]> => (await store.sessions.listSessions(THEN)).map(({ id }) => id);

    it('are given back as they were noted, latest seen first, of all users or of one', async () => {
      const [first, second] = [session('1'), session('2', { user: GUS, lastSeen: THEN + 20 })];
      await store.sessions.noteSessions([first, second]);
      assert.deepEqual(await store.sessions.listSessions(THEN), [second, first]);
      assert.deepEqual(await store.sessions.listSessions(THEN, VERA), [first]);
      assert.deepEqual(
        [await store.sessions.findSession('1', THEN), await store.sessions.findSession('3', THEN)],
        [first, undefined],
      );
    });

    it('are listed where the account was made while the clock was ahead', async () => {
      const early = { ...user('newcomer' as UserName), createdAt: THEN + 31_536_000 };
      await store.accounts.addUser(early);
      await store.sessions.noteSessions([session('1', { user: early.name })]);
      assert.deepEqual(await ids(), ['1']);
      assert.equal((await store.sessions.findSession('1', THEN))?.id, '1');
    });

    it('are noted again with all but their beginning', async () => {
      await store.sessions.noteSessions([session('1')]);
      const later = session('1', {
        since: THEN + 50,
        lastSeen: THEN + 60,
        address: '192.0.2.2',
        expiresAt: THEN + 160,
      });
      await store.sessions.noteSessions([later]);
      assert.deepEqual(await store.sessions.listSessions(THEN), [{ ...later, since: THEN }]);
    });

    it('are not listed once they have expired, and can be forgotten', async () => {
      await store.sessions.noteSessions([session('1'), session('2', { expiresAt: THEN + 101 })]);
      assert.deepEqual(
        (await store.sessions.listSessions(THEN + 100)).map(({ id }) => id),
        ['2'],
      );
      await store.accounts.forgetEnded(THEN + 101);
      assert.deepEqual(await ids(), ['2']);
    });

    it('keep the end of the token that lives longest, and so does what is known of its revocation', async () => {
      await store.sessions.noteSessions([session('1', { expiresAt: THEN + 900 })]);
      await store.sessions.noteSessions([session('1', { lastSeen: THEN + 60, expiresAt: THEN + 100 })]);
      const seen = session('1', { lastSeen: THEN + 60, expiresAt: THEN + 900 });
      assert.deepEqual(await store.sessions.listSessions(THEN), [seen]);
      await store.accounts.revokeToken('1', THEN + 100);
      await store.accounts.forgetEnded(THEN + 900 + LATE_SECONDS);
      assert.equal(await store.accounts.isRevoked('1'), true);
    });

    it('are forgotten when they are signed with another key', async () => {
      await store.sessions.noteSessions([session('1', { keyId: 'k0' }), session('2')]);
      await store.sessions.forgetSessionsUnlessSignedWith('k1');
      assert.deepEqual(await ids(), ['2']);
    });

    const endings: [sentence: string, end: () => Promise<unknown>][] = [
      ['is revoked', () => store.accounts.revokeToken('1', THEN + 100)],
      ['has another password', () => store.accounts.setPassword(VERA, 'hash', THEN + 1)],
      ['is deleted', () => store.accounts.deleteUser(VERA)],
    ];
    for (const [sentence, end] of endings) {
      it(`are gone when their token or user ${sentence}, and do not come back`, async () => {
        await store.sessions.noteSessions([session('1'), session('2', { user: GUS })]);
        await end();
        assert.deepEqual(await ids(), ['2']);
        await store.sessions.noteSessions([session('1')]);
        assert.deepEqual(await ids(), ['2']);
      });
    }
  });

  describe(`The API tokens on ${engineName}`, () => {
    open();
    beforeEach(async () => {
      for (const name of [VERA, GUS]) await store.accounts.addUser(user(name));
    });
    const ids = async (): Promise<string[]> => (await store.grants.list('api-token')).map(({ id }) => id);

    it('are given back as they were added, of all users or of one, in order of creation', async () => {
      const plain = token('1', { createdAt: THEN + 1, cameras: null, expiresAt: null });
      const guss = token('2', { user: GUS });
      for (const added of [plain, guss]) await store.grants.add('api-token', added);
      assert.deepEqual(await store.grants.list('api-token'), [guss, plain]);
      assert.deepEqual(await store.grants.list('api-token', GUS), [guss]);
      assert.deepEqual(
        [await store.grants.find('api-token', { id: '1' }), await store.grants.find('api-token', { id: '3' })],
        [plain, undefined],
      );
    });

    it('can be deleted, once', async () => {
      await store.grants.add('api-token', token('1'));
      assert.deepEqual(
        [
          await store.grants.revoke('api-token', { id: '1' }, 0),
          await store.grants.revoke('api-token', { id: '1' }, 0),
        ],
        ['revoked', 'absent'],
      );
    });

    it('keep when and from where they were used', async () => {
      await store.grants.add('api-token', token('1'));
      await store.grants.noteUses([
        { id: '1', at: THEN + 5, from: '192.0.2.7' },
        { id: 'gone', at: THEN + 5, from: '192.0.2.7' },
      ]);
      assert.deepEqual(await store.grants.list('api-token'), [
        token('1', { lastUsedAt: THEN + 5, lastUsedFrom: '192.0.2.7' }),
      ]);
    });

    it('are deleted with their user; those of a proxy’s user of the same name are not', async () => {
      await store.grants.add('api-token', token('1'));
      await store.grants.add('api-token', token('2', { userCreatedAt: null }));
      await store.grants.add('api-token', token('3', { user: GUS }));
      await store.accounts.deleteUser(VERA);
      assert.deepEqual(await ids(), ['2', '3']);
    });

    it('are there after a restart', async () => {
      await store.grants.add('api-token', token('1'));
      const reopened = await engine.open();
      assert.deepEqual(await reopened.grants.list('api-token'), [token('1')]);
      await reopened.close();
    });
  });
}
