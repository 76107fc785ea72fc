/** The store in a backup: a copy of a file that a running server writes to, what it brings back, and the end of what may have been revoked since (SPEC 15). */
import { backup, DatabaseSync } from 'node:sqlite';
import { faultMessage } from '../domain/result.ts';

/** The tables of 0.2.0 by kind, and what lies in `grants` since. The condition is of a row that works at the time `:now`; the statement ends all of them. */
interface Returning {
  readonly table: string;
  readonly works: string;
  readonly end: readonly string[];
}

/** Sessions have no record that makes them good, and those of after the backup none at all: each names the epoch of its account. */
const ENDED_SESSIONS = 'update users set factor_epoch = lower(hex(randomblob(8)))';
const REVOKED = 'set revoked_at = :now where revoked_at is null';

const inGrants = (kind: string, end = `delete from grants where kind = '${kind}'`): Returning => ({
  table: 'grants',
  works: `kind = '${kind}' and revoked_at is null and coalesce(expires_at > :now, 1)`,
  end: [end],
});

const RETURNING = {
  session: [
    {
      table: 'seen_sessions',
      works: 'expires_at > :now and id not in (select token_id from revoked_tokens)',
      end: [ENDED_SESSIONS, 'delete from seen_sessions'],
    },
  ],
  'API token': [
    inGrants('api-token'),
    { table: 'api_tokens', works: 'coalesce(expires_at > :now, 1)', end: ['delete from api_tokens'] },
  ],
  link: [
    inGrants('link', `update grants ${REVOKED} and kind = 'link'`),
    { table: 'links', works: 'revoked_at is null and expires_at > :now', end: [`update links ${REVOKED}`] },
  ],
  invitation: [
    { ...inGrants('invitation'), works: "kind = 'invitation' and last_used_at is null and expires_at > :now" },
    {
      table: 'invitations',
      works: 'used_at is null and expires_at > :now',
      end: ['delete from invitations where used_at is null'],
    },
  ],
  screen: [
    inGrants('screen'),
    { table: 'screens', works: 'coalesce(ends_at > :now, 1)', end: ['delete from screens'] },
  ],
} satisfies Record<string, readonly Returning[]>;

/** Numbers of what works again at a time. */
export type Returned = Readonly<Record<keyof typeof RETURNING | 'account', number>>;

export function returnedBy(file: string, now: number): Returned {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const counts = Object.entries(RETURNING).map(([kind, places]) => [kind, places.reduce(counted, 0)]);
    return { ...Object.fromEntries(counts), account: counted(0, { table: 'users', works: ':now > 0' }) };
  } finally {
    database.close();
  }

  function counted(sum: number, { table, works }: Pick<Returning, 'table' | 'works'>): number {
    if (!hasTable(database, table)) return sum;
    const row = database.prepare(`select count(*) as rows from ${table} where ${works}`).get({ now });
    return sum + Number(row?.['rows']);
  }
}

/** All of them or none. What a table does not hold in that version, it cannot bring back. */
export function endReturned(file: string, now: number): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('begin');
    for (const { table, end } of Object.values(RETURNING).flat())
      if (hasTable(database, table)) for (const statement of end) run(database.prepare(statement), now);
    database.exec('commit');
  } finally {
    database.close();
  }
}

const hasTable = (database: DatabaseSync, table: string): boolean =>
  database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(table) !== undefined;

function run(statement: ReturnType<DatabaseSync['prepare']>, now: number): void {
  statement.setAllowUnknownNamedParameters(true);
  statement.run({ now });
}

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
export function findFault(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const said = Object.values(row ?? {})[0];
    return said === 'ok' ? undefined : String(said);
  } catch (fault) {
    return faultMessage(fault);
  } finally {
    database.close();
  }
}
