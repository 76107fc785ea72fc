/** Migrates the tables of the store after copying it, and refuses a store of a newer version (SPEC 1). */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { faultMessage } from '../domain/result.ts';
import { findStoreFault, storeFault } from '../domain/store/store-fault.ts';
import { createEvents, type Engine, type MovedEvents, type TablesUpdate } from './engine/engine.ts';
import type { Tables } from './engine/tables.ts';
import { STEPS_OF_0_2_0, STEPS_SINCE_0_2_0 } from './migrations/029-baseline.ts';
import { migrationsFor } from './migrations/all-migrations.ts';

/** `migrationsIn`: those in a file that is not in use. Gives undefined when the tables needed no change, or were new. Rejects with a sentence that names the cause; the tables are then as they were. */
export async function migrate(
  db: Kysely<Tables>,
  engine: Engine,
  migrationsIn: (path: string) => Promise<readonly string[]>,
  onMoved: (moved: MovedEvents) => void = () => {},
): Promise<TablesUpdate | undefined> {
  const { name, file, words } = engine;
  const { done, known, next } = await migrationsOf(db, engine);
  if (next === undefined) return;
  const [from, to] = [done.at(-1) ?? 'none', known.at(-1) ?? next];
  const copy = file === undefined ? undefined : `${file}${BEFORE}${next}`;
  if (done.length > 0 && copy !== undefined) await keepCopy(done, copy, engine, migrationsIn);
  if (done.length > 0) await words.joinMonths?.(db, (own) => createEvents(own, words), onMoved);
  const { error, results = [] } = await new Migrator({ db, provider: migrationsFor(words) }).migrateToLatest();
  if (!error) return done.length > 0 ? { from, to, copy } : undefined;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const at = failed === undefined ? '' : `, in ${failed}`;
  const message = `cannot bring the tables of ${name} from ${from} to ${to}${at}: ${faultMessage(error)}. The tables are as they were`;
  throw storeFault(findStoreFault(error) ?? 'unreachable', message, error);
}

/** `next`: the first migration that a start would run; undefined when the tables are those of this version. Rejects for those of a newer one. */
export async function migrationsOf<Tables>(db: Kysely<Tables>, engine: Engine) {
  const done = await appliedMigrations(db, engine);
  const known: readonly string[] = Object.keys(await migrationsFor(engine.words).getMigrations()).sort();
  refuseOthers(done, known, engine);
  return { done, known, next: known.find((id) => !done.includes(id)) };
}

/** Checks the tables for a reader, which changes none: rejects when they are not those of this version. */
export async function assertCurrent<Tables>(db: Kysely<Tables>, engine: Engine): Promise<void> {
  const { done, next } = await migrationsOf(db, engine);
  if (next === undefined) return;
  const message = `the tables of ${engine.name} are at ${done.at(-1) ?? 'none'} and this version needs ${next}: start "postern serve" once, which updates them`;
  throw storeFault('unreachable', message);
}

/** The ids of the migrations that were run, in their order; none in a store that is new. */
export async function appliedMigrations<Tables>(db: Kysely<Tables>, { words }: Engine): Promise<readonly string[]> {
  if ((await words.tableNamed('kysely_migration').execute(db)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

function refuseOthers(done: readonly string[], known: readonly string[], { name, file }: Engine): void {
  const at = done.at(-1);
  if (at === undefined) return;
  if (!done.includes(LAST_OF_0_2_0)) {
    const message = `${name} is of a version before 0.2.0: its tables are at ${at}. Start Postern 0.2.0 on it once, which brings them up to date, and then this version`;
    throw storeFault('unreachable', message);
  }
  const unknown = done.filter((id) => !known.includes(id));
  const lost = done.includes('029-baseline') && STEPS_SINCE_0_2_0.find((id) => !done.includes(id));
  if (unknown.length === 0 && !lost) return;
  const last = known.at(-1) ?? at;
  const way = file === undefined ? DUMP : wayBack(file, last);
  const what =
    unknown.length > 0
      ? `is of a newer version: its tables are at ${unknown.at(-1)}, and this version knows them up to ${last}. Start the newer version again`
      : `is of a commit between two releases: its tables are at ${at}, and no step of this version adds ${lost}. Start the version that made them again`;
  const message = `${name} ${what}, or ${way}. What was written since then is lost`;
  throw storeFault('unreachable', message);
}

const LAST_OF_0_2_0 = STEPS_OF_0_2_0.at(-1) ?? '';
const BEFORE = '.before-';
const DUMP =
  'restore the dump that was made before the update: stop all replicas, make the database anew with dropdb and createdb, and fill it with "pg_restore --dbname=ADDRESS FILE"';

/** The copies that updates kept beside the store, with the id of the first migration that each does not have. */
function listCopies(file: string): readonly { readonly path: string; readonly next: string }[] {
  const beginning = `${basename(file)}${BEFORE}`;
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(beginning) && /^\d{3}-[a-z-]+$/.test(name.slice(beginning.length)))
    .map((name) => ({ path: join(dirname(file), name), next: name.slice(beginning.length) }))
    .sort((one, other) => (one.next < other.next ? -1 : 1));
}

/** Names the latest copy that this version can read: it lacks a step that comes after 0.2.0, and not after the next one of this version. */
function wayBack(file: string, last: string): string {
  const copy = listCopies(file).findLast(
    ({ next }) => next > LAST_OF_0_2_0 && Number.parseInt(next, 10) <= Number.parseInt(last, 10) + 1,
  );
  return copy === undefined
    ? 'restore a backup of before the update: "postern restore --replace FILE"'
    : `restore the copy that the update kept: "postern restore --replace ${copy.path}"`;
}

/** One copy is kept: that of before the latest change of the tables. */
async function keepCopy(
  done: readonly string[],
  copy: string,
  { name, copyTo }: Engine,
  migrationsIn: (path: string) => Promise<readonly string[]>,
): Promise<void> {
  const draft = `${copy}.part`;
  try {
    await copyTo(draft);
    // Another process may have changed the tables in the meantime: then this is no copy of before.
    if ((await migrationsIn(draft)).join() === done.join()) renameSync(draft, copy);
  } catch (cause) {
    const message = `cannot keep a copy of ${name} before its tables are changed: ${faultMessage(cause)}. Nothing was changed`;
    throw storeFault(findStoreFault(cause) ?? 'unreachable', message, cause);
  } finally {
    // Reading the draft made the other two.
    for (const end of ['', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true });
  }
  for (const { path } of listCopies(copy.slice(0, copy.lastIndexOf(BEFORE))))
    if (path !== copy) rmSync(path, { force: true });
}
