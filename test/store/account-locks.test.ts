/** Two transactions on accounts at once, of which each reads what the other changes: the second one finds what the first one did (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { User } from '../../src/domain/accounts/account.ts';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { ADMIN, type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import { MOST_WRONG_PINS } from '../../src/features/links/openings.ts';
import type { Screen } from '../../src/features/screens/tables.ts';
import { Queries } from '../../src/store/engine/rows.ts';
import type { Grants, PasskeyRecord, SignIn } from '../../src/store/engine/tables.ts';
import { openStore } from '../../src/store/open-store.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { type Halt, type HaltedStore, interleaved, openHalted } from './support/halted-store.ts';
import { makeScratch } from './support/scratch-store.ts';

type Act = (store: HaltedStore) => Promise<unknown>;

const THEN = 1_700_000_000;
const name = (text: string): UserName => text as UserName;
const [BOSS, CHIEF, VERA, CARL] = [name('boss'), name('chief'), name('vera'), name('carl')];
const ROW = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };
const KNOWN = { passwordChangedAt: null };
const first = (epoch: string, known: { factorEpoch?: string; passwordChangedAt: null } = KNOWN) => ({
  ...{ epoch, known },
  recoveryCodes: [`${epoch}-1`, `${epoch}-2`],
});
const challenge = (id: string) => ({ id: `challenge ${id}`, expiresAt: THEN + 600 });
const passkey = (id: string, user = VERA): PasskeyRecord => ({
  ...{ id, user, userHandle: 'handle', publicKey: 'key', counter: 1, transports: [], name: 'Key' },
  ...{ isBackupEligible: false, isBackedUp: false, createdAt: THEN, lastUsedAt: null },
});
const signIn = (provider: string, user = VERA, subject = `${user} there`): SignIn => ({
  ...{ provider, issuer: `https://${provider}.example.com`, subject, user, connectedAt: THEN, lastUsedAt: THEN },
});
const granted = { ...NEW_GRANT, user: VERA, userCreatedAt: THEN, createdAt: THEN };
const token = (id: string): Grants['api-token'] => ({
  ...{ ...granted, id, secretHash: `secret ${id}`, name: 'Token', role: VIEWER, managesAccounts: false },
});
const link = (id: string, uses: number | null = null, userCreatedAt: number | null = THEN): Grants['link'] => ({
  ...{ ...granted, userCreatedAt, id, secretHash: `secret ${id}`, role: VIEWER, expiresAt: THEN + 900, tokenId: null },
  ...{ thing: { kind: 'live', camera: 'front' } as never, uses, pinHash: null, notifiesOnOpen: false },
});
const invitation = (id: string, madeBy = BOSS): Grants['invitation'] => ({
  ...{ ...granted, id, secretHash: id, madeBy, expiresAt: THEN + 900 },
});
const screen = (id: string): Screen => ({ ...granted, id, secretHash: null, name: 'Hall', agent: null });
const code = (id: string) => ({
  ...{ deviceHash: `device ${id}`, userHash: `letters ${id}`, address: '192.0.2.1', agent: null, screenId: null },
  ...{ createdAt: THEN, expiresAt: THEN + 600, state: 'pending' as const },
});
const SESSION = {
  ...{ user: VERA, address: '192.0.2.1', agent: '', keyId: 'k1' },
  ...{ since: THEN, lastSeen: THEN, expiresAt: THEN + 900 },
};
const viewer = (client: string) => ({ id: undefined, client, address: '192.0.2.1', agent: null });

const withPasskeys = async ({ secondFactor }: HaltedStore, ...ids: string[]): Promise<void> => {
  for (const [at, id] of ids.entries()) {
    const known = at === 0 ? KNOWN : { ...KNOWN, factorEpoch: 'e0' };
    const added = { challenge: challenge(`of ${id}`), first: first('e0', known), most: 9 };
    assert.equal(await secondFactor.addPasskey(passkey(id), added), at === 0 ? 'first' : 'more');
  }
};
const withTotp = async ({ secondFactor }: HaltedStore): Promise<void> => {
  await secondFactor.startTotp(VERA, 'sealed', THEN + 900);
  await secondFactor.confirmTotp(VERA, { sealed: 'sealed', step: 1, first: first('e0') });
};
const withoutPassword = ({ db }: HaltedStore) =>
  db.updateTable('users').set({ has_password: 0 }).where('name', '=', VERA).execute();

const adminsLeft = async ({ accounts }: HaltedStore) =>
  (await accounts.listUsers()).filter(
    ({ role, validUntil, roleSource }) => role === ADMIN && !validUntil && !roleSource,
  ).length;
const codesLeft = ({ secondFactor }: HaltedStore) => secondFactor.countRecoveryCodes(VERA);
const waysLeft = async ({ secondFactor, signIns }: HaltedStore) =>
  (await secondFactor.listPasskeys(VERA)).length + (await signIns.listSignIns(VERA)).length;
/** Whether the user is marked, and has a factor. */
const marked = async ({ accounts, secondFactor }: HaltedStore) => [
  (await accounts.findUser(VERA))?.hasFactor ?? false,
  Number((await secondFactor.findTotp(VERA))?.secret !== undefined || (await secondFactor.passkeyUsers()).length > 0),
];

/** The sessions that are too many then; undefined: the login is refused. */
const logsIn =
  (user: UserName, id = 'own', most = 9): Act =>
  async ({ sessions }) => {
    const place = { device: id, network: `net of ${id}` };
    const login = { session: { ...SESSION, id: `${id} of ${user}`, user }, place, salt: 'salt', at: THEN, most };
    const begun = await sessions.beginLogin({ ...login, user: { ...ROW, name: user, role: VIEWER } });
    return begun?.surplus.map((session) => session.id);
  };

interface Row {
  /** Where both stop. Default: before they write. */
  readonly at?: Halt;
  readonly given?: Act;
  readonly first: Act;
  readonly second: Act;
  /** What both gave. */
  readonly gives: readonly unknown[];
  readonly sees?: readonly [look: Act, seen: unknown];
}

const demote =
  (user: UserName): Act =>
  ({ accounts }) =>
    accounts.setRole(user, VIEWER);
const deletes: Act = ({ accounts }) => accounts.deleteUser(VERA);
const accept: Act = ({ invitations }) => invitations.acceptInvitation('i1', 'p$1$new$x', THEN + 1);
const invited: Act = ({ grants }) => grants.add('invitation', invitation('i1'));
const acceptsBy =
  (id: string, user: UserName): Act =>
  ({ invitations }) =>
    invitations.acceptByPasskey(
      id,
      { passkey: passkey('k1', user), challenge: challenge(id), passwordHash: 'p$1$new$x', epoch: 'e1' },
      THEN + 1,
    );
const lastAdmin = { gives: ['set', 'last-admin'], sees: [adminsLeft, 1] } as const;
const removed =
  (id: string, epoch = 'e0'): Act =>
  ({ secondFactor }) =>
    secondFactor.removePasskey(VERA, id, { epoch: `without ${id}`, known: { ...KNOWN, factorEpoch: epoch } });
const adds =
  (id: string): Act =>
  ({ secondFactor }) =>
    secondFactor.addPasskey(passkey(id), { challenge: challenge(id), first: first(`by ${id}`), most: 9 });
const confirms: Act = ({ secondFactor }) =>
  secondFactor.confirmTotp(VERA, { sealed: 'sealed', step: 1, first: first('by totp') });
const disconnects =
  (provider: string): Act =>
  ({ signIns }) =>
    signIns.disconnect(VERA, provider, 'owner');
const connects =
  (provider: string): Act =>
  async ({ signIns }) =>
    signIns.connect(signIn(provider), THEN);
const made = (text: string): User => ({ ...ROW, name: name(text), role: VIEWER });

/** Nothing of a deleted user may be there for the next one of that name. */
const INSERTS: Readonly<Record<string, readonly [given: Act | undefined, insert: Act]>> = {
  'a passkey': [undefined, adds('k1')],
  'a secret of an authenticator app': [undefined, ({ secondFactor }) => secondFactor.startTotp(VERA, 's', THEN + 9)],
  'the first code of an app': [({ secondFactor }) => secondFactor.startTotp(VERA, 'sealed', THEN + 9), confirms],
  'recovery codes': [
    withTotp,
    ({ secondFactor }) => secondFactor.replaceRecoveryCodes(VERA, ['new'], { ...KNOWN, factorEpoch: 'e0' }),
  ],
  'a sign-in': [undefined, connects('home')],
  'a sign-in by an invitation': [
    invited,
    ({ invitations }) => invitations.acceptBySignIn('i1', signIn('home'), 'p$1$new$x', THEN + 1),
  ],
  'a passkey by an invitation': [invited, acceptsBy('i1', VERA)],
  'an API token': [undefined, ({ grants }) => grants.add('api-token', token('t1'))],
  'a link': [undefined, ({ grants }) => grants.add('link', link('l1'))],
  'an invitation': [undefined, invited],
  'a screen': [
    ({ screenCodes }) => screenCodes.addCode(code('1'), 9),
    ({ screenCodes }) => screenCodes.confirmCode('letters 1', screen('s1'), 9),
  ],
};
const OWN = ['passkeys', 'totp_secrets', 'recovery_codes', 'sign_ins', 'grants'] as const;
const rowsLeft: Act = async ({ db }) => {
  const counted = OWN.map((table) =>
    db
      .selectFrom(table as 'passkeys')
      .select('user_name')
      .execute(),
  );
  return (await Promise.all(counted)).flat();
};

const ROWS: Readonly<Record<string, Row>> = {
  'two admins who demote each other leave one': { ...lastAdmin, first: demote(BOSS), second: demote(CHIEF) },
  'two admins who end each other leave one': {
    ...lastAdmin,
    first: ({ accounts }) => accounts.setValidity(BOSS, null, THEN),
    second: ({ accounts }) => accounts.setValidity(CHIEF, null, THEN),
  },
  'two admins who delete each other leave one': {
    first: ({ accounts }) => accounts.deleteUser(BOSS),
    second: ({ accounts }) => accounts.deleteUser(CHIEF),
    gives: ['deleted', 'last-admin'],
    sees: [adminsLeft, 1],
  },
  'two admins whose roles are given to a provider leave one': {
    ...lastAdmin,
    given: async ({ signIns }) => {
      await signIns.connect(signIn('home', BOSS), THEN);
      await signIns.connect(signIn('home', CHIEF), THEN);
    },
    first: ({ signIns }) => signIns.setRoleSource(BOSS, 'home'),
    second: ({ signIns }) => signIns.setRoleSource(CHIEF, 'home'),
  },
  'a viewer who is deleted is no admin for whom the last one may go': {
    given: demote(CHIEF),
    first: deletes,
    second: async ({ accounts }) => [await accounts.setRole(VERA, ADMIN), await accounts.setRole(BOSS, VIEWER)],
    gives: ['deleted', ['absent', 'last-admin']],
    sees: [adminsLeft, 1],
  },
  'the last two ways in, a passkey and a sign-in, are not removed both': {
    given: async (store) => {
      await withPasskeys(store, 'k1');
      await connects('home')(store);
      await withoutPassword(store);
    },
    first: removed('k1'),
    second: disconnects('home'),
    gives: ['last', 'last-way-in'],
    sees: [waysLeft, 1],
  },
  'the last two passkeys are not removed both': {
    given: async (store) => {
      await withPasskeys(store, 'k1', 'k2');
      await withoutPassword(store);
    },
    first: removed('k1'),
    second: removed('k2'),
    gives: ['more', 'last-way-in'],
    sees: [waysLeft, 1],
  },
  'the last two sign-ins are not removed both': {
    given: async (store) => {
      await connects('home')(store);
      await connects('work')(store);
      await withoutPassword(store);
    },
    first: disconnects('home'),
    second: disconnects('work'),
    gives: ['disconnected', 'last-way-in'],
    sees: [waysLeft, 1],
  },
  'one first factor of two brings recovery codes': {
    given: ({ secondFactor }) => secondFactor.startTotp(VERA, 'sealed', THEN + 9),
    first: adds('k1'),
    second: confirms,
    gives: ['first', 'gone'],
    sees: [codesLeft, 2],
  },
  'one first passkey of two brings recovery codes': {
    first: adds('k1'),
    second: adds('k2'),
    gives: ['first', 'gone'],
    sees: [codesLeft, 2],
  },
  'the mark falls with the last factor': {
    at: 'commit',
    given: async (store) => {
      await withTotp(store);
      const known = { ...KNOWN, factorEpoch: 'e0' };
      await store.secondFactor.addPasskey(passkey('k1'), {
        ...{ challenge: challenge('k1'), first: first('e1', known), most: 9 },
      });
    },
    first: ({ secondFactor }) => secondFactor.removeTotp(VERA, 'e2'),
    second: removed('k1'),
    gives: ['more', 'last'],
    sees: [marked, [false, 0]],
  },
  'the mark falls when all factors are removed while one is added': {
    given: withTotp,
    first: ({ secondFactor }) => secondFactor.removeFactors(VERA, 'e2'),
    second: ({ secondFactor }) =>
      secondFactor.addPasskey(passkey('k1'), {
        ...{ challenge: challenge('k1'), first: first('e1', { ...KNOWN, factorEpoch: 'e0' }), most: 9 },
      }),
    gives: ['last', 'gone'],
    sees: [marked, [false, 0]],
  },
  'recovery codes that are made twice are one set': {
    at: 'commit',
    given: withTotp,
    first: ({ secondFactor }) => secondFactor.replaceRecoveryCodes(VERA, ['a', 'b'], { ...KNOWN, factorEpoch: 'e0' }),
    second: ({ secondFactor }) => secondFactor.replaceRecoveryCodes(VERA, ['c', 'd'], { ...KNOWN, factorEpoch: 'e0' }),
    gives: ['replaced', 'replaced'],
    sees: [codesLeft, 2],
  },
  'a recovery code is used once': {
    given: withTotp,
    first: ({ secondFactor }) => secondFactor.useRecoveryCode(VERA, 'e0-1'),
    second: ({ secondFactor }) => secondFactor.useRecoveryCode(VERA, 'e0-1'),
    gives: ['used', 'absent'],
    sees: [codesLeft, 1],
  },
  'a step of an authenticator app is used once': {
    given: withTotp,
    first: ({ secondFactor }) => secondFactor.useTotpStep(VERA, 'sealed', 2),
    second: ({ secondFactor }) => secondFactor.useTotpStep(VERA, 'sealed', 2),
    gives: ['used', 'spent'],
  },
  'a counter of a passkey is used once': {
    given: (store) => withPasskeys(store, 'k1'),
    first: ({ secondFactor }) =>
      secondFactor.usePasskey(passkey('k1'), { counter: 2, isBackedUp: false, challenge: challenge('a'), at: THEN }),
    second: ({ secondFactor }) =>
      secondFactor.usePasskey(passkey('k1'), { counter: 2, isBackedUp: false, challenge: challenge('b'), at: THEN }),
    gives: ['used', 'cloned'],
  },
  'a passkey that is removed while it is used is no copy': {
    at: 'commit',
    given: (store) => withPasskeys(store, 'k1'),
    first: removed('k1'),
    second: ({ secondFactor }) =>
      secondFactor.usePasskey(passkey('k1'), { counter: 2, isBackedUp: false, challenge: challenge('a'), at: THEN }),
    gives: ['last', 'gone'],
  },
  'one passkey is that of one account, also by invitations': {
    given: async (store) => {
      await invited(store);
      await store.grants.add('invitation', { ...invitation('i2'), user: CARL });
    },
    first: acceptsBy('i1', VERA),
    second: acceptsBy('i2', CARL),
    gives: ['accepted', 'taken'],
    sees: [async ({ accounts }) => (await accounts.findUser(CARL))?.passwordHash, ROW.passwordHash],
  },
  'an invitation is used once': { given: invited, first: accept, second: accept, gives: ['accepted', 'void'] },
  'a newer invitation voids the older one': {
    at: 'commit',
    first: invited,
    second: ({ grants }) => grants.add('invitation', invitation('i2')),
    gives: ['added', 'added'],
    sees: [async ({ grants }) => (await grants.list('invitation', VERA)).map(({ id }) => id), ['i2']],
  },
  'a person at a provider is connected with one account': {
    first: ({ signIns }) => signIns.connect(signIn('home', VERA, 'one'), THEN),
    second: ({ signIns }) => signIns.connect(signIn('home', CARL, 'one'), THEN),
    gives: ['connected', 'taken'],
  },
  'a person who is connected cannot accept the invitation of another account': {
    given: invited,
    first: ({ signIns }) => signIns.connect(signIn('home', CARL, 'one'), THEN),
    second: ({ invitations }) => invitations.acceptBySignIn('i1', signIn('home', VERA, 'one'), 'p$1$new$x', THEN + 1),
    gives: ['connected', 'taken'],
    sees: [async ({ invitations }) => (await invitations.findInvitation('i1', THEN))?.id, 'i1'],
  },
  'two first logins of a person make one account': {
    first: ({ signIns }) => signIns.addUserWithSignIn(made('walt'), signIn('home', name('walt'), 'one')),
    second: ({ signIns }) => signIns.addUserWithSignIn(made('walt'), signIn('home', name('walt'), 'one')),
    gives: ['added', 'connected'],
  },
  'two first logins of a person by two names make one account': {
    first: ({ signIns }) => signIns.addUserWithSignIn(made('walt'), signIn('home', name('walt'), 'one')),
    second: ({ signIns }) => signIns.addUserWithSignIn(made('wilma'), signIn('home', name('wilma'), 'one')),
    gives: ['added', 'connected'],
    sees: [({ accounts }) => accounts.findUser('wilma'), undefined],
  },
  'a login while the user is deleted notes nothing': {
    at: 'commit',
    first: deletes,
    second: logsIn(VERA),
    gives: ['deleted', undefined],
    sees: [
      async ({ db }) => [
        await db.selectFrom('seen_sessions').select('id').execute(),
        await db.selectFrom('known_clients').select('id').execute(),
      ],
      [[], []],
    ],
  },
  'logins of one moment count one another': {
    at: 'commit',
    first: logsIn(VERA, 'first', 1),
    second: logsIn(VERA, 'second', 1),
    gives: [[], ['first of vera']],
  },
  'names that differ in case only are one account': {
    first: ({ accounts }) => accounts.addUser(made('Anna')),
    second: ({ accounts }) => accounts.addUser(made('anna')),
    gives: ['added', 'taken'],
  },
  'a role that an admin has given is no longer the provider’s': {
    given: async ({ signIns }) => {
      await signIns.connect(signIn('home'), THEN);
      await signIns.setRoleSource(VERA, 'home');
    },
    first: ({ accounts }) => accounts.setRole(VERA, VIEWER),
    second: ({ signIns }) => signIns.setProviderRoles(VERA, 'home', ['guard' as Role], THEN),
    gives: ['set', 'absent'],
    sees: [async ({ accounts }) => (await accounts.findUser(VERA))?.role, VIEWER],
  },
  'a password is proven for one change': {
    first: ({ accounts }) => accounts.setPassword(VERA, 'p$1$a$x', THEN, ROW.passwordHash),
    second: ({ accounts }) => accounts.setPassword(VERA, 'p$1$b$x', THEN, ROW.passwordHash),
    gives: ['set', 'absent'],
  },
  'a person has no more grants than the bound': {
    first: ({ grants }) => grants.add('link', link('l1'), 1),
    second: ({ grants }) => grants.add('link', link('l2'), 1),
    gives: ['added', 'too-many'],
  },
  'a person whom a proxy knows has no more grants than the bound': {
    first: ({ grants }) => grants.add('link', link('l1', null, null), 1),
    second: ({ grants }) => grants.add('link', link('l2', null, null), 1),
    gives: ['added', 'too-many'],
  },
  'a link is opened by as many as it has uses': {
    given: ({ grants }) => grants.add('link', link('l1', 1)),
    first: async ({ openings }) => (await openings.openLink('l1', viewer('a'), THEN)).kind,
    second: async ({ openings }) => (await openings.openLink('l1', viewer('b'), THEN)).kind,
    gives: ['opened', 'spent'],
  },
  'a link whose maker is deleted is opened before, or over': {
    given: ({ grants }) => grants.add('link', link('l1', 1)),
    first: deletes,
    second: async ({ openings }) => /opened|over/.test((await openings.openLink('l1', viewer('b'), THEN)).kind),
    gives: ['deleted', true],
  },
  'a PIN is guessed no more often than the bound': {
    given: async ({ grants, db }) => {
      await grants.add('link', link('l1'));
      await db
        .updateTable('link_terms')
        .set({ wrong_pins: MOST_WRONG_PINS - 1 })
        .execute();
    },
    first: ({ openings }) => openings.reserveGuess('l1'),
    second: ({ openings }) => openings.reserveGuess('l1'),
    gives: [true, false],
  },
  'no more codes for screens wait than the bound': {
    first: ({ screenCodes }) => screenCodes.addCode(code('1'), 1),
    second: ({ screenCodes }) => screenCodes.addCode(code('2'), 1),
    gives: ['added', 'too-many'],
  },
  'a code makes one screen': {
    given: ({ screenCodes }) => screenCodes.addCode(code('1'), 9),
    first: ({ screenCodes }) => screenCodes.confirmCode('letters 1', screen('s1'), 9),
    second: ({ screenCodes }) => screenCodes.confirmCode('letters 1', screen('s2'), 9),
    gives: ['confirmed', 'gone'],
    sees: [async ({ grants }) => (await grants.list('screen')).map(({ id }) => id), ['s1']],
  },
  'a screen is fetched by one display': {
    given: async ({ screenCodes }) => {
      await screenCodes.addCode(code('1'), 9);
      await screenCodes.confirmCode('letters 1', screen('s1'), 9);
    },
    first: ({ screenCodes }) => screenCodes.pickUp('device 1', 'a', THEN),
    second: ({ screenCodes }) => screenCodes.pickUp('device 1', 'b', THEN),
    gives: ['picked-up', 'gone'],
  },
};

let server: TestPostgres | undefined;
const scratch = makeScratch();
after(async () => {
  await server?.stop();
  scratch.remove();
});
const engines: Readonly<Record<string, { readonly skip: string | false; newUrl(): Promise<string> }>> = {
  SQLite: { skip: false, newUrl: async () => scratch.url },
  PostgreSQL: {
    skip: withoutPostgres,
    async newUrl() {
      server = await startPostgres({ deadlock_timeout: '10ms' });
      return server.newDatabase();
    },
  },
};

for (const [engine, { skip, newUrl }] of Object.entries(engines))
  describe(`Of two transactions at once on ${engine}`, { skip }, () => {
    let url: string;
    let one: HaltedStore;
    let other: HaltedStore;
    before(async () => {
      url = await newUrl();
      await (await openStore({ url })).close();
      [one, other] = [await openHalted(url), await openHalted(url)];
    });
    after(() => Promise.all([one.close(), other.close()]));
    beforeEach(async () => {
      for (const table of [
        ...OWN,
        'screen_codes',
        'revoked_tokens',
        'seen_sessions',
        'known_clients',
        'users',
      ] as const)
        await new Queries(one.db).delete(table, {});
      for (const admin of [BOSS, CHIEF]) await one.accounts.addUser({ ...ROW, name: admin, role: ADMIN });
      for (const user of [VERA, CARL]) await one.accounts.addUser({ ...ROW, name: user, role: VIEWER });
    });
    const both = (first: Act, second: Act, at?: Halt) => interleaved(url, [one, first], [other, second], at);

    for (const [sentence, { given, first, second, gives, sees, at }] of Object.entries(ROWS))
      it(sentence, async () => {
        await given?.(one);
        assert.deepEqual(await both(first, second, at), gives);
        if (sees) assert.deepEqual(await sees[0](one), sees[1]);
      });

    for (const [thing, [given, insert]] of Object.entries(INSERTS)) {
      it(`a user who is deleted leaves nothing behind, also not ${thing} that comes meanwhile`, async () => {
        await given?.(one);
        assert.equal((await both(deletes, insert))[0], 'deleted');
        assert.deepEqual(await rowsLeft(one), []);
      });
      it(`a user who is deleted takes along ${thing} that has just come`, async () => {
        await given?.(one);
        assert.equal((await both(insert, deletes))[1], 'deleted');
        assert.deepEqual(await rowsLeft(one), []);
      });
    }

    if (engine === 'SQLite') return; // one writer

    const gate = () => Promise.withResolvers<void>();
    const waiting = (most: number) =>
      until(`${most} wait`, async () => {
        const { rows } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(one.db);
        return rows.length === most;
      });

    it('people do not wait for one another, nor for admins', async () => {
      for (const held of [demote(CHIEF), demote(CARL)]) {
        const { reached, goOn } = one.halt();
        const done = held(one);
        await reached;
        try {
          other.halt().goOn();
          assert.equal(await other.accounts.setPassword(VERA, 'p$1$new$x', THEN), 'set');
          for (const user of [BOSS, CHIEF, CARL]) assert.deepEqual(await logsIn(user)(other), []);
        } finally {
          goOn();
        }
        assert.equal(await done, 'set');
      }
    });

    it('a batch of sessions that the server ends is written again', async () => {
      const session = (id: string) => ({ ...SESSION, id });
      for (const store of [one, other]) store.halt().goOn();
      await other.sessions.noteSessions(['a', 'm', 'z'].map(session));
      const [hasMiddle, hasLast, goneOn] = [gate(), gate(), gate()];
      const holder = one.locked({}, async (db) => {
        await db.delete('seen_sessions', { id: 'm' });
        hasMiddle.resolve();
        await goneOn.promise;
      });
      await hasMiddle.promise;
      const crossing = one.locked({}, async (db) => {
        await sql`set local deadlock_timeout = '9s'`.execute(db.kysely);
        await db.delete('seen_sessions', { id: 'z' });
        hasLast.resolve();
        await waiting(1);
        await db.delete('seen_sessions', { id: 'a' });
      });
      await hasLast.promise;
      const batch = other.sessions.noteSessions(['a', 'm', 'z'].map(session));
      await waiting(2);
      goneOn.resolve();
      await Promise.all([holder, crossing, batch]);
      const noted = await one.db.selectFrom('seen_sessions').select('id').orderBy('id').execute();
      assert.deepEqual(
        noted.map(({ id }) => id),
        ['a', 'm', 'z'],
      );
    });

    it('which wait for each other, the one that the server ends is tried again', async () => {
      let begun = 0;
      const bothHold = Promise.withResolvers<void>();
      const crossing = ({ locked }: HaltedStore, [held, wanted]: readonly [UserName, UserName]) =>
        locked({ person: held }, async (db) => {
          begun += 1;
          if (begun === 2) bothHold.resolve();
          await bothHold.promise;
          return db.update('users', { name: wanted }, { valid_from: THEN });
        });
      for (const store of [one, other]) store.halt().goOn();
      assert.deepEqual(await Promise.all([crossing(one, [VERA, CARL]), crossing(other, [CARL, VERA])]), [1, 1]);
      assert.ok(begun > 2, `${begun}`);
    });
  });
