/** The contract of roles, seen sessions and API tokens, kept by SQLite; and the version of a SQLite store. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { createStoreGrace } from '../../src/accounts/sessions/store-grace.ts';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import { openingPart } from '../../src/features/links/openings.ts';
import { BETWEEN_ASKING_MILLISECONDS } from '../../src/store/sqlite/sqlite.ts';
import { accountRecordsContract } from '../contracts/account-store-records.ts';
import { batchOf } from '../support/own-entries.ts';
import { until } from '../support/until.ts';
import { openStore, type Store } from '../support/whole-store.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
after(scratch.remove);

accountRecordsContract('SQLite', {
  open: () => openStore({ url: scratch.url }),
  async empty() {
    const store = await openStore({ url: scratch.url });
    const tables = ['users', 'revoked_tokens', 'custom_roles', 'seen_sessions', 'grants'] as const;
    for (const table of tables) await store.db.deleteFrom(table).execute();
    await store.close();
  },
});

const [VERA, GUARD, THEN] = ['vera' as UserName, 'guard' as Role, 1_700_000_000];
const seen = { user: VERA, address: '192.0.2.1', agent: '', since: THEN, lastSeen: THEN, expiresAt: 9e9, keyId: 'k' };
const token = {
  ...NEW_GRANT,
  secretHash: 'ab'.repeat(32),
  name: 'ha',
  user: VERA,
  userCreatedAt: null,
  role: VIEWER,
  managesAccounts: false,
  createdAt: THEN,
};
const entry = {
  kind: 'change',
  ...{ user: null, credential: null, address: null, camera: null, from: THEN, to: THEN },
  ...{ watchedFrom: null, watchedTo: null, detail: null },
} as const;
const link = {
  ...NEW_GRANT,
  thing: { kind: 'live', camera: 'porch' },
  ...{ uses: null, pinHash: 'p', notifiesOnOpen: false },
  ...{ user: VERA, userCreatedAt: null, tokenId: null, role: VIEWER },
  ...{ createdAt: THEN, expiresAt: 9e9 },
} as const;

type Write = (store: Store, at: number) => Promise<unknown>;
// biome-ignore format: a table
const HARMLESS: Readonly<Record<string, Write>> = {
  'a batch of the ledger':     ({ ledger }) => ledger.append(batchOf([entry], [{ ...entry, id: 'span' }]), THEN),
  'a session as it is seen':   ({ sessions }, at) => sessions.noteSessions([{ ...seen, id: `${at}` }]),
  'a login by a provider':    async ({ signIns }, at) => {
    await signIns.noteUsed({ issuer: 'https://id.example.com', subject: 'one', user: VERA }, at);
    await signIns.noteSession({ sessionId: `${at}`, issuer: 'https://id.example.com', subject: 'one', expiresAt: 9e9 });
  },
  'the last use of a token':   ({ grants }, at) => grants.noteUses([{ id: 'kept', at: THEN + at, from: '192.0.2.1' }]),
  'the opening of a link':     (store, at) => store.part(openingPart).openLink('kept link', { id: undefined, client: `${at}`, address: '', agent: null }, THEN),
  'a guess at the PIN of one': (store) => store.part(openingPart).reserveGuess('kept link'),
  'a write that checks the store': ({ probe }) => probe(),
};
// biome-ignore format: a table
const CHANGES: Readonly<Record<string, Write>> = {
  'a session is ended':    ({ accounts }, at) => accounts.revokeToken(`${at}`, 9e9),
  'a user is added':       ({ accounts }, at) => accounts.addUser({ name: `u${at}` as UserName, role: VIEWER, passwordHash: '', passwordChangedAt: null, createdAt: THEN }),
  'a role is changed':     ({ roles }, at) => roles.changeRoles({ saved: [{ role: GUARD, cameras: [`${at}`] }], deleted: [] }),
  'a token is added':      ({ grants }, at) => grants.add('api-token', { ...token, id: `${at}` }),
  'a link is revoked':     async ({ grants }, at) => {
    await grants.add('link', { ...link, id: `${at}`, secretHash: `${at}` }, 9999);
    await grants.revoke('link', { id: `${at}` }, THEN);
  },
};

describe('The version of a SQLite store', () => {
  const opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore({ url: scratch.url });
    opened.push(store);
    return store;
  };
  after(() => Promise.all(opened.map((store) => store.close())));
  let writes = 0;

  it('stays the same over what changes no verdict, and changes with all else at once', async () => {
    const store = await open();
    await store.grants.add('api-token', { ...token, id: 'kept' });
    await store.grants.add('link', { ...link, id: 'kept link', secretHash: 'kept' }, 9999);
    for (const [what, write] of Object.entries(HARMLESS)) {
      const [before, at] = [store.version(), performance.now()];
      await write(store, ++writes);
      await until('the file is looked at again', () => performance.now() - at > BETWEEN_ASKING_MILLISECONDS);
      assert.equal(store.version(), before, what);
    }
    for (const [what, write] of Object.entries(CHANGES)) {
      const before = store.version();
      await write(store, ++writes);
      assert.notEqual(store.version(), before, what);
    }
  });

  it('never lets an answer be remembered that is not true any more, whichever process writes, in any order', async () => {
    const [here, elsewhere] = [await open(), await open()];
    const memory = createStoreGrace({ version: here.version }).memory<readonly string[]>(10, { rowsOf: () => [] });
    const cameras = async (): Promise<string> => {
      const read = async () => (await here.roles.listRoles()).flatMap((role) => role.cameras);
      return (await memory('cameras', read)).join();
    };
    const step = fc.tuple(fc.constantFrom(...Object.values(HARMLESS)), fc.boolean(), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const [harmless, isChange, isElsewhere] of steps) {
          const at = ++writes;
          await cameras();
          const change = isChange ? CHANGES['a role is changed'] : harmless;
          const writing = change?.(isElsewhere ? elsewhere : here, at);
          const meanwhile = isChange ? HARMLESS['a batch of the ledger']?.(here, at) : undefined;
          await cameras(); // which may be the old ones, and must not stay
          await Promise.all([writing, meanwhile]);
          if (!isChange) continue;
          if (isElsewhere) await until('the change is seen', async () => (await cameras()) === String(at));
          assert.equal(await cameras(), String(at));
        }
      }),
      { numRuns: 25 },
    );
  });
});
