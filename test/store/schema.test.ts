/** Statements of the schema on each engine: the type of texts is the engine's own (SPEC 10). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { type Dialect, runAll } from '../../src/store/engine/engine.ts';

it('A column may be named text: its type alone is written in the words of the engine', async () => {
  const run: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (made) => new PostgresIntrospector(made),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void run.push(query.sql),
  });
  const words = { text: sql`text collate "C"` } as Dialect;
  await runAll(
    'create table notes (id text, text text not null,\n  text_of text);\nalter table notes add column by text default null',
    db,
    words,
  );
  assert.deepEqual(run, [
    'create table notes (id text collate "C", text text collate "C" not null,\n  text_of text collate "C")',
    'alter table notes add column by text collate "C" default null',
  ]);
});
