/** Replicas of two neighbouring versions run on one store: what the version before writes is still there (SPEC 10, 8). */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Kysely } from 'kysely';
import { openStore } from '../../src/store/open-store.ts';
import { sqliteEngine } from '../../src/store/sqlite/sqlite.ts';
import { unpackRelease } from './make-fixture.ts';

/** Replicas of these are stopped, all of them, before the next version starts. */
const STOPPED_FIRST = ['0.2.0'];
/** What a release no longer wrote, `table` or `table.column`: the version after it may drop that. */
const UNWRITTEN: Readonly<Record<string, readonly string[]>> = {};

const RELEASES = readdirSync(join(import.meta.dirname, 'data'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));

type Change = (db: Kysely<never>) => Promise<void>;
/** By `table.column`: its type, and whether a row can be written without it. */
type Columns = ReadonlyMap<string, { readonly type: string; readonly isOptional: boolean }>;

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-additive-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The columns of a new store, and of one of a release, after a change beside its migrations. */
async function columnsOf(directory: string, change: Change = async () => {}): Promise<Columns> {
  const path = join(directory, 'postern.db');
  if (!existsSync(path)) await (await openStore({ url: `sqlite:${path}` })).close();
  const engine = sqliteEngine({ path, readOnly: false, isOurs: true });
  const db = new Kysely<never>({ dialect: engine.dialect });
  await change(db);
  const tables = await db.introspection.getTables();
  await db.destroy();
  await engine.close();
  return new Map(
    tables.flatMap((table) =>
      table.columns.map((column) => [
        `${table.name}.${column.name}`,
        { type: column.dataType, isOptional: column.isNullable || column.hasDefaultValue },
      ]),
    ),
  );
}

/** What keeps a version that knows the tables as they were from writing them as they are. */
function hindrances(before: Columns, after: Columns): string[] {
  const tables = new Set([...before.keys()].map((name) => name.split('.')[0]));
  const lost = [...before].flatMap(([name, { type }]) => {
    const now = after.get(name);
    if (!now) return [`${name} is gone`];
    return now.type === type ? [] : [`${name} is ${now.type}, and was ${type}`];
  });
  const owed = [...after].flatMap(([name, { isOptional }]) =>
    before.has(name) || isOptional || !tables.has(name.split('.')[0]) ? [] : [`${name} must be given`],
  );
  return [...lost, ...owed];
}

describe('The tables of a new version', () => {
  // biome-ignore format: a table
  const CHANGES: Readonly<Record<string, readonly [change: Change, found: string[]]>> = {
    'an added column':            [(db) => db.schema.alterTable('users').addColumn('more', 'text').execute(), []],
    'an added column by default': [(db) => db.schema.alterTable('users').addColumn('more', 'integer', (column) => column.notNull().defaultTo(0)).execute(), []],
    'an added table':             [(db) => db.schema.createTable('more').addColumn('id', 'text', (column) => column.notNull()).execute(), []],
    'a dropped column':           [(db) => db.schema.alterTable('users').dropColumn('role_since').execute(), ['users.role_since is gone']],
    'a renamed column':           [(db) => db.schema.alterTable('users').renameColumn('role_since', 'since').execute(), ['users.role_since is gone']],
    'a dropped table':            [(db) => db.schema.dropTable('login_blocks').execute(), ['login_blocks.']],
    'a column of another type':   [(db) => db.schema.alterTable('users').dropColumn('role_since').execute().then(() => db.schema.alterTable('users').addColumn('role_since', 'text').execute()), ['users.role_since is TEXT']],
  };
  for (const [what, [change, found]] of Object.entries(CHANGES))
    it(`${found.length === 0 ? 'may have' : 'may not have'} ${what}`, async (t) => {
      const seen = hindrances(await columnsOf(scratch(t)), await columnsOf(scratch(t), change));
      assert.equal(seen.length > 0, found.length > 0, seen.join());
      for (const beginning of found)
        assert.ok(
          seen.some((text) => text.startsWith(beginning)),
          seen.join(),
        );
    });

  it('can be written by the release before, unless its replicas are stopped first', async (t) => {
    const release = RELEASES.at(-1) ?? assert.fail();
    const directory = scratch(t);
    unpackRelease(release, directory);
    const seen = hindrances(await columnsOf(directory), await columnsOf(scratch(t)));
    if (STOPPED_FIRST.includes(release)) return assert.ok(seen.includes('identity_keys.id is gone'), seen.join());
    const unwritten = UNWRITTEN[release] ?? [];
    const isKnown = (text: string) =>
      unwritten.some((name) => text.startsWith(`${name} `) || text.startsWith(`${name}.`));
    assert.deepEqual(
      seen.filter((text) => !isKnown(text)),
      [],
    );
  });
});
