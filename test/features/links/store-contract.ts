/** What every store must do with links, whatever the engine: of many who open one at once, no more than its uses do (SPEC 13). */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { NEW_GRANT } from '../../../src/domain/accounts/grant.ts';
import { ADMIN, type UserName, VIEWER } from '../../../src/domain/names.ts';
import type { Link } from '../../../src/features/links/tables.ts';
import '../../../src/features/all.ts';
import { MOST_WRONG_PINS, type Openings, openingPart, type Viewer } from '../../../src/features/links/openings.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { until } from '../../support/until.ts';

type Opened = Pick<Store, 'accounts' | 'grants' | 'part' | 'version' | 'close'>;

const THEN = 1_700_000_000;
const [VERA, CHIEF] = ['vera', 'chief'] as UserName[] as [UserName, UserName];

export function linkStoreContract(engineName: string, engine: { open(): Promise<Opened> }): void {
  describe(`The store of links on ${engineName}`, () => {
    let store: Opened;
    let other: Opened;
    let openings: Openings;
    let openingsThere: Openings;
    let made = 0;
    before(async () => {
      store = await engine.open();
      other = await engine.open();
      openings = store.part(openingPart);
      openingsThere = other.part(openingPart);
      await store.accounts.addUser({ ...ROW, name: CHIEF, role: ADMIN });
    });
    after(() => Promise.all([store.close(), other.close()]));
    beforeEach(() => store.accounts.addUser({ ...ROW, name: VERA, role: VIEWER }));

    const add = async (change: Partial<Link> = {}): Promise<string> => {
      made += 1;
      assert.equal(await store.grants.add('link', linkOf(`link${made}`, change), 100), 'added');
      return `link${made}`;
    };
    const listedAs = async (id: string) => (await openingsThere.openings([id])).get(id);
    const open = (id: string, client: string, at = THEN, cookie?: string) =>
      openingsThere.openLink(id, viewer(client, cookie), at);

    it('gives a link back as it was made, by its id and by the digest of its secret', async () => {
      const change = { thing: { kind: 'recording', camera: 'front', from: 1, to: 2.5 }, name: 'für Oma' } as const;
      const id = await add({ ...change, pinHash: 'p', notifiesOnOpen: true });
      const link = linkOf(id, { ...change, pinHash: 'p', notifiesOnOpen: true });
      assert.deepEqual(await other.grants.find('link', { id }), link);
      assert.deepEqual(await other.grants.find('link', { secretHash: link.secretHash }), link);
      assert.equal(await other.grants.find('link', { id: 'none' }), undefined);
      assert.equal(await other.grants.find('link', { secretHash: id }), undefined);
    });

    it('lets no more viewers in than it has uses, also when many ask two stores at once', async () => {
      const id = await add({ uses: 3 });
      const asked = Array.from({ length: 12 }, (_, at) =>
        (at % 2 ? openings : openingsThere).openLink(id, viewer(`client${at}`), THEN),
      );
      const outcomes = await Promise.all(asked);
      const counts = outcomes.flatMap((outcome) => (outcome.kind === 'opened' ? [outcome.count] : []));
      assert.deepEqual(counts.sort(), [1, 2, 3]);
      assert.equal(outcomes.filter(({ kind }) => kind === 'spent').length, 9);
      const listed = await listedAs(id);
      assert.deepEqual([listed?.opened, listed?.openings.length], [3, 3]);
    });

    it('counts one viewer once an hour, by its cookie or by its client, also when it asks many times at once', async () => {
      const id = await add({ uses: 2, expiresAt: THEN + 9000 });
      const many = await Promise.all(Array.from({ length: 6 }, () => open(id, 'a', THEN, 'cookie')));
      assert.deepEqual(many.map(({ kind }) => kind).sort(), ['known', 'known', 'known', 'known', 'known', 'opened']);
      assert.deepEqual(await open(id, 'b', THEN + 3599, 'cookie'), { kind: 'known', since: THEN });
      assert.deepEqual(await open(id, 'a', THEN + 3599), { kind: 'known', since: THEN });
      assert.deepEqual(await open(id, 'b', THEN, 'forged'), { kind: 'opened', count: 2 });
      assert.deepEqual(await open(id, 'a', THEN + 3600, 'cookie'), { kind: 'spent' });
      assert.deepEqual(await open(id, 'a', THEN - 1, 'cookie'), { kind: 'spent' }, 'the clock was set back');
      assert.equal(await openingsThere.mayOpen(id, viewer('b'), THEN + 1), 'may');
      assert.equal(await openingsThere.mayOpen(id, viewer('c'), THEN + 1), 'spent');
    });

    it('opens until the second of its end, and not after it was revoked', async () => {
      const id = await add();
      assert.equal((await open(id, 'a', THEN + 99)).kind, 'opened');
      assert.deepEqual(await open(id, 'a', THEN + 100), { kind: 'over' });
      const before = other.version();
      assert.equal(await store.grants.revoke('link', { id: id }, THEN + 1), 'revoked');
      assert.equal(await store.grants.revoke('link', { id: id }, THEN + 2), 'absent');
      assert.deepEqual(await open(id, 'a', THEN + 1), { kind: 'over' });
      assert.equal(await openingsThere.mayOpen(id, viewer('a'), THEN + 1), 'over');
      assert.equal((await other.grants.find('link', { id }))?.revokedAt, THEN + 1);
      await until('the version rises in the other process', () => other.version() !== before);
    });

    it('takes a number of wrong PINs and no more, and gives right ones back', async () => {
      const id = await add({ pinHash: 'p' });
      for (let at = 0; at < 3; at += 1) {
        assert.equal(await openings.reserveGuess(id), true);
        await openings.releaseGuess(id);
      }
      const guesses = Array.from({ length: MOST_WRONG_PINS + 5 }, (_, at) =>
        (at % 2 ? openings : openingsThere).reserveGuess(id),
      );
      assert.equal((await Promise.all(guesses)).filter(Boolean).length, MOST_WRONG_PINS);
    });

    it('keeps the last 20 openings', async () => {
      const id = await add();
      for (let at = 0; at < 23; at += 1) await open(id, `client${at}`, THEN + at);
      const listed = await listedAs(id);
      assert.deepEqual([listed?.opened, listed?.openings.length, listed?.openings[0]?.at], [23, 20, THEN + 22]);
    });

    it('is not made for an account or a token that is gone, nor when there are too many', async () => {
      const { grants, accounts } = store;
      const byAnother = { userCreatedAt: THEN - 1 };
      assert.equal(await grants.add('link', linkOf('x1', byAnother), 100), 'absent');
      assert.equal(await grants.add('link', linkOf('x2', { tokenId: 'gone' }), 100), 'absent');
      await grants.add('api-token', { ...TOKEN, user: VERA, role: VIEWER });
      assert.equal(await grants.add('link', linkOf('x3', { tokenId: TOKEN.id }), 100), 'added');
      await accounts.deleteUser(VERA);
      await accounts.addUser({ ...ROW, name: VERA, role: VIEWER });
      await add();
      assert.equal(await grants.add('link', linkOf('x4'), 1), 'too-many');
    });

    it('is deleted with the account of its maker; the link of a proxy user of that name stays', async () => {
      const [own, foreign] = [await add(), await add({ userCreatedAt: null })];
      await open(own, 'a');
      await store.accounts.deleteUser(VERA);
      assert.equal(await other.grants.find('link', { id: own }), undefined);
      assert.notEqual(await other.grants.find('link', { id: foreign }), undefined);
    });

    it('is forgotten some time after its end', async () => {
      const [early, revoked, late] = [
        await add(),
        await add({ expiresAt: THEN + 900 }),
        await add({ expiresAt: THEN + 900 }),
      ];
      await open(early, 'a');
      await store.grants.revoke('link', { id: revoked }, THEN + 50);
      await store.grants.forgetEnded(THEN + 101 + 30 * 86_400);
      const found = await Promise.all([early, revoked, late].map((id) => other.grants.find('link', { id })));
      assert.deepEqual(
        found.map((link) => link?.id),
        [undefined, undefined, late],
      );
    });
  });
}

const ROW = { passwordHash: 'p$1$salt$x', passwordChangedAt: null, createdAt: THEN };
const MAKER = { user: VERA, userCreatedAt: THEN, tokenId: null, role: VIEWER };
const TOKEN = {
  ...NEW_GRANT,
  ...{ id: 't1', secretHash: 's', name: 'n', userCreatedAt: THEN, cameras: null, managesAccounts: false },
  ...{ createdAt: THEN },
};

const viewer = (client: string, id?: string): Viewer => ({ id, client, address: '192.0.2.1', agent: 'Firefox' });

const linkOf = (id: string, change: Partial<Link> = {}): Link => ({
  ...NEW_GRANT,
  ...MAKER,
  id,
  secretHash: `hash of ${id}`,
  thing: { kind: 'event', id: '1.1-a', camera: 'front' },
  uses: null,
  pinHash: null,
  notifiesOnOpen: false,
  createdAt: THEN,
  expiresAt: THEN + 100,
  ...change,
});
