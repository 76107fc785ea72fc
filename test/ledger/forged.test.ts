/** Forgeries by SQL: whatever somebody writes into the tables of the ledger, `ledger verify` names it, and the ledger is written on (SPEC 14). */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { openForLedger } from '../../src/app/commands/ledger.ts';
import type { ChainHead, LedgerEntry } from '../../src/domain/ledger.ts';
import { linkEntries } from '../../src/ledger/chain.ts';
import { repairingStore } from '../../src/ledger/chain-repair.ts';
import { deletionEntry, isOfDeletion } from '../../src/ledger/closings.ts';
import { listNotices } from '../../src/ledger/notices.ts';
import { ledgerDeletions } from '../../src/store/migrations/015-ledger-deletions.ts';
import { noticesInLedger } from '../../src/store/migrations/021-notices-in-ledger.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { newDirectory } from '../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const DAY = 86_400;
const NOW = 1_800_000_000;
const BEFORE = NOW - 90 * DAY;

const entryAt = (from: number): LedgerEntry => ({
  kind: 'live',
  user: 'ann',
  credential: 'session',
  address: '192.0.2.1',
  camera: 'porch',
  from,
  to: from + 5,
  watchedFrom: null,
  watchedTo: null,
  detail: null,
});
const endedAt = (...times: readonly number[]) => ({ ended: times.map((at) => ({ entry: entryAt(at) })), open: [] });
const idOf = (chain: string, seq: number): string => `${chain}-${String(seq).padStart(12, '0')}`;

/** The forged row is a copy of a true one, in another place. */
const copyTo = (id: string, chain: string, from: string): string =>
  `insert into ledger_records select '${id}', '${chain}', kind, user_name, credential, address, camera, from_at, to_at, watched_from, watched_to, detail, hash from ledger_records where id = '${from}'`;

interface Engine {
  readonly name: string;
  readonly skip: string | false;
  /** The address of a new store. */
  newUrl(): Promise<string>;
  end(): Promise<void>;
}

const directories: string[] = [];
let server: TestPostgres | undefined;
const ENGINES: readonly Engine[] = [
  {
    name: 'SQLite',
    skip: false,
    async newUrl() {
      const directory = newDirectory();
      directories.push(directory);
      return `sqlite:${directory}/postern.db`;
    },
    end: async () => directories.forEach((directory) => void rmSync(directory, { recursive: true, force: true })),
  },
  {
    name: 'PostgreSQL',
    skip: withoutPostgres,
    async newUrl() {
      server ??= await startPostgres();
      return server.newDatabase();
    },
    end: async () => server?.stop(),
  },
];

for (const { name, skip, newUrl, end } of ENGINES) {
  describe(`A ledger on ${name} whose tables somebody else writes`, { skip }, () => {
    const directory = newDirectory();
    let url = '';
    let store: Store;
    let chain = '';
    /** The heads behind the 2nd, the 5th and the last record. */
    let heads: readonly ChainHead[] = [];
    const head = async (): Promise<ChainHead> =>
      (await store.ledger.heads()).find((one) => one.chain === chain) ?? assert.fail();
    const run = async (statement: string): Promise<void> => void (await sql.raw(statement).execute(store.db));
    /** A migration again, by a connection that sees the statements of before. */
    const upgrade = async ({ up }: Migration): Promise<void> => {
      const { db, close } = await openStore({ url });
      await db.transaction().execute((tables) => up(tables as unknown as Kysely<never>));
      await close();
    };
    const deleteOld = async (at: number): Promise<void> => {
      const recordOf = (closing: Parameters<typeof deletionEntry>[0]) =>
        deletionEntry(closing, { at, before: BEFORE, retentionDays: 90 });
      const what = { chain, before: BEFORE, day: '2026-10-17', now: at };
      await store.ledger.forgetBefore({ ...what, recordOf, isOfDeletion, link: linkEntries });
    };

    beforeEach(async () => {
      url = await newUrl();
      store = await openStore({ url });
      opened.push(store);
      ({ chain } = await store.ledger.claimChain('11111111-a', NOW));
      const append = (...times: readonly number[]) =>
        store.ledger.append(chain, endedAt(...times), [], NOW, linkEntries);
      await append(BEFORE - 40, BEFORE - 30);
      const second = await head();
      await append(BEFORE - 20, BEFORE + 10, BEFORE + 20);
      const fifth = await head();
      await append(NOW - 30, NOW - 20, NOW - 10);
      heads = [second, fifth, await head()];
    });
    const opened: Store[] = [];
    after(async () => {
      await Promise.all(opened.map((one) => one.close()));
      await end();
    });
    before(() => void directories.push(directory));

    const verified = async (noted: readonly ChainHead[] = [], now = NOW) => {
      const place = { directory, env: { POSTERN__STORE__URL: url }, clock: { now: () => now * 1000 } };
      const command = await openForLedger(place);
      try {
        return (await command.verify(noted, () => {})).misfits.map(({ id, why }) => `${id} ${why}`);
      } finally {
        await command.close();
      }
    };
    const listed = async (): Promise<readonly string[]> =>
      (await store.ledger.find({ sight: undefined }, 1000)).map(({ id }) => id);

    it('fits while nobody does, also when old records were deleted', async () => {
      assert.deepEqual(await verified(heads), []);
      await deleteOld(NOW);
      assert.deepEqual(await verified(heads.slice(1)), []);
      assert.match((await verified(heads))[0] ?? '', /000000000002 was noted, and cannot be verified/);
    });

    const rows: readonly (readonly [
      forgery: string,
      statements: (chain: string) => readonly string[],
      named: RegExp,
    ])[] = [
      [
        'a row in the table of closings, and the records before it are deleted',
        (chain) => [
          `insert into ledger_closings select '${chain}-x', '${chain}', '2026-11-22', 5, hash, 5 from ledger_records where id = '${idOf(chain, 5)}'`,
          `delete from ledger_records where id <= '${idOf(chain, 5)}'`,
        ],
        /000000000005 was deleted with all before it, and no record behind it says so/,
      ],
      [
        'a closing of the whole chain, which leaves nothing',
        (chain) => [
          `insert into ledger_closings select '${chain}-x', chain, '2026-11-22', seq, hash, 8 from ledger_chains where chain = '${chain}'`,
          'delete from ledger_records',
        ],
        /000000000008 was deleted with all before it, and no record/,
      ],
      ['a row behind the end', (chain) => [copyTo(idOf(chain, 9), chain, idOf(chain, 8))], /000000000009 does not fit/],
      [
        'a row far behind the end',
        (chain) => [copyTo(idOf(chain, 99), chain, idOf(chain, 8))],
        /000000000009 is missing: the next one there is .*000000000099/,
      ],
      [
        'rows of a chain that has no head',
        (chain) => [copyTo(idOf('other', 1), 'other', idOf(chain, 8))],
        /^other-000000000001 /,
      ],
      [
        'a row whose id is no place in a chain',
        (chain) => [copyTo(`${chain}-1a`, chain, idOf(chain, 8))],
        /-1a has no place in a chain/,
      ],
      [
        'a row whose id is of another chain than the row says',
        (chain) => [copyTo(idOf('other', 1), chain, idOf(chain, 8))],
        /^other-000000000001 has no place in a chain/,
      ],
      [
        'a head that is gone',
        (chain) => [`delete from ledger_chains where chain = '${chain}'`],
        /000000000001 and all behind it stand in no chain that the table of chains names/,
      ],
      [
        'a head that stands before the end',
        (chain) => [
          `update ledger_chains set seq = 6, hash = (select hash from ledger_records where id = '${idOf(chain, 6)}') where chain = '${chain}'`,
        ],
        /000000000007 stands behind .*000000000006, the end of its chain/,
      ],
      [
        'a viewing that goes on in a chain that is not there',
        () => [
          "insert into ledger_open (id, chain, kind, from_at, to_at) values ('x', 'other', 'live', 1800000000, 1800000000)",
        ],
        /^other-… is the place of 1 records/,
      ],
    ];
    for (const [forgery, statements, named] of rows)
      it(`has named by verify, with and without noted heads: ${forgery}`, async () => {
        for (const statement of statements(chain)) await run(statement);
        for (const noted of [[], heads]) {
          const found = await verified(noted);
          assert.ok(
            found.some((line) => named.test(line)),
            found.join('\n'),
          );
        }
      });

    it('fits after the upgrade of a store whose deletions no record of the chain told', async () => {
      const closing = `insert into ledger_closings select '${chain}-x', chain, '2026-10-17', 3, hash, 3 from ledger_records where id = '${idOf(chain, 3)}'`;
      for (const statement of [closing, `delete from ledger_records where id <= '${idOf(chain, 3)}'`])
        await run(statement);
      assert.notDeepEqual(await verified(heads.slice(1)), []);
      await upgrade(ledgerDeletions);
      assert.deepEqual(await verified(heads.slice(1)), []);
      assert.equal((await head()).seq, 9);
      await upgrade(ledgerDeletions);
      assert.equal((await head()).seq, 9, 'what is told is not told again');
    });

    it('has the notices of a former version after its upgrade, each once, in a chain that fits', async () => {
      const recorded = {
        ...entryAt(NOW + 0.5),
        kind: 'change',
        credential: null,
        camera: null,
        to: NOW + 0.5,
      } as const;
      const detail = '{"what":"token-created","tokenId":"t1"}';
      await store.ledger.append(chain, { ended: [{ entry: { ...recorded, detail } }], open: [] }, [], NOW, linkEntries);
      await run(
        'create table account_notices (id text, user_name text, kind text, at double precision, done_by text, address text, agent text, detail text)',
      );
      for (const row of [
        `'a', 'ann', 'token-created', ${NOW}, 'ann', '192.0.2.1', 'Firefox', 't1'`, // the ledger has it
        `'b', 'ann', 'password-changed', ${NOW + 7}, 'boss', '192.0.2.9', null, null`,
        `'c', 'ann', 'new-device', ${NOW + 3}, 'ann', '192.0.2.3', 'Firefox', 'totp'`,
        `'d', 'bob', 'new-device', ${NOW + 4}, 'bob', '192.0.2.4', null, null`,
      ])
        await run(`insert into account_notices values (${row})`);
      await upgrade(noticesInLedger);
      const told = await listNotices('ann', BEFORE, store.ledger);
      assert.deepEqual(
        told.map(({ id: _, user: __, ...notice }) => Object.values(notice)),
        [
          ['password-changed', NOW + 7, 'boss', '192.0.2.9', null, null],
          ['new-device', NOW + 3, 'ann', '192.0.2.3', 'Firefox', 'totp'],
          ['token-created', NOW, 'ann', '192.0.2.1', null, 't1'],
        ],
      );
      assert.deepEqual(await verified(), []);
    });

    it('tells a deletion by a clock that was ahead', async () => {
      await store.ledger.append(chain, endedAt(NOW - 5), [], NOW, linkEntries);
      const what = { chain, before: NOW + 3000 * DAY, day: '2035-01-01', now: NOW };
      const cause = { at: NOW + 3090 * DAY, before: what.before, retentionDays: 90 };
      const recordOf = (closing: Parameters<typeof deletionEntry>[0]) => deletionEntry(closing, cause);
      await store.ledger.forgetBefore({ ...what, recordOf, isOfDeletion, link: linkEntries });
      assert.equal((await listed()).length, 1);
      assert.match(
        (await verified())[0] ?? '',
        /000000000010 tells that the records up to .*000000000009 were deleted/,
      );
      await store.ledger.append(chain, endedAt(NOW), [], NOW, linkEntries);
      assert.match(
        (await verified([], NOW + 4000 * DAY))[0] ?? '',
        /before their time: .*000000000011 behind it ended/,
      );
    });

    it('is written on behind a forged row with the next number, which keeps its text and is named', async () => {
      const told: unknown[] = [];
      const mending = repairingStore(store.ledger, (_, mended) => told.push(mended));
      await run(copyTo(idOf(chain, 9), chain, idOf(chain, 8)));
      await run(copyTo(idOf(chain, 999_999_999_999), chain, idOf(chain, 8)));
      await assert.rejects(store.ledger.append(chain, endedAt(NOW + 1), [], NOW, linkEntries));
      await mending.append(chain, endedAt(NOW + 1), [], NOW, linkEntries);
      await deleteOld(NOW);
      assert.deepEqual(told, [{ rows: 2, first: idOf(chain, 9), isHeadRestored: false }]);
      const found = await verified();
      assert.equal(found.length, 2, found.join('\n'));
      for (const line of found) assert.match(line, /^foreign-[0-9a-f]{8}-.* has no place in a chain/);
      assert.equal((await listed()).filter((id) => id.startsWith('foreign-')).length, 2);
    });

    it('is written on behind a head that was deleted, before and after a start', async () => {
      const mending = repairingStore(store.ledger, () => {});
      await run(`delete from ledger_chains where chain = '${chain}'`);
      await mending.append(chain, endedAt(NOW + 1), [], NOW, linkEntries);
      assert.deepEqual(await verified(heads), []);
      if (name !== 'SQLite') return; // a replica that starts makes a chain of its own
      await run(`delete from ledger_chains where chain = '${chain}'`);
      const again = await store.ledger.claimChain('22222222-b', NOW + 100);
      await store.ledger.append(again.chain, endedAt(NOW + 2), [], NOW, linkEntries);
      assert.deepEqual(await verified(heads), []);
      assert.equal((await head()).seq, 10);
    });
  });
}

describe('A service whose ledger somebody else writes', () => {
  it('writes on, says so in the log and in a metric, and lists the forged row by another id', async () => {
    const postern = await startInstance();
    const ask = (path: string, options?: RequestInit) => fetch(`${postern.internalUrl}${path}`, options);
    const changes = async (): Promise<readonly { id: string; user: string | null; detail?: { role?: string } }[]> =>
      (await (await ask('/api/ledger?kind=change&limit=1000')).json()) as [];
    const change = (role: string): Promise<Response> =>
      ask(`/api/roles/${role}`, {
        method: 'PUT',
        body: '{"cameras":["cam1"]}',
        headers: { 'content-type': 'application/json' },
      });
    try {
      await change('first');
      await until('it is written', async () => (await changes()).some(({ user }) => user !== 'mallory'));
      const database = new DatabaseSync(`${postern.directory}/postern.db`);
      database.exec(
        "insert into ledger_records select printf('main-%012d', seq + 1), 'main', 'change', 'mallory', null, null, null, 1, 1, null, null, '{}', hash from ledger_chains where chain = 'main'",
      );
      database.close();
      const known = (await changes()).length;
      await change('second');
      await until('what follows is written', async () => (await changes()).length > known);
      const line = postern.log.find(({ msg }) => /tables of the ledger were changed/.test(String(msg)));
      assert.deepEqual([line?.['level'], /ledger verify/.test(String(line?.['msg']))], ['error', true]);
      const metrics = await (await fetch(`${postern.telemetryUrl}/metrics`)).text();
      assert.match(metrics, /^postern_ledger_forged_rows_total 1$/m);
      const forged = (await changes()).find(({ user }) => user === 'mallory');
      assert.match(forged?.id ?? '', /^foreign-/);
    } finally {
      await postern.close();
    }
  });
});
