/** What the store of a backup brings back, and the end of what may have been revoked since (SPEC 15). Of stores of any version. */
import { DatabaseSync } from 'node:sqlite';

/** `now`: Unix seconds. */
interface Returning {
  readonly table: string;
  /** The condition of a row that works at the time `:now`. */
  readonly works: string;
  /** Statements that end all of them. */
  readonly end: readonly string[];
}

/** Sessions have no record that makes them good, and those of after the backup none at all: each names the epoch of its account. */
const ENDED_SESSIONS = 'update users set factor_epoch = lower(hex(randomblob(8)))';

const RETURNING = {
  session: { table: 'seen_sessions', works: 'expires_at > :now', end: [ENDED_SESSIONS, 'delete from seen_sessions'] },
  'API token': { table: 'api_tokens', works: 'coalesce(expires_at > :now, 1)', end: ['delete from api_tokens'] },
  link: {
    table: 'links',
    works: 'revoked_at is null and expires_at > :now',
    end: ['update links set revoked_at = :now where revoked_at is null'],
  },
  invitation: {
    table: 'invitations',
    works: 'used_at is null and expires_at > :now',
    end: ['delete from invitations where used_at is null'],
  },
  screen: { table: 'screens', works: 'coalesce(ends_at > :now, 1)', end: ['delete from screens'] },
} satisfies Record<string, Returning>;

/** Numbers of what works again at a time. */
export type Returned = Readonly<Record<keyof typeof RETURNING | 'account', number>>;

export function returnedBy(file: string, now: number): Returned {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const counts = Object.entries(RETURNING).map(([kind, { table, works }]) => [kind, count(table, works)]);
    return { ...Object.fromEntries(counts), account: count('users', ':now > 0') };
  } finally {
    database.close();
  }

  function count(table: string, works: string): number {
    if (!hasTable(database, table)) return 0;
    return Number(database.prepare(`select count(*) as rows from ${table} where ${works}`).get({ now })?.['rows']);
  }
}

/** All of them or none. What a table does not hold in that version, it cannot bring back. */
export function endReturned(file: string, now: number): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('begin');
    for (const { table, end } of Object.values(RETURNING))
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
