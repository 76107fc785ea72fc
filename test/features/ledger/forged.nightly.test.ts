/** Forgeries by SQL: whatever somebody writes into the tables of the ledger, `ledger verify` names it, and the ledger is written on (SPEC 14). */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { configSchema } from '../../../src/app/resources/features.ts';
import { linkEntries } from '../../../src/features/ledger/chain.ts';
import { type ChainHead, currentHead } from '../../../src/features/ledger/records.ts';
import { openForLedger } from '../../../src/features/ledger/whole-ledger.ts';
import { batchOf, liveAt } from '../../support/own-entries.ts';
import { newDirectory } from '../../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../../support/servers/postgres.ts';
import { startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { openStore, type Store } from '../../support/whole-store.ts';

const DAY = 86_400;
const NOW = 1_800_000_000;
const BEFORE = NOW - 90 * DAY;

const endedAt = (...times: readonly number[]) => batchOf(times.map((at) => liveAt(at)));
const idOf = (chain: string, seq: number): string => `${chain}-${String(seq).padStart(12, '0')}`;

/** The forged row is a copy of a true one, in another place. */
const copyTo = (id: string, chain: string, from: string): string =>
  `insert into ledger_records (id, chain, kind, user_name, from_at, to_at, detail, hash) select '${id}', '${chain}', kind, user_name, from_at, to_at, detail, hash from ledger_records where id = '${from}'`;

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

for (const { end } of ENGINES) after(end);
for (const { name, skip, newUrl } of ENGINES) {
  describe(`A ledger on ${name} whose tables somebody else writes`, { skip }, () => {
    const directory = newDirectory();
    let url = '';
    let store: Store;
    const chain = 'store1';
    /** The heads behind the 2nd, the 5th and the last record. */
    let heads: readonly ChainHead[] = [];
    const head = async (): Promise<ChainHead> => currentHead(await store.ledger.heads()) ?? assert.fail();
    const run = async (statement: string): Promise<void> => void (await sql.raw(statement).execute(store.db));
    const deleteOld = (at: number) =>
      store.ledger.forgetBefore({ at, before: BEFORE, day: '2026-10-17', retentionDays: 90 });

    beforeEach(async () => {
      url = await newUrl();
      store = await openStore({ url });
      opened.push(store);
      const append = (...times: readonly number[]) => store.ledger.append(endedAt(...times), NOW);
      await append(BEFORE - 40, BEFORE - 30);
      const second = await head();
      await append(BEFORE - 20, BEFORE + 10, BEFORE + 20);
      const fifth = await head();
      await append(NOW - 30, NOW - 20, NOW - 10);
      heads = [second, fifth, await head()];
    });
    const opened: Store[] = [];
    after(() => Promise.all(opened.map((one) => one.close())));
    before(() => void directories.push(directory));

    const verified = async (noted: readonly ChainHead[] = [], now = NOW) => {
      const place = {
        directory,
        schema: configSchema,
        env: { POSTERN__STORE__URL: url },
        clock: { now: () => now * 1000 },
      };
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

    it('tells a deletion by a clock that was ahead', async () => {
      await store.ledger.append(endedAt(NOW - 5), NOW);
      const what = { before: NOW + 3000 * DAY, day: '2035-01-01', retentionDays: 90 };
      await store.ledger.forgetBefore({ ...what, at: NOW + 3090 * DAY });
      assert.equal((await listed()).length, 1);
      assert.match(
        (await verified())[0] ?? '',
        /000000000010 tells that the records up to .*000000000009 were deleted/,
      );
      await store.ledger.append(endedAt(NOW), NOW);
      assert.match(
        (await verified([], NOW + 4000 * DAY))[0] ?? '',
        /before their time: .*000000000011 behind it ended/,
      );
    });

    it('is written on in another chain where a forged row has the next number, and the row is named', async () => {
      await run(copyTo(idOf(chain, 9), chain, idOf(chain, 8)));
      await run(copyTo(idOf(chain, 99), chain, idOf(chain, 8)));
      await store.ledger.append(endedAt(NOW + 1), NOW);
      await store.ledger.append(endedAt(NOW + 2), NOW);
      assert.deepEqual(await head().then(({ chain, seq }) => [chain, seq]), ['store2', 3]);
      for (const noted of [[], heads])
        assert.deepEqual(
          (await verified(noted)).map((line) => line.slice(0, 32)),
          ['store1-000000000009 does not fit'],
        );
    });

    it('is written on in another chain where the head was deleted, and what stood behind it is named', async () => {
      await run(`delete from ledger_chains where chain = '${chain}'`);
      await store.ledger.append(endedAt(NOW + 1), NOW);
      assert.deepEqual(await head().then(({ chain, seq }) => [chain, seq]), ['store2', 1]);
      assert.match((await verified(heads)).join(), /store1-000000000001 and all behind it stand in no chain/);
    });

    it('tells an end that was cut where another chain begins, by the record of its begin', async () => {
      await run(copyTo(idOf(chain, 9), chain, idOf(chain, 8)));
      await store.ledger.append(endedAt(NOW + 1), NOW);
      await run(`delete from ledger_records where id >= '${idOf(chain, 7)}' and chain = '${chain}'`);
      await run(
        `update ledger_chains set seq = 6, hash = (select hash from ledger_records where id = '${idOf(chain, 6)}') where chain = '${chain}'`,
      );
      assert.deepEqual(await verified(), [
        'store1-000000000008 is not the end of its chain, as store2-000000000001 names it',
      ]);
      await run(`delete from ledger_records where chain = '${chain}'`);
      await run(`delete from ledger_chains where chain = '${chain}'`);
      assert.equal((await verified()).length, 1, 'all of it is gone, and no record tells of that');
    });
  });
}

/** A store as version 0.2.0 left it: a chain for each process, of several sites. */
for (const { name, skip, newUrl } of ENGINES)
  describe(`A ledger on ${name} that has the chains of a former version`, { skip }, () => {
    const OLD = { main: [BEFORE - 40, BEFORE - 30, NOW - 9], cli: [NOW - 8], 'barn:replica-1': [BEFORE - 20, NOW - 7] };
    let store: Store;
    let url = '';
    const directory = newDirectory();
    const verified = async (noted: readonly ChainHead[] = []) => {
      const place = {
        directory,
        schema: configSchema,
        env: { POSTERN__STORE__URL: url },
        clock: { now: () => NOW * 1000 },
      };
      const command = await openForLedger(place);
      const { misfits, chains } = await command.verify(noted, () => {});
      await command.close();
      return [misfits.map(({ id, why }) => `${id} ${why}`), chains.map(({ chain, records }) => [chain, records])];
    };
    const run = async (statement: string): Promise<void> => void (await sql.raw(statement).execute(store.db));
    const oldHeads: ChainHead[] = [];
    before(() => void directories.push(directory));
    after(() => store?.close());
    beforeEach(async () => {
      await store?.close();
      oldHeads.length = 0;
      url = await newUrl();
      store = await openStore({ url });
      for (const [chain, times] of Object.entries(OLD)) {
        const records = linkEntries(
          { chain, seq: 0, hash: '0'.repeat(64) },
          times.map((at) => liveAt(at)),
        );
        for (const { seq, hash, from, to } of records)
          await run(
            `insert into ledger_records (id, chain, kind, user_name, credential, address, camera, from_at, to_at, hash) values ('${idOf(chain, seq)}', '${chain}', 'live', 'ann', 'session', '192.0.2.1', 'porch', ${from}, ${to}, '${hash}')`,
          );
        const last = records.at(-1) ?? assert.fail();
        oldHeads.push({ chain, seq: last.seq, hash: last.hash });
        await run(`insert into ledger_chains values ('${chain}', ${last.seq}, '${last.hash}')`);
      }
    });

    it('is verified as it was, and the first record of the new chain holds the heads', async () => {
      const [begun] = await store.ledger.append(endedAt(NOW), NOW);
      const { heads } = JSON.parse(begun?.detail ?? '');
      assert.deepEqual(
        heads.split(' ').sort(),
        oldHeads.map(({ chain, seq, hash }) => `${chain}:${seq}:${hash}`).sort(),
      );
      assert.deepEqual(await verified(oldHeads), [
        [],
        [
          ['barn:replica-1', 2],
          ['cli', 1],
          ['main', 3],
          ['store1', 2],
        ],
      ]);
      assert.equal((await store.ledger.find({ sight: undefined }, 100)).length, 8);
    });

    for (const [what, chain] of [
      ['changed', 'main'],
      ['cut off', 'cli'],
    ] as const)
      it(`is told where an old chain was ${what} since then, also where its head was written anew`, async () => {
        await store.ledger.append(endedAt(NOW), NOW);
        await run(`delete from ledger_records where id = '${idOf(chain, OLD[chain].length)}'`);
        await run(
          OLD[chain].length === 1
            ? `delete from ledger_chains where chain = '${chain}'`
            : `update ledger_chains set seq = 2, hash = (select hash from ledger_records where id = '${idOf(chain, 2)}') where chain = '${chain}'`,
        );
        const [misfits = []] = await verified();
        assert.match(String(misfits[0]), /is not the end of its chain, as store1-000000000001 names it/);
      });

    it('forgets its old end from all chains, and a chain of which nothing is left', async () => {
      await store.ledger.append(endedAt(NOW), NOW);
      const forget = (before: number, at: number) =>
        store.ledger.forgetBefore({ at, before, day: '2026-10-17', retentionDays: 90 });
      assert.equal(await forget(BEFORE, NOW), 3);
      const kept = [
        ['barn:replica-1', 1],
        ['cli', 1],
        ['main', 1],
        ['store1', 4],
      ];
      assert.deepEqual(await verified(), [[], kept]);
      assert.equal(await forget(NOW - 1, NOW - 1 + 90 * DAY), 3);
      assert.deepEqual(
        (await store.ledger.heads()).map(({ chain }) => chain),
        ['store1'],
      );
      assert.deepEqual(await store.ledger.closings(), []);
    });
  });

describe('A service whose ledger somebody else writes', () => {
  it('writes on in another chain, and says so in the log and in a metric', async () => {
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
        "insert into ledger_records (id, chain, kind, user_name, from_at, to_at, detail, hash) select printf('store1-%012d', seq + 1), chain, 'change', 'mallory', 1, 1, '{}', hash from ledger_chains",
      );
      database.close();
      const known = (await changes()).length;
      await change('second');
      await until('what follows is written', async () => (await changes()).length > known);
      const said = () => postern.log.find(({ msg }) => /tables of the ledger were changed/.test(String(msg)));
      await until('the batch that was written is told', () => said() !== undefined);
      const line = said();
      assert.deepEqual([line?.['level'], /ledger verify/.test(String(line?.['msg']))], ['error', true]);
      const metrics = await (await fetch(`${postern.telemetryUrl}/metrics`)).text();
      assert.match(metrics, /^postern_ledger_forged_rows_total 1$/m);
      assert.ok((await changes()).some(({ id }) => id.startsWith('store2-')));
    } finally {
      await postern.close();
    }
  });
});
