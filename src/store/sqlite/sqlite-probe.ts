/** The checks behind the store's health: its disk has space, it can be written, its tables are whole. */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { damagedFault, fullFault } from './sqlite-faults.ts';

/** Where a large write would fail, a small one may still find room in the log of the store: free space is looked at too. */
const LEAST_FREE_BYTES = 1024 * 1024;

export function checkSpace(path: string, file: string): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < LEAST_FREE_BYTES) throw fullFault(file, bavail * bsize);
}

/** Takes the lock of writes. SQLite writes no page that stays the same, so the disk is not asked. */
export const writeNothing = (writer: DatabaseSync): void =>
  writer.exec('update kysely_migration_lock set is_locked = is_locked');

const LARGEST_NUMBER = 2 ** 31;

/** A number in the header that means nothing: one page goes to the disk, and no table changes. */
export function writeSomething(writer: DatabaseSync): void {
  const before = Number(writer.prepare('PRAGMA user_version').get()?.['user_version']);
  writer.exec(`PRAGMA user_version = ${(before + 1) % LARGEST_NUMBER}`);
}

/** One table and its indices: an account table is small, so this takes well below a millisecond. */
export function checkTable(reader: DatabaseSync, table: string, file: string): void {
  const rows = reader.prepare(`PRAGMA quick_check(${JSON.stringify(table)})`).all();
  const said = rows.map((row) => String(Object.values(row)[0]));
  if (said.join() !== 'ok') throw damagedFault(file, table, said[0] ?? '');
}
