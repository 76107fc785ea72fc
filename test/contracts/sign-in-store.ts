/** What every store must do with sign-ins, whatever the engine: a subject has one account, and an account keeps a way in (SPEC 16). */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { User } from '../../src/domain/accounts/account.ts';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { ADMIN, NO_ROLE, type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import type { SignIn } from '../../src/store/engine/tables.ts';
import type { Store } from '../../src/store/open-store.ts';

type Opened = Pick<Store, 'accounts' | 'grants' | 'invitations' | 'roles' | 'secondFactor' | 'signIns' | 'close'>;

const THEN = 1_700_000_000;
const ISSUER = 'https://id.example.com/realms/home';
const [VERA, WALT, CHIEF] = ['vera', 'walt', 'chief'] as UserName[] as [UserName, UserName, UserName];
const [GUARD, PATIO] = ['guard', 'patio'] as Role[] as [Role, Role];
const ROW = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };

const signInOf = (user: UserName, change: Partial<SignIn> = {}): SignIn => ({
  provider: 'home',
  issuer: ISSUER,
  subject: `subject of ${user}`,
  user,
  connectedAt: THEN + 1,
  lastUsedAt: THEN + 2,
  ...change,
});

export function signInStoreContract(engineName: string, engine: { open(): Promise<Opened> }): void {
  describe(`The store of sign-ins on ${engineName}`, () => {
    let store: Opened;
    let other: Opened;
    before(async () => {
      store = await engine.open();
      other = await engine.open();
      await store.accounts.addUser({ ...ROW, name: CHIEF, role: ADMIN });
      for (const { name } of await store.accounts.listUsers())
        if (name !== CHIEF) await store.accounts.deleteUser(name);
    });
    after(() => Promise.all([store.close(), other.close()]));
    beforeEach(async () => {
      for (const name of [VERA, WALT]) await store.accounts.deleteUser(name);
      await store.accounts.addUser({ ...ROW, name: VERA, role: VIEWER });
    });

    const made = (change: Partial<User> = {}): User => {
      const role = { role: GUARD, roleSource: 'home', hasNoPassword: true } as const;
      return { ...ROW, name: WALT, ...role, ...change };
    };
    const userNow = async (name: UserName) => (await other.accounts.findUser(name)) ?? assert.fail(`no ${name}`);
    const rolesOf = async (name: UserName) => {
      const { role, otherRoles, roleSource } = await userNow(name);
      return [role, otherRoles, roleSource];
    };

    it('connects a subject with one account alone, also when two stores are asked at once', async () => {
      await store.accounts.addUser({ ...ROW, name: WALT, role: VIEWER });
      const outcomes = await Promise.all(
        [VERA, WALT, VERA, WALT].map((user, at) =>
          (at % 2 ? store : other).signIns.connect(signInOf(user, { subject: 'one' }), THEN),
        ),
      );
      assert.deepEqual([...outcomes].sort(), ['connected', 'taken', 'taken', 'taken']);
      const user = outcomes.indexOf('connected') % 2 ? WALT : VERA;
      const signIn = signInOf(user, { subject: 'one' });
      assert.deepEqual(await other.signIns.findSignIn(ISSUER, 'one'), signIn);
      assert.deepEqual(await other.signIns.listSignIns(), [signIn]);
      assert.equal(await other.signIns.findSignIn('https://other.example.com', 'one'), undefined);
    });

    it('connects an account once with each provider, and no account of another time', async () => {
      assert.equal(await store.signIns.connect(signInOf(VERA), THEN + 1), 'absent');
      assert.equal(await store.signIns.connect(signInOf(WALT), THEN), 'absent');
      assert.equal(await store.signIns.connect(signInOf(VERA), THEN), 'connected');
      assert.equal(await store.signIns.connect(signInOf(VERA, { subject: 'other' }), THEN), 'taken');
      const work = signInOf(VERA, { provider: 'work', issuer: 'https://work.example.com' });
      assert.equal(await store.signIns.connect(work, THEN), 'connected');
      assert.deepEqual(await other.signIns.listSignIns(VERA), [signInOf(VERA), work]);
      assert.equal(await store.signIns.noteUsed(signInOf(VERA), THEN + 9), true);
      assert.equal(await store.signIns.noteUsed(signInOf(WALT, { subject: signInOf(VERA).subject }), THEN + 10), false);
      assert.equal(await store.signIns.noteUsed(signInOf(VERA, { subject: 'other' }), THEN + 10), false);
      assert.equal((await other.signIns.findSignIn(ISSUER, signInOf(VERA).subject))?.lastUsedAt, THEN + 9);
    });

    it('adds an account with its sign-in or neither, also when two stores are asked at once', async () => {
      const added = made({ otherRoles: [PATIO] });
      const outcomes = await Promise.all(
        [store, other].map((each) => each.signIns.addUserWithSignIn(added, signInOf(WALT))),
      );
      assert.deepEqual([...outcomes].sort(), ['added', 'connected']);
      assert.deepEqual(await userNow(WALT), added);
      const [upper, subject] = ['Walt' as UserName, 'another'];
      const alike = await store.signIns.addUserWithSignIn(made({ name: upper }), signInOf(upper, { subject }));
      assert.equal(alike, 'taken');
      assert.equal(await other.signIns.findSignIn(ISSUER, subject), undefined);
    });

    it('never takes the last way in: a password, a passkey or another sign-in stays', async () => {
      await store.signIns.addUserWithSignIn(made(), signInOf(WALT));
      assert.equal(await store.signIns.disconnect(WALT, 'work', 'admin'), 'absent');
      assert.equal(await store.signIns.disconnect(WALT, 'home', 'admin'), 'last-way-in');
      const work = signInOf(WALT, { provider: 'work', subject: 'w' });
      await store.signIns.connect(work, THEN);
      const outcomes = await Promise.all([
        store.signIns.disconnect(WALT, 'home', 'admin'),
        other.signIns.disconnect(WALT, 'work', 'admin'),
      ]);
      assert.deepEqual([...outcomes].sort(), ['disconnected', 'last-way-in']);
      const [{ provider = '' } = {}] = await other.signIns.listSignIns(WALT);
      await store.accounts.setPassword(WALT, 'p$1$salt$new', THEN + 3);
      assert.equal((await userNow(WALT)).hasNoPassword, undefined);
      assert.equal(await store.signIns.disconnect(WALT, provider, 'admin'), 'disconnected');
      assert.deepEqual(await other.signIns.listSignIns(WALT), []);
      assert.deepEqual(await rolesOf(WALT), [GUARD, undefined, undefined]);
    });

    it('counts a passkey as a way in, and a password that no person knows as none', async () => {
      await store.signIns.connect(signInOf(VERA), THEN);
      const invitation = {
        ...NEW_GRANT,
        id: 'i',
        secretHash: 'i1',
        user: VERA,
        userCreatedAt: THEN,
        madeBy: CHIEF,
        createdAt: THEN,
      };
      await store.grants.add('invitation', { ...invitation, expiresAt: THEN + 100 });
      const device = { transports: [], isBackupEligible: false, isBackedUp: false, name: 'Phone', lastUsedAt: null };
      const passkey = { id: `key ${engineName}`, user: VERA, userHandle: 'h', publicKey: 'k', counter: 0, ...device };
      const challenge = { id: `challenge ${engineName}`, expiresAt: THEN + 300 };
      const invited = { passkey: { ...passkey, createdAt: THEN }, challenge, passwordHash: 'p$1$s$?', epoch: 'e' };
      assert.equal(await store.invitations.acceptByPasskey('i1', invited, THEN + 1), 'accepted');
      assert.equal((await userNow(VERA)).hasNoPassword, true);
      assert.equal(await store.signIns.disconnect(VERA, 'home', 'owner'), 'disconnected');
      const removed = { epoch: 'e3', known: await userNow(VERA) };
      assert.equal(await store.secondFactor.removePasskey(VERA, passkey.id, removed), 'last-way-in');
      assert.equal((await store.secondFactor.listPasskeys(VERA)).length, 1);
      await store.signIns.connect(signInOf(VERA), THEN);
      const both = await Promise.all([
        store.secondFactor.removePasskey(VERA, passkey.id, removed),
        other.signIns.disconnect(VERA, 'home', 'owner'),
      ]);
      assert.ok(both.includes('last-way-in'), 'one of the two stays');
      await store.signIns.connect(signInOf(VERA), THEN);
      await store.secondFactor.removeFactors(VERA, 'e2');
      assert.equal(await store.signIns.disconnect(VERA, 'home', 'owner'), 'last-way-in');
    });

    it('takes roles of a provider only where it is the one that gives them', async () => {
      await store.signIns.addUserWithSignIn(made(), signInOf(WALT));
      const { signIns } = store;
      assert.equal(await signIns.setProviderRoles(VERA, 'home', [ADMIN], THEN + 5), 'absent');
      assert.equal(await signIns.setProviderRoles(WALT, 'work', [ADMIN], THEN + 5), 'absent');
      assert.equal(await signIns.setProviderRoles(WALT, 'home', [GUARD], THEN + 5), 'same');
      assert.equal((await userNow(WALT)).roleSince, undefined);
      assert.equal(await signIns.setProviderRoles(WALT, 'home', [GUARD, PATIO], THEN + 5), 'set');
      assert.deepEqual(await rolesOf(WALT), [GUARD, [PATIO], 'home']);
      assert.equal((await userNow(WALT)).roleSince, THEN + 5);
      assert.equal(await signIns.setProviderRoles(WALT, 'home', [], THEN + 6), 'set');
      assert.deepEqual(await rolesOf(WALT), [NO_ROLE, undefined, 'home']);
      assert.equal((await userNow(VERA)).role, VIEWER);
    });

    it('keeps a role that an admin gives, until it is given back to the provider', async () => {
      await store.signIns.addUserWithSignIn(made({ otherRoles: [PATIO] }), signInOf(WALT));
      assert.equal(await store.accounts.setRole(WALT, GUARD, THEN + 5), 'set');
      assert.deepEqual(await rolesOf(WALT), [GUARD, undefined, undefined]);
      assert.equal(await store.signIns.setProviderRoles(WALT, 'home', [ADMIN], THEN + 6), 'absent');
      assert.equal(await store.signIns.setRoleSource(WALT, 'work'), 'absent');
      assert.equal(await store.signIns.setRoleSource(WALT, 'home'), 'set');
      assert.deepEqual(await rolesOf(WALT), [GUARD, undefined, 'home']);
      assert.equal(await store.signIns.setProviderRoles(WALT, 'home', [PATIO], THEN + 7), 'set');
      assert.equal(await store.signIns.setRoleSource(WALT, undefined), 'set');
      assert.deepEqual(await rolesOf(WALT), [PATIO, undefined, undefined]);
      assert.equal(await store.signIns.setRoleSource('nobody' as UserName, undefined), 'absent');
    });

    it('leaves the owner the sign-in that gives the role, and makes the role Postern’s own where an admin removes it', async () => {
      await store.signIns.addUserWithSignIn(made(), signInOf(WALT));
      await store.accounts.setPassword(WALT, 'p$1$salt$new', THEN + 3);
      assert.equal(await store.signIns.disconnect(WALT, 'home', 'owner'), 'gives-role');
      assert.deepEqual(await other.signIns.listSignIns(WALT), [signInOf(WALT)]);
      assert.deepEqual(await rolesOf(WALT), [GUARD, undefined, 'home']);
      assert.equal(await store.signIns.disconnect(WALT, 'home', 'admin'), 'disconnected');
      assert.deepEqual(await rolesOf(WALT), [GUARD, undefined, undefined]);
    });

    it('never counts an admin of a provider as one who stays', async () => {
      await store.signIns.addUserWithSignIn(made({ role: ADMIN }), signInOf(WALT));
      assert.equal(await store.accounts.deleteUser(CHIEF), 'last-admin');
      assert.equal(await store.accounts.setRole(CHIEF, VIEWER), 'last-admin');
      await store.signIns.connect(signInOf(CHIEF), THEN);
      assert.equal(await store.signIns.setRoleSource(CHIEF, 'home'), 'last-admin');
      assert.equal(await store.signIns.disconnect(CHIEF, 'home', 'owner'), 'disconnected');
      assert.equal(await store.accounts.deleteUser(WALT), 'deleted');
    });

    it('makes no viewer of an account whose provider gives a role that is gone', async () => {
      await store.signIns.addUserWithSignIn(made(), signInOf(WALT));
      assert.deepEqual(await store.accounts.demoteUnknownRoles([]), []);
      assert.deepEqual(await store.roles.changeRoles({ saved: [], deleted: [GUARD] }), []);
      assert.deepEqual(await rolesOf(WALT), [GUARD, undefined, 'home']);
      await store.signIns.setProviderRoles(WALT, 'home', [], THEN);
      await store.signIns.setRoleSource(WALT, undefined);
      assert.deepEqual(await store.accounts.demoteUnknownRoles([]), []);
      assert.equal((await userNow(WALT)).role, NO_ROLE);
    });

    it('forgets the sign-ins and sessions of a deleted user', async () => {
      await store.signIns.addUserWithSignIn(made(), signInOf(WALT));
      const { issuer, subject } = signInOf(WALT);
      const session = { sessionId: 's1', issuer, subject, expiresAt: THEN + 100 };
      await store.signIns.noteSession(session);
      await store.accounts.deleteUser(WALT);
      assert.deepEqual(await other.signIns.sessionsOf(issuer, subject, undefined), []);
      assert.equal(await other.signIns.findSignIn(issuer, subject), undefined);
    });

    it('knows the sign-in of a guest whose account is gone, without a name, until it is forgotten', async () => {
      const { signIns, accounts } = store;
      const [at, day] = [THEN + 1000, 86_400];
      const { issuer, subject } = signInOf(WALT);
      const closed = { provider: 'home', subject, knownUntil: at + 400 * day };
      const stay = async (validUntil: number) => signIns.addUserWithSignIn(made({ validUntil }), signInOf(WALT));
      const isClosed = () => other.signIns.isClosed(issuer, subject);
      await stay(THEN + 10);
      assert.equal(await isClosed(), false);
      assert.equal(await accounts.deleteUser(WALT, { endedBefore: THEN + 10, at }), 'absent');
      assert.equal(await accounts.deleteUser(WALT, { endedBefore: THEN + 11, at }), 'deleted');
      assert.deepEqual([await isClosed(), await other.signIns.listClosed()], [true, [closed]]);
      assert.equal(await other.signIns.isClosed('https://other.example.com', subject), false);
      await accounts.forgetEnded(at + 400 * day);
      assert.equal(await isClosed(), true);
      await accounts.forgetEnded(at + 400 * day + 1);
      assert.equal(await isClosed(), false);

      await stay(THEN + 10);
      await accounts.deleteUser(WALT, { endedBefore: THEN + 11, at });
      assert.equal(await signIns.forgetClosed('work', subject), 'absent');
      assert.equal(await signIns.forgetClosed('home', 'another'), 'absent');
      assert.equal(await signIns.forgetClosed('home', subject), 'forgotten');
      assert.deepEqual([await isClosed(), await other.signIns.listClosed()], [false, []]);
    });

    it('forgets the sign-in of a guest at once where an admin deletes the account, also one that was closed before', async () => {
      const { signIns, accounts } = store;
      const { issuer, subject } = signInOf(WALT);
      for (const guest of [{ endedBefore: THEN + 11, at: THEN + 1000 }, undefined]) {
        await signIns.addUserWithSignIn(made({ validUntil: THEN + 10 }), signInOf(WALT));
        await accounts.deleteUser(WALT, guest);
      }
      assert.equal(await other.signIns.isClosed(issuer, subject), false);
    });

    it('closes the sign-in that a guest disconnects: no account without an end is made beside this one', async () => {
      const { signIns, accounts } = store;
      await accounts.setValidity(VERA, null, THEN + 10);
      await signIns.connect(signInOf(VERA), THEN);
      assert.equal(await signIns.disconnect(VERA, 'home', 'owner'), 'disconnected');
      const { issuer, subject } = signInOf(VERA);
      assert.equal(await other.signIns.isClosed(issuer, subject), true);
      // The person may connect it again, and it is no closed guest for so long.
      assert.equal(await signIns.connect(signInOf(VERA), THEN), 'connected');
      assert.deepEqual([await other.signIns.isClosed(issuer, subject), await other.signIns.listClosed()], [true, []]);
      await accounts.setValidity(VERA, null, null);
      assert.equal(await signIns.disconnect(VERA, 'home', 'owner'), 'disconnected');
      assert.equal((await other.signIns.listClosed()).length, 1);
      await signIns.forgetClosed('home', subject);
      await signIns.connect(signInOf(VERA), THEN);
      await signIns.disconnect(VERA, 'home', 'owner');
      assert.equal(await other.signIns.isClosed(issuer, subject), false, 'who is no guest is not closed');
    });

    it('opens a closed guest by an invitation that is accepted with the sign-in', async () => {
      const { signIns, accounts, grants, invitations } = store;
      const { issuer, subject } = signInOf(WALT);
      await signIns.addUserWithSignIn(made({ validUntil: THEN + 10 }), signInOf(WALT));
      await accounts.deleteUser(WALT, { endedBefore: THEN + 11, at: THEN + 1000 });
      const invitation = {
        ...NEW_GRANT,
        id: 'back',
        secretHash: 'back',
        user: VERA,
        userCreatedAt: THEN,
        madeBy: CHIEF,
        createdAt: THEN,
      };
      await grants.add('invitation', { ...invitation, expiresAt: THEN + 100 });
      const accept = (hash: string) =>
        invitations.acceptBySignIn(hash, signInOf(VERA, { subject }), 'p$1$s$?', THEN + 1);
      assert.equal(await accept('another'), 'void');
      assert.equal(await other.signIns.isClosed(issuer, subject), true);
      assert.equal(await accept('back'), 'accepted');
      assert.equal(await other.signIns.isClosed(issuer, subject), false);
    });

    it('finds sessions by subject and by sid, and both must fit', async () => {
      const { signIns } = store;
      const all = ['s1', 's2', 's3'].map((sessionId, at) => ({
        ...{ sessionId, issuer: ISSUER, subject: at < 2 ? 'a' : 'b' },
        ...{ sid: `sid${at % 2}`, expiresAt: THEN + 100 + at },
      }));
      for (const session of all) await signIns.noteSession(session);
      await signIns.noteSession({ sessionId: 's4', issuer: ISSUER, subject: 'a', expiresAt: THEN });
      const found = async (subject?: string, sid?: string, issuer = ISSUER) =>
        (await other.signIns.sessionsOf(issuer, subject, sid)).map(({ sessionId }) => sessionId);
      assert.deepEqual(await other.signIns.sessionsOf(ISSUER, 'b', 'sid0'), all.slice(2));
      assert.deepEqual(await found('a'), ['s1', 's2', 's4']);
      assert.deepEqual(await found(undefined, 'sid0'), ['s1', 's3']);
      assert.deepEqual(await found('a', 'sid1'), ['s2']);
      assert.deepEqual(await found('b', 'sid1'), []);
      assert.deepEqual(await found(), []);
      assert.deepEqual(await found('a', undefined, 'https://other.example.com'), []);
      await signIns.renameSession('s2', 's5');
      assert.deepEqual(await found('a', 'sid1'), ['s5']);
      await store.accounts.forgetEnded(THEN + 102);
      assert.deepEqual([await found('a'), await found('b')], [[], ['s3']]);
      await store.accounts.forgetEnded(THEN + 200);
    });
  });
}
