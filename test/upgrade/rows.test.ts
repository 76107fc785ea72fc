/** Stores of 0.2.0 with a row of every table, on both engines: what becomes of each (SPEC 1, 10). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { siteWarnings } from '../../src/app/accounts/site-warnings.ts';
import { openForLedger } from '../../src/app/commands/ledger.ts';
import { cutOff } from '../../src/ledger/spans.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { event } from '../events/support/event.ts';
import { movableClock } from '../support/clock.ts';
import { newDirectory } from '../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tables whose rows become other ones, or none; all others are as they were, but for columns that they have lost or got. */
const CHANGED: readonly string[] = ['curtain', 'sites', 'ledger_chains', 'ledger_open', 'kysely_migration'];
const DROPPED: readonly string[] = ['identity_keys', 'kysely_migration_lock', 'postern_settings'];

const dumpOf = (engine: string): string =>
  gunzipSync(readFileSync(join(import.meta.dirname, `data/0.2.0-${engine}.sql.gz`))).toString();

const engines: Record<
  string,
  { skip: string | false; restore: () => Promise<string>; rows: (url: string, query: string) => Promise<Row[]> }
> = {
  SQLite: {
    skip: false,
    async restore() {
      const path = join(newDirectory(), 'postern.db');
      const file = new DatabaseSync(path);
      file.exec(dumpOf('sqlite'));
      file.close();
      return `sqlite:${path}`;
    },
    async rows(url, query) {
      const file = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
      const rows = file.prepare(query).all() as Row[];
      file.close();
      return rows;
    },
  },
  PostgreSQL: {
    skip: withoutPostgres,
    async restore() {
      server ??= await startPostgres();
      const url = await server.newDatabase();
      // Lines that begin so are for psql.
      await asked(url, dumpOf('postgres').replaceAll(/^\\.*$/gm, ''));
      return url;
    },
    rows: async (url, query) => (await asked(url, query)).rows,
  },
};
let server: TestPostgres | undefined;
after(() => server?.stop());

async function asked(url: string, text: string): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(text);
  } finally {
    await client.end();
  }
}

for (const [name, { skip, restore, rows }] of Object.entries(engines))
  describe(`A store of 0.2.0 on ${name}`, { skip }, () => {
    let url: string;
    let store: Store;
    const was = new Map<string, readonly Row[]>();
    const tables =
      name === 'SQLite'
        ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
        : "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition";
    const all = (table: string): Promise<Row[]> => rows(url, `select * from ${table}`);
    before(async () => {
      url = await restore();
      for (const { name: table } of await rows(url, tables)) was.set(String(table), await all(String(table)));
      store = await openStore({ url });
    });
    after(() => store?.close());

    it('has a row of every table', () => {
      assert.ok(was.size > 25);
      for (const [table, found] of was) assert.ok(found.length > 0 || table === 'kysely_migration_lock', table);
    });

    it('keeps them', async () => {
      for (const [table, before] of was) {
        if (CHANGED.includes(table) || DROPPED.includes(table)) continue;
        const now = await all(table);
        const columns = Object.keys(before[0] ?? {}).filter((column) => column in (now[0] ?? {}));
        assert.ok(columns.length > 0, table);
        const text = (list: readonly Row[]) =>
          list.map((row) => JSON.stringify(columns.map((column) => String(row[column])))).sort();
        if (table !== 'ledger_records') assert.deepEqual(text(now), text(before), table);
        else
          assert.deepEqual(
            text(before).filter((row) => !text(now).includes(row)),
            [],
            table,
          );
      }
    });

    it('has lost the tables that nothing reads any more', async () => {
      const left = (await rows(url, tables)).map((table) => String(table['name']));
      assert.equal(left.includes('identity_keys'), false);
      for (const table of was.keys())
        if (!DROPPED.includes(table) && !CHANGED.includes(table)) assert.ok(left.includes(table), table);
    });

    it('hides behind the curtain at least what it hid: for all but admins, and by the bare name where an entry named a site', async () => {
      const drawn = await store.curtain.listDrawn();
      assert.deepEqual(
        drawn.map(({ camera, until, by }) => [camera, until, by]),
        [
          ['*:hall', undefined, 'admin'],
          ['barn:yard', undefined, 'admin'],
          ['garden*', undefined, 'admin'],
          ['porch', undefined, 'admin'],
          ['yard', 1900000000, 'token:button'],
        ],
      );
      const [{ limits: _, ...night } = assert.fail()] = (await store.roles.listRoles()).filter(
        ({ role }) => (role as string) === 'night',
      );
      assert.deepEqual(night, { role: 'night', cameras: ['porch', 'mill:yard'] }, 'which opens no camera yard');
      assert.deepEqual((await store.sites.listSites())[0]?.roles, ['night']);
    });

    it('has its start name the roles and tokens that hold a camera with a site', async () => {
      const settings = { server: { site: 'house', sites: [] }, auth: { roles: new Map() } };
      const told = await siteWarnings(settings as never, store, []);
      assert.deepEqual(
        told.map((sentence) => sentence.slice(0, sentence.indexOf(' names a site'))),
        ['the role milled: "mill:*"', 'the role night: "mill:yard"', 'the API token "phone" of admin: "mill:yard"'],
      );
    });

    it('answers its events', async () => {
      const ids = (await store.events.read(['e0', 'e3', 'early', 'late'], { thumbnails: true })).map(({ id }) => id);
      assert.deepEqual(ids.sort(), ['e0', 'e3', 'early', 'late']);
    });

    it('goes on with one chain, whose first record holds the heads of those of before, and ends what they left open', async () => {
      const left = await store.ledger.left(1_770_000_000);
      const spans = (was.get('ledger_open') ?? []).map(({ id }) => id);
      assert.deepEqual(
        left.map(({ id }) => id),
        [...spans].sort(),
      );
      const records = await store.ledger.append({ ended: left.map(cutOff), open: [] }, 1_770_000_000);
      const [begun, ...rest] = records;
      const heads = (was.get('ledger_chains') ?? []).map(({ chain, seq, hash }) => `${chain}:${seq}:${hash}`);
      assert.ok(heads.length > 2);
      assert.deepEqual(
        String(JSON.parse(begun?.detail ?? '').heads)
          .split(' ')
          .sort(),
        heads.sort(),
      );
      assert.deepEqual([begun?.chain, rest.length, await all('ledger_open')], ['store1', spans.length, []]);
    });

    it('has its ledger whole', async () => {
      await store.close();
      const ledger = await openForLedger({
        directory: newDirectory(),
        env: { POSTERN__STORE__URL: url },
        clock: movableClock(1_770_000_000_000),
      });
      const { misfits } = await ledger.verify([], () => {});
      await ledger.close();
      assert.deepEqual(misfits, []);
      store = await openStore({ url });
    });

    it('is written on', async () => {
      const [before] = await rows(url, 'select count(*) as n from events');
      await store.writeEvents([event({ id: 'new' }), event({ id: 'e3', label: 'replaced' })]);
      const [now] = await rows(url, 'select count(*) as n from events');
      assert.equal(Number(now?.['n']), Number(before?.['n']) + 1);
    });
  });
