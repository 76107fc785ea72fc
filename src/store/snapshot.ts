/** A copy of a SQLite file that a running server writes to, as it was at one moment (SPEC 15, `backup`). */
import { backup, DatabaseSync } from 'node:sqlite';
import { messageOf } from '../domain/result.ts';

/** Pages copied in one go: between two of them the server may write. */
const PAGES = 1000;

/** SQLite's own online backup: whole, with what is in the write-ahead log. Rejects when `file` is no database. */
export async function snapshot(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    await backup(database, target, { rate: PAGES });
  } finally {
    database.close();
  }
}

/** Whether SQLite finds the file whole; its own words when not. */
export function faultOf(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const said = Object.values(row ?? {})[0];
    return said === 'ok' ? undefined : String(said);
  } catch (fault) {
    return messageOf(fault);
  } finally {
    database.close();
  }
}
