/** Rows of the store that are of one site: records of the ledger, links and screens; and the command that renames and forgets sites (SPEC 20). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import type { LedgerQuestion } from '../../src/features/ledger/ledger-store.ts';
import type { LedgerEntry } from '../../src/features/ledger/records.ts';
import { checkLedger } from '../../src/features/ledger/whole-ledger.ts';
import { groupByDay } from '../../src/features/ledger/writer.ts';
import { batchOf, liveAt } from '../support/own-entries.ts';
import { newDirectory, runPostern } from '../support/run-postern.ts';
import { openStore, type Store } from '../support/whole-store.ts';

const NOW = 1_800_000_000;
const entry = (camera: string, from = NOW) => liveAt(from, { user: 'zoe', camera, to: from });

describe('Rows of one site', () => {
  let directory: string;
  let url: string;
  let house: Store;
  let barn: Store;
  beforeEach(async () => {
    directory = newDirectory();
    url = `sqlite:${join(directory, 'postern.db')}`;
    house = await openStore({ url, here: { site: 'house' } });
    barn = await openStore({ url, here: { site: 'barn' } });
  });
  afterEach(async () => {
    await house.close();
    await barn.close();
  });

  it('the ledger: two services on one file write one chain, and each record says its site', async () => {
    const open = { id: 'open', ...entry('hall') };
    await house.ledger.append(batchOf([], [open]), NOW);
    await barn.ledger.append(batchOf([entry('yard')]), NOW);
    assert.deepEqual(await barn.ledger.left(NOW + 80), [], 'the house may still go on with it');
    const [left] = await barn.ledger.left(NOW + 100);
    assert.deepEqual(left, { ...open, site: 'house' });
    await barn.ledger.append({ ended: [{ ...open, site: 'house' }], open: [] }, NOW);
    assert.deepEqual(
      (await house.ledger.heads()).map(({ chain, seq }) => [chain, seq]),
      [['store1', 2]],
    );
    assert.deepEqual(
      (await barn.ledger.find({ sight: undefined, site: 'house' }, 10)).map(({ camera }) => camera),
      ['hall'],
    );
    const [heads, closings] = [await barn.ledger.heads(), await barn.ledger.closings()];
    const check = checkLedger({ heads, closings, noted: [], now: NOW });
    for (const row of await barn.ledger.rows('', 100)) check.take(row);
    assert.deepEqual(check.end(heads), []);
    const found = await house.ledger.find({ sight: undefined, site: 'barn' }, 10);
    assert.deepEqual(
      found.map(({ site, camera }) => [site, camera]),
      [['barn', 'yard']],
    );
    assert.deepEqual(await house.ledger.find({ sight: undefined, site: 'bar' }, 10), [], 'a name that begins another');
  });

  it('sums of the ledger tell cameras of one name apart by their site', async () => {
    const days = (entries: readonly LedgerEntry[]) => groupByDay(entries, () => '2027-01-15');
    await house.ledger.append(batchOf([entry('garden')]), NOW, days);
    await barn.ledger.append(batchOf([entry('garden'), entry('yard')]), NOW, days);
    const camerasOf = async (question: Partial<LedgerQuestion>): Promise<string[]> => {
      const found = await house.ledger.days({ sight: undefined, ...question }, '2027-01-15', '2027-01-15');
      return found.map(({ camera }) => camera).sort();
    };
    assert.deepEqual(await camerasOf({}), ['barn:garden', 'barn:yard', 'house:garden']);
    assert.deepEqual(await camerasOf({ site: 'house' }), ['house:garden']);
    assert.deepEqual(await camerasOf({ cameras: ['garden', 'house:garden'] }), ['house:garden']);
  });

  it('a camera with a colon in its name is recorded behind its site, and found by its name at its own site alone', async () => {
    const days = (entries: readonly LedgerEntry[]) => groupByDay(entries, () => '2027-01-15');
    await house.ledger.append(batchOf([entry('barn:garden')]), NOW, days);
    await barn.ledger.append(batchOf([entry('garden')]), NOW, days);
    const sight = { own: 'zoe', cameras: ['barn:garden'], others: true };
    const found = async ({ ledger }: Store, question: LedgerQuestion) => [
      (await ledger.find(question, 10)).map(({ camera }) => camera),
      (await ledger.days(question, '2027-01-15', '2027-01-15')).map(({ camera }) => camera).sort(),
    ];
    const own = ['house:barn:garden'];
    assert.deepEqual(await found(house, { sight }), [own, own]);
    assert.deepEqual(await found(barn, { sight }), [[], []]);
    assert.deepEqual(await found(house, { sight: undefined, site: 'house' }), [own, own]);
    assert.deepEqual(await found(house, { sight: { ...sight, cameras: undefined }, cameras: ['barn:garden'] }), [
      own,
      ['barn:garden', 'house:barn:garden'],
    ]);
  });

  it('links and codes of screens: another site neither finds nor ends them', async () => {
    const account = { name: 'zoe' as UserName, role: 'viewer' as Role, passwordHash: 'x', createdAt: NOW };
    await house.accounts.addUser({ ...account, passwordChangedAt: null });
    const link = {
      ...NEW_GRANT,
      id: 'l1',
      secretHash: 's1',
      thing: { kind: 'live', camera: 'hall' } as never,
      ...{ user: account.name, userCreatedAt: NOW, tokenId: null, role: account.role },
      uses: null,
      pinHash: null,
      notifiesOnOpen: false,
      createdAt: NOW,
      expiresAt: NOW + 60,
    };
    assert.equal(await house.grants.add('link', link, 5), 'added');
    const code = { deviceHash: 'd', userHash: 'u', address: 'a', agent: null, createdAt: NOW, expiresAt: NOW + 60 };
    assert.equal(await house.screenCodes.addCode({ ...code, state: 'pending', screenId: null }, 5), 'added');
    assert.equal(await barn.grants.find('link', { secretHash: 's1' }), undefined);
    assert.equal(await barn.grants.revoke('link', { id: 'l1' }, NOW), 'absent');
    assert.deepEqual(await barn.grants.list('link'), []);
    assert.equal(await barn.screenCodes.findCode({ userHash: 'u' }), undefined);
    assert.equal(await barn.screenCodes.denyCode('u', NOW), 'gone');
    const screen = {
      ...NEW_GRANT,
      id: 'n1',
      secretHash: null,
      name: 'wall',
      user: account.name,
      userCreatedAt: NOW,
      createdAt: NOW,
      agent: null,
    };
    assert.equal(await barn.screenCodes.confirmCode('u', screen, 5), 'gone');
    assert.equal(await house.screenCodes.confirmCode('u', screen, 5), 'confirmed');
    assert.equal(await barn.grants.find('screen', { id: 'n1' }), undefined);
    assert.equal(await barn.grants.revoke('screen', { id: 'n1' }, 0), 'absent');
    assert.equal((await house.grants.list('screen'))[0]?.id, 'n1');
  });

  it('a site is listed, renamed with its links, and forgotten', { timeout: 300_000 }, async () => {
    const record = { cameras: ['hall'], roles: [], keyId: 'k', changedAt: NOW };
    for (const site of ['', 'barn']) await house.sites.publishSite({ ...record, site });
    const env = { POSTERN__STORE__URL: url };
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await runPostern(['sites', ...words], { directory, env });
      return [code, `${stdout}${stderr}`.trim()] as const;
    };
    assert.match((await run('list'))[1], /^- +cameras: hall +roles of its file: none\nbarn +cameras: hall/);
    assert.match((await run('rename', '-', 'barn'))[1], /There is a site barn already/);
    assert.match((await run('rename', '-', 'Big'))[1], /"Big" is not a name of a site/);
    assert.deepEqual(await run('rename', 'attic', 'loft'), [
      1,
      'There is no site attic: "postern sites list" shows all',
    ]);
    const [code, text] = await run('rename', '-', 'house');
    assert.deepEqual([code, /server\.site: house/.test(text)], [0, true]);
    assert.equal((await run('forget', 'barn'))[0], 0);
    assert.deepEqual(
      (await house.sites.listSites()).map(({ site }) => site),
      ['house'],
    );
  });
});
