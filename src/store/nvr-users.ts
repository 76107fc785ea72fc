/** The users in an NVR's own SQLite file, for bringing them here (SPEC 1, `users import`). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../domain/result.ts';
import { openingFault } from './sqlite/sqlite-faults.ts';

export interface NvrUser {
  readonly username: string;
  readonly passwordHash: string;
  /** Null in files of before there were roles. */
  readonly role: string | null;
}

/** Web-push subscriptions stay where they are: they are secrets of another service. Rejects with a sentence. */
export async function readNvrUsers(path: string): Promise<readonly NvrUser[]> {
  const database = open(path);
  try {
    const columns = database
      .prepare("select name from pragma_table_info('user')")
      .all()
      .map(({ name }) => String(name));
    if (!columns.includes('username') || !columns.includes('password_hash'))
      throw new Error('it has no table "user" with names and password hashes');
    const role = columns.includes('role') ? '"role"' : 'null';
    const query = `select cast(username as text) as username, cast(password_hash as text) as "passwordHash",
      cast(${role} as text) as role from "user" order by username`;
    return database
      .prepare(query)
      .all()
      .map(({ username, passwordHash, role: its }) => ({
        username: String(username),
        passwordHash: String(passwordHash),
        role: its === null ? null : String(its),
      }));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`cannot read the users in ${path}: ${reason}`, { cause });
  } finally {
    database.close();
  }
}

/**
 * The NVR's directory belongs to another user, and SQLite writes files beside a database in WAL mode even to read it.
 * Without a write-ahead log nothing writes to the file, so it is opened as one that does not change, which needs none.
 */
function open(path: string): DatabaseSync {
  const address = pathToFileURL(resolve(path));
  if (!existsSync(`${path}-wal`)) address.searchParams.set('immutable', '1');
  try {
    return new DatabaseSync(address, { readOnly: true });
  } catch (fault) {
    throw openingFault(fault, `the database of the NVR at ${path}`, true);
  }
}
