/** Stores of 0.2.0 with a row of every table, on both engines: what becomes of each (SPEC 1, 10). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { siteWarnings } from '../../src/accounts/sites/sites.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import { cutOff } from '../../src/features/ledger/spans.ts';
import { openForLedger } from '../../src/features/ledger/whole-ledger.ts';
import type { MovedEvents } from '../../src/store/engine/engine.ts';
import { event } from '../events/support/event.ts';
import { movableClock } from '../support/clock.ts';
import { newDirectory } from '../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openStore, type Store } from '../support/whole-store.ts';

type Row = Readonly<Record<string, unknown>>;

/** Tables whose rows become other ones, or none; all others are as they were, but for columns that they have lost or got. */
const CHANGED: readonly string[] = [
  ...['curtain', 'sites', 'ledger_chains', 'ledger_open', 'event_writes', 'kysely_migration'],
];
const DROPPED: readonly string[] = ['identity_keys', 'kysely_migration_lock'];

/** Where the rows of a table are now, with all that they had. */
const BECAME: Readonly<Record<string, string>> = {
  api_tokens: `select grants.*, manages_accounts, logs_in, case made_for when 'curtain' then 1 else 0 end as is_for_curtain
    from grants join token_rights using (id) where kind = 'api-token'`,
  links: "select * from grants join link_terms using (id) where kind = 'link'",
  link_openings: 'select * from openings',
  screens: `select grants.*, agent, expires_at as ends_at, last_used_at as last_seen_at, last_used_from as last_seen_from
    from grants join screen_displays using (id) where kind = 'screen'`,
  invitations: `select grants.*, made_by, secret_hash as token_hash, last_used_at as used_at
    from grants join invitation_terms using (id) where kind = 'invitation'`,
};

const dumpOf = (engine: string): string =>
  gunzipSync(readFileSync(join(import.meta.dirname, `data/0.2.0-${engine}.sql.gz`))).toString();

const MOVED = [1, 3, 5, 6, 8].map((events, at) => ({ events, monthsLeft: 4 - at }));

interface Engine {
  readonly skip: string | false;
  empty(): Promise<string>;
  restore(url: string): Promise<void>;
  rows(url: string, query: string): Promise<Row[]>;
  /** Queries. */
  readonly tables: string;
  readonly schema: string;
}

const engines: Readonly<Record<string, Engine>> = {
  SQLite: {
    skip: false,
    empty: async () => `sqlite:${join(newDirectory(), 'postern.db')}`,
    async restore(url) {
      const file = new DatabaseSync(url.slice('sqlite:'.length));
      file.exec(dumpOf('sqlite'));
      file.close();
    },
    async rows(url, query) {
      const file = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
      const rows = file.prepare(query).all() as Row[];
      file.close();
      return rows;
    },
    tables: "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'",
    schema: `select t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk from sqlite_schema as t, pragma_table_info(t.name) as c
      where t.type = 'table' and t.name not like 'sqlite%'
      union all select t.name, i.name, i."unique", group_concat(c.name), '', '' from sqlite_schema as t,
        pragma_index_list(t.name) as i, pragma_index_info(i.name) as c where t.type = 'table' group by 1, 2
      union all select name, sql, '', '', '', '' from sqlite_schema where type in ('index', 'trigger') and sql is not null`,
  },
  PostgreSQL: {
    skip: withoutPostgres,
    async empty() {
      server ??= await startPostgres();
      return server.newDatabase();
    },
    // Lines that begin so are for psql.
    restore: async (url) => void (await asked(url, dumpOf('postgres').replaceAll(/^\\.*$/gm, ''))),
    rows: async (url, query) => (await asked(url, query)).rows,
    tables: `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    schema: `select concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable, column_default) as line
        from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
      union all select pg_get_statisticsobjdef(oid) from pg_statistic_ext
      union all select relname || relkind::text from pg_class where relnamespace = 'public'::regnamespace`,
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

for (const [name, { skip, empty, restore, rows, tables, schema }] of Object.entries(engines))
  describe(`A store of 0.2.0 on ${name}`, { skip }, () => {
    let url: string;
    let store: Store;
    const moved: MovedEvents[] = [];
    const was = new Map<string, readonly Row[]>();
    /** Engines write the same things in several ways. */
    const schemaOf = async (address: string): Promise<readonly string[]> =>
      (await rows(address, schema))
        .map((row) =>
          Object.values(row)
            .join(' ')
            .replaceAll(/["\s]+(?:asc\b)?/g, '')
            .toLowerCase(),
        )
        .sort();
    const all = (table: string): Promise<Row[]> => rows(url, `select * from ${table}`);
    before(async () => {
      url = await empty();
      await restore(url);
      for (const { name: table } of await rows(url, tables)) was.set(String(table), await all(String(table)));
      store = await openStore({ url, onMoved: (told) => moved.push(told) });
    });
    after(() => store?.close());

    it('has a row of every table', () => {
      assert.ok(was.size > 25);
      for (const [table, found] of was) assert.ok(found.length > 0 || table === 'kysely_migration_lock', table);
    });

    it('keeps them', async () => {
      for (const [table, before] of was) {
        if (CHANGED.includes(table) || DROPPED.includes(table)) continue;
        const moved = BECAME[table];
        const now = moved === undefined ? await all(table) : await rows(url, moved);
        const columns = Object.keys(before[0] ?? {}).filter((column) => column in (now[0] ?? {}));
        assert.ok(columns.length > 0, table);
        if (moved !== undefined) assert.deepEqual(columns, Object.keys(before[0] ?? {}), table);
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
        if (!DROPPED.includes(table) && !CHANGED.includes(table))
          assert.equal(left.includes(table), !(table in BECAME), table);
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
          ['yard', undefined, 'admin'],
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

    it('has the tables, indices, triggers and functions of a new store', async () => {
      const fresh = await empty();
      await (await openStore({ url: fresh })).close();
      assert.deepEqual(await schemaOf(url), await schemaOf(fresh));
    });

    it('answers its events', async () => {
      const ids = (await store.events.read(['e0', 'e3', 'early', 'late'], { thumbnails: true })).map(({ id }) => id);
      assert.deepEqual(ids.sort(), ['e0', 'e3', 'early', 'late']);
      // Four months, those outside of all months, and none on SQLite.
      assert.deepEqual(moved, name === 'SQLite' ? [] : MOVED);
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
        schema: configSchema,
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

it('Events by month are moved on by two at once after a start that was ended', { skip: withoutPostgres }, async () => {
  const { empty, restore, rows } = engines['PostgreSQL'] ?? assert.fail();
  const url = await empty();
  await restore(url);
  const before = await rows(url, 'select * from events order by id');
  let left = 2;
  const onMoved = (): void => {
    left -= 1;
    if (left === 0) throw new Error('killed');
  };
  await assert.rejects(openStore({ url, onMoved }), /^Error: killed$/);
  const kept = await rows(url, "select relname from pg_class where relname ~ '^events_[0-9]{4}_[0-9]{2}$'");
  assert.equal(kept.length, 3, 'the second of four was moved, and not yet dropped');
  const moved: number[] = [];
  const starts = [1, 2].map(() => openStore({ url, onMoved: ({ events }) => moved.push(events) }));
  for (const store of await Promise.all(starts)) await store.close();
  assert.deepEqual(await rows(url, 'select * from events order by id'), before);
  assert.deepEqual(
    await rows(url, "select relname from pg_class where relname like 'events_by%' or relkind = 'p'"),
    [],
  );
});
