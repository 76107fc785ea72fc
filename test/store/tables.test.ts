/** The register of tables beside the tables themselves, on both engines: no column is missing, and what is written comes back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import type { UserName } from '../../src/domain/names.ts';
import '../../src/features/all.ts';
import { Queries } from '../../src/store/engine/rows.ts';
import { isNoted, mayChangeVerdict, type Table, type TableName, tablesWhere } from '../../src/store/engine/tables.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openStore, type Store } from '../support/whole-store.ts';
import { makeScratch } from './support/scratch-store.ts';

const REGISTER = tablesWhere(() => true);
const scratch = makeScratch();
after(scratch.remove);
let postgres: TestPostgres;
before(async () => {
  if (!withoutPostgres) postgres = await startPostgres();
});
after(() => postgres?.stop());

/** Texts that look like JSON, or like what JavaScript knows. */
const TEXT = fc.oneof(
  fc.constantFrom('[1]', '{}', '["a"]', '{"__proto__":1}', '__proto__', 'constructor', 'null', '1', '', ' ', '😀 ‮'),
  fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
);
const JSON_VALUE = fc.oneof(
  fc.array(TEXT),
  fc.dictionary(
    TEXT.filter((name) => name !== '__proto__'),
    TEXT,
  ),
);

/** A record of the table, with what no record holds beside it. */
function recordsOf({ columns }: Table): fc.Arbitrary<readonly [record: object, hidden: object]> {
  const made: Record<string, fc.Arbitrary<unknown>> = {};
  const hidden: Record<string, unknown> = {};
  for (const [column, { kind, isNullable, isOptional, field }] of Object.entries(columns)) {
    const name = field ?? column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value: fc.Arbitrary<unknown> = {
      text: TEXT,
      number: fc.nat(2 ** 31 - 1),
      flag: isOptional ? fc.constant(true) : fc.boolean(),
      json: JSON_VALUE,
      boolean: fc.boolean(),
    }[kind] as fc.Arbitrary<unknown>;
    if (name === false) hidden[column] = kind === 'number' || kind === 'flag' ? 0 : `hidden ${column}`;
    else if (isOptional) made[name] = fc.option(value, { nil: undefined });
    else made[name] = isNullable ? fc.option(value) : value;
  }
  return fc.record(made).map((record) => [JSON.parse(JSON.stringify(record)), hidden]);
}

const byId = ({ id }: { readonly id: string }): string => id;
/** Tables whose rows stand beside a grant: its id. */
const OF_GRANTS: Partial<Record<TableName, (record: never) => string>> = {
  ...{ token_rights: byId, link_terms: byId, screen_displays: byId, invitation_terms: byId },
  openings: ({ linkId }: { readonly linkId: string }) => linkId,
};
async function addGrant(store: Store, id: string): Promise<void> {
  const db = new Queries(store.db);
  await db.delete('grants', {});
  const grant = { ...NEW_GRANT, id, secretHash: null, user: 'u' as UserName, userCreatedAt: null, createdAt: 1 };
  await db.insert('grants', grant, { kind: 'link' });
}

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  describe(`TABLES on ${engine}`, { skip: engine === 'PostgreSQL' && withoutPostgres }, () => {
    let store: Store;
    before(async () => {
      store = await openStore({ url: engine === 'SQLite' ? scratch.url : await postgres.newDatabase() });
    });
    after(() => store?.close());

    it('has every table and column that the store has, and says which may be null', async () => {
      const isFile = engine === 'SQLite';
      const { rows } = await (isFile
        ? sql<{ table: string; column: string; nullable: number | boolean }>`
            select t.name as "table", c.name as "column", c."notnull" = 0 and c.pk = 0 as nullable
            from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'kysely%'`
        : sql<{ table: string; column: string; nullable: number | boolean }>`
            select table_name as "table", column_name as "column", is_nullable = 'YES' as nullable
            from information_schema.columns
            where table_schema = 'public' and table_name not like 'kysely%' and table_name = any (${REGISTER.map(([name]) => name)})`
      ).execute(store.db);
      const found = rows.map(({ table, column, nullable }) => `${table}.${column}${nullable ? '?' : ''}`);
      const registered = REGISTER.flatMap(([table, { columns }]) =>
        Object.entries(columns).map(([column, { isNullable }]) => `${table}.${column}${isNullable ? '?' : ''}`),
      );
      assert.deepEqual(found.sort(), registered.sort());
    });

    for (const [name, table] of REGISTER)
      it(`gives back what was written, whatever it looks like: ${name}`, async () => {
        await fc.assert(
          fc.asyncProperty(recordsOf(table), async ([record, hidden]) => {
            await new Queries(store.db).delete(name, {});
            const grant = OF_GRANTS[name]?.(record as never);
            if (grant !== undefined) await addGrant(store, grant);
            await new Queries(store.db).insert(name, record as never, hidden);
            const [stored = {}] = await new Queries(store.db).list(name, {}, []);
            assert.deepEqual(unboxed(stored, table), record);
          }),
          { numRuns: 20 },
        );
      });

    it('finds, changes and deletes the rows that fulfil all of the tests', async () => {
      const db = new Queries(store.db);
      await db.delete('oidc_sessions', {});
      const session = (sessionId: string, expiresAt: number, sid?: string) => ({
        sessionId,
        issuer: 'https://id',
        subject: 'vera',
        expiresAt,
        ...(sid && { sid }),
      });
      const all = [session('a', 1), session('b', 2, '[1]'), session('c', 3, '{}')];
      for (const one of all) await db.insert('oidc_sessions', one);
      const ids = async (...[where, order]: [object, (readonly ('session_id' | '-expires_at')[])?]) =>
        (await db.list('oidc_sessions', where, order ?? ['session_id'])).map(({ sessionId }) => sessionId).join('');
      assert.deepEqual(await db.list('oidc_sessions', {}, ['-expires_at'], 2), [all[2], all[1]]);
      assert.equal(await ids({ sid: null }), 'a');
      assert.equal(await ids({ sid: { '!=': null }, subject: undefined }), 'bc');
      assert.equal(await ids({ session_id: ['a', 'c'] }), 'ac');
      assert.equal(await ids({ expires_at: { '>': 1, '<': 3 } }), 'b');
      assert.equal(await ids({ expires_at: { '<=': 2 }, sid: '[1]' }), 'b');
      assert.equal(await db.update('oidc_sessions', { expires_at: { '>=': 2 } }, { sid: null }), 2);
      await db.put('oidc_sessions', session('a', 9, '{"__proto__":1}'));
      assert.deepEqual(await db.find('oidc_sessions', { session_id: 'a' }), session('a', 9, '{"__proto__":1}'));
      await assert.rejects(db.delete('oidc_sessions', { session_id: undefined } as never), /compared with nothing/);
      assert.equal(await db.delete('oidc_sessions', { session_id: { '!=': 'a' } }), 2);
      assert.equal(await ids({}), 'a');
    });
  });

/** SQLite gives 0 and 1 for booleans, and the driver of PostgreSQL an object without a prototype for nothing of ours. */
const unboxed = (record: object, { columns }: Table): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      Object.entries(columns).some(
        ([column, { kind }]) =>
          kind === 'boolean' && column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) === name,
      ) && value !== null
        ? Boolean(value)
        : value,
    ]),
  );

describe('A statement changes verdicts', () => {
  // biome-ignore format: a table
  const rows: [statement: string, changes: boolean][] = [
    ['insert into "users" ("name") values (?)',                    true],
    ['update "users" set "role" = ?',                              true],
    ['delete from "custom_roles"',                                 true],
    ['update "grants" set "last_used_at" = ?',                 false],
    ['delete from "grants" where "id" = ?',                    true],
    ['update "link_terms" set "opened" = ?',                            false],
    ['update "link_terms" set "wrong_pins" = "wrong_pins" - $1 where "id" = $2', false],
    ['update "link_terms" set "opened" = ?, "uses" = ? where "id" = ?', true],
    ['update "link_terms" set "opened" = (select "uses" from "link_terms")', true],
    ['update "grants" set "last_used_at" = $1, "last_used_from" = $2 where "id" = $3', false],
    ['update "grants" set "last_used_at" = ?, "cameras" = ? where "last_used_at" = ?', true],
    ['update "grants" set "revoked_at" = ?',                       true],
    ['update "grants" set "cameras" = ?',                          true],
    ['insert into "grants" ("id") values (?)',                     true],
    ['insert into "seen_sessions" ("id") values (?)',              false],
    ['insert into "ledger_records" ("id") values (?)',             false],
    ['delete from events where id in (?)',                         false],
    ['with x as (select 1) update "seen_sessions" set "since" = 1', true],
    ['select * from "users"',                                      false],
  ];
  for (const [statement, changes] of rows)
    it(`${statement}: ${changes}`, () => assert.equal(mayChangeVerdict(statement), changes));
});

describe('An answer waits until a statement is on the disk', () => {
  // biome-ignore format: a table
  const rows: [statement: string, waits: boolean][] = [
    ['insert into "seen_sessions" ("id") values (?)',              false],
    ['update "grants" set "last_used_at" = ?, "last_used_from" = ? where "id" = ?', false],
    ['update "grants" set "revoked_at" = ?',                       true],
    ['update "link_terms" set "wrong_pins" = "wrong_pins" + ? where "id" = ? and "wrong_pins" < ?', true],
    ['update "link_terms" set "opened" = ? where "id" = ?',        true],
    ['insert into "known_clients" ("id") values (?)',              true],
  ];
  for (const [statement, waits] of rows) it(`${statement}: ${waits}`, () => assert.equal(isNoted(statement), !waits));
});
