/** The users in an NVR's own SQLite file, for bringing them here (SPEC 1, `users import`). */
import { Kysely, sql } from 'kysely';
import { sqliteEngine } from './sqlite.ts';

export interface NvrUser {
  readonly username: string;
  readonly passwordHash: string;
  /** Null in files of before there were roles. */
  readonly role: string | null;
}

/** Web-push subscriptions stay where they are: they are secrets of another service. */
export async function readNvrUsers(path: string): Promise<readonly NvrUser[]> {
  const engine = sqliteEngine({ path, readOnly: true, isOurs: false });
  const db = new Kysely<unknown>({ dialect: engine.dialect });
  try {
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info('user')`.execute(db);
    const columns = rows.map(({ name }) => name);
    if (!columns.includes('username') || !columns.includes('password_hash'))
      throw new Error('it has no table "user" with names and password hashes');
    const role = columns.includes('role') ? sql.ref('role') : sql`null`;
    const users = await sql<NvrUser>`
      select cast(username as text) as username, cast(password_hash as text) as "passwordHash",
        cast(${role} as text) as role
      from "user" order by username`.execute(db);
    return users.rows;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`cannot read the users in ${path}: ${reason}`, { cause });
  } finally {
    await db.destroy();
    await engine.close();
  }
}
