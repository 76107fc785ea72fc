/** Copies one store into another, whatever their engines: in batches by key, so that it can go on where it stopped, and compares both ends. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Queries, untyped } from './engine/rows.ts';
import { TABLES, type TableName, tablesWhere, withBooleans } from './engine/tables.ts';
import { openStore, type Store, setUnfinished } from './open-store.ts';

/** What becomes of rows that are in the target already. */
export type CopyMode = 'refuse' | 'continue' | 'replace';

/** `done` and `total`: rows of the table in the target, and in the source. */
type Report = (progress: { readonly table: string; readonly done: number; readonly total: number }) => void;
type Copied = readonly { readonly table: string; readonly rows: number }[];

export const copiedTables = (): readonly TableName[] =>
  tablesWhere(({ isCopied }) => isCopied !== false).map(([name]) => name);

type CopiedRow = Readonly<Record<string, unknown>>;

const ROWS_PER_BATCH = 500;

/** The same, of stores by their addresses; `@<file>` holds one. The source is opened read-only, and stays as it is. */
export async function copyBetween(from: string, to: string, mode: CopyMode, report: Report): Promise<Copied> {
  await using opened = new AsyncDisposableStack();
  const source = await openStore({ url: await readAddress(from), readOnly: true });
  opened.defer(source.close);
  const target = await openStore({ url: await readAddress(to), isCopyTarget: true });
  opened.defer(target.close);
  return await copyStore(source, target, mode, report);
}

const SQLITE = 'sqlite:';

/** An address with a password is better read from a file: a command line is seen by every user of the machine. */
async function readAddress(given: string): Promise<string> {
  const address = given.startsWith('@') ? (await readFile(given.slice(1), 'utf8')).trim() : given;
  return address.startsWith(SQLITE) ? `${SQLITE}${resolve(address.slice(SQLITE.length))}` : address;
}

/**
 * Rejects with a sentence when the target may not be written, or differs from the source at the end. Until both are the same,
 * the target is marked as unfinished, and nothing but another copy opens it.
 */
export async function copyStore(from: Store, to: Store, mode: CopyMode, report: Report): Promise<Copied> {
  const [source, target] = [new Queries(from.db), new Queries(to.db)];
  const filled = await firstFilled(target);
  if (filled !== undefined && mode === 'refuse')
    throw new Error(
      `the target is not empty (table ${filled}): give --continue to go on with a copy that was interrupted, or --replace to delete what is in the target first`,
    );
  // What was there before, and is not replaced, may be in service.
  if (filled === undefined || mode === 'replace') await setUnfinished(to.db, true);
  if (mode === 'replace') for (const table of copiedTables()) await target.delete(table, {});
  for (const table of copiedTables()) await copyTable(table, source, target, report);
  const copied = await compared(source, target);
  await setUnfinished(to.db, false);
  return copied;
}

async function firstFilled(db: Queries): Promise<string | undefined> {
  for (const table of copiedTables()) if (await db.has(table, {})) return table;
  return undefined;
}

/** Rows are copied in the order of their keys, so the greatest key in the target tells where an interrupted copy stopped. */
async function copyTable(table: TableName, source: Queries, target: Queries, report: Report): Promise<void> {
  const { key } = TABLES[table];
  const total = await source.count(table, {});
  let done = await target.count(table, {});
  const keys = untyped(target.kysely).selectFrom<string>(table).select(key);
  const last = await keys.orderBy(key, 'desc').limit(1).executeTakeFirst();
  for await (const rows of batches(table, source, last && String(last[key]))) {
    const insertion = untyped(target.kysely).insertInto<string>(table);
    await insertion.values([...rows]).execute();
    done += rows.length;
    report({ table, done, total });
  }
}

async function* batches(table: TableName, db: Queries, after?: string): AsyncGenerator<readonly CopiedRow[]> {
  const { key } = TABLES[table];
  let last = after;
  for (;;) {
    const ordered = untyped(db.kysely).selectFrom<string>(table).selectAll().orderBy(key).limit(ROWS_PER_BATCH);
    const rows: readonly CopiedRow[] = await (last === undefined ? ordered : ordered.where(key, '>', last)).execute();
    if (rows.length > 0) yield rows.map((row) => withBooleans(table, row));
    if (rows.length < ROWS_PER_BATCH) return;
    last = String(rows.at(-1)?.[key]);
  }
}

/** Counts and a digest of each table, at both ends. */
async function compared(source: Queries, target: Queries): Promise<Copied> {
  const copied: { table: string; rows: number }[] = [];
  for (const table of copiedTables()) {
    const [there, here] = [await digestOf(table, source), await digestOf(table, target)];
    if (there.digest !== here.digest)
      throw new Error(
        `table ${table} differs after the copy: ${there.rows} rows in the source, ${here.rows} in the target; one of them may have been written in the meantime. Stop the service and copy again with --replace`,
      );
    copied.push({ table, rows: here.rows });
  }
  return copied;
}

async function digestOf(table: TableName, db: Queries): Promise<{ rows: number; digest: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const batch of batches(table, db)) {
    for (const row of batch) hash.update(`${JSON.stringify(row, Object.keys(row).sort())}\n`);
    rows += batch.length;
  }
  return { rows, digest: hash.digest('hex') };
}
