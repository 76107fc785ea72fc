/** Copies one store into another, whatever their engines: in batches by key, so that it can go on where it stopped, and compares both ends. */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { err, ok, type Result } from '../domain/result.ts';
import { TABLES, type Table, type TableName, type Tables } from './engine/tables.ts';
import { markFinished, markUnfinished } from './identity.ts';
import type { Store } from './open-store.ts';

/** What becomes of rows that are in the target already. */
export type CopyMode = 'refuse' | 'continue' | 'replace';

export interface CopyProgress {
  readonly table: string;
  /** Rows of this table in the target, and in the source. */
  readonly done: number;
  readonly total: number;
}

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/** A table is copied in the order of its key. SQLite gives 0 and 1 for the columns that are booleans. */
interface CopyRule {
  readonly table: TableName;
  readonly key: string;
  readonly booleans: readonly string[];
}

export const COPIED_TABLES: readonly CopyRule[] = Object.entries<Table>(TABLES)
  .filter(([, { isCopied = true }]) => isCopied)
  .map(([table, { key, columns }]) => ({
    table: table as TableName,
    key,
    booleans: Object.keys(columns).filter((name) => columns[name]?.kind === 'boolean'),
  }));

type CopiedRow = Readonly<Record<string, unknown>>;
/** Tables are named at run time here, so their rows have no types. */
type AnyTables = Record<string, Record<string, unknown>>;

const ROWS_PER_BATCH = 500;

/**
 * Errs with a sentence when the target may not be written, or differs from the source at the end. Until both are the same,
 * the target is marked as unfinished, and nothing but another copy opens it.
 */
export async function copyStore(
  from: Store,
  to: Store,
  mode: CopyMode,
  report: (progress: CopyProgress) => void,
): Promise<Result<readonly CopiedTable[], string>> {
  const [source, target] = [untyped(from.db), untyped(to.db)];
  const filled = await firstFilled(target);
  if (filled !== undefined && mode === 'refuse') {
    return err(
      `the target is not empty (table ${filled}): give --continue to go on with a copy that was interrupted, or --replace to delete what is in the target first`,
    );
  }
  // What was there before, and is not replaced, may be in service.
  if (filled === undefined || mode === 'replace') await markUnfinished(to.db);
  if (mode === 'replace') for (const { table } of COPIED_TABLES) await target.deleteFrom(table).execute();
  for (const rule of COPIED_TABLES) await copyTable(rule, source, to, report);
  const copied = await compared(source, target);
  if (copied.ok) await markFinished(to.db);
  return copied;
}

const untyped = (db: Kysely<Tables>): Kysely<AnyTables> => db.withTables<AnyTables>() as unknown as Kysely<AnyTables>;

async function firstFilled(db: Kysely<AnyTables>): Promise<string | undefined> {
  for (const { table } of COPIED_TABLES) if ((await countOf(db, table)) > 0) return table;
  return undefined;
}

async function countOf(db: Kysely<AnyTables>, table: string): Promise<number> {
  const row = await db.selectFrom(table).select(sql<number>`count(*)`.as('rows')).executeTakeFirstOrThrow();
  return Number(row.rows);
}

/** Rows are copied in the order of their keys, so the greatest key in the target tells where an interrupted copy stopped. */
async function copyTable(
  rule: CopyRule,
  source: Kysely<AnyTables>,
  to: Store,
  report: (progress: CopyProgress) => void,
): Promise<void> {
  const target = untyped(to.db);
  const { table } = rule;
  const total = await countOf(source, table);
  let done = await countOf(target, table);
  for await (const rows of batches(rule, source, await lastKey(rule, target))) {
    await target
      .insertInto(table)
      .values([...rows])
      .execute();
    done += rows.length;
    report({ table, done, total });
  }
}

async function lastKey({ table, key }: CopyRule, db: Kysely<AnyTables>): Promise<string | undefined> {
  const row = await db.selectFrom(table).select(key).orderBy(key, 'desc').limit(1).executeTakeFirst();
  return row === undefined ? undefined : String(row[key]);
}

async function* batches(
  { table, key, booleans }: CopyRule,
  db: Kysely<AnyTables>,
  after?: string,
): AsyncGenerator<readonly CopiedRow[]> {
  let last = after;
  for (;;) {
    const ordered = db.selectFrom(table).selectAll().orderBy(key).limit(ROWS_PER_BATCH);
    const rows: readonly CopiedRow[] = await (last === undefined ? ordered : ordered.where(key, '>', last)).execute();
    if (rows.length > 0) yield rows.map((row) => withBooleans(row, booleans));
    if (rows.length < ROWS_PER_BATCH) return;
    last = String(rows.at(-1)?.[key]);
  }
}

const withBooleans = (row: CopiedRow, booleans: readonly string[]): CopiedRow => ({
  ...row,
  ...Object.fromEntries(booleans.map((name) => [name, row[name] === null ? null : Boolean(row[name])])),
});

/** Counts and a digest of each table, at both ends. */
async function compared(
  source: Kysely<AnyTables>,
  target: Kysely<AnyTables>,
): Promise<Result<readonly CopiedTable[], string>> {
  const copied: CopiedTable[] = [];
  for (const rule of COPIED_TABLES) {
    const [there, here] = [await digestOf(rule, source), await digestOf(rule, target)];
    if (there.digest !== here.digest)
      return err(
        `table ${rule.table} differs after the copy: ${there.rows} rows in the source, ${here.rows} in the target; one of them may have been written in the meantime. Stop the service and copy again with --replace`,
      );
    copied.push({ table: rule.table, rows: here.rows });
  }
  return ok(copied);
}

async function digestOf(rule: CopyRule, db: Kysely<AnyTables>): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const batch of batches(rule, db)) {
    for (const row of batch) hash.update(`${JSON.stringify(Object.entries(row).sort(byName))}\n`);
    rows += batch.length;
  }
  return { rows, digest: hash.digest('hex') };
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
