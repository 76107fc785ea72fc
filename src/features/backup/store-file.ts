/** The store in a backup: a copy of a file that a running server writes to, what it brings back, and the end of what may have been revoked since (SPEC 15). */
import { backup, DatabaseSync } from 'node:sqlite';
import { faultMessage } from '../../domain/result.ts';

const WORKS = 'revoked_at is null and coalesce(expires_at > :now, 1)';
/** Sessions have no record that makes them good, and those of after the backup none at all: each names the epoch of its account. */
const NEW_EPOCHS = 'update users set factor_epoch = lower(hex(randomblob(8)))';
const deleted = (kind: string): string => `delete from grants where kind = '${kind}'`;
const revoked = (table: string, kind = '1 = 1'): string =>
  `update ${table} set revoked_at = :now where revoked_at is null and ${kind}`;

/** Where rows lie that work again, in this version and in 0.2.0: the condition of a row that works at the time `:now`, and what ends all of them. */
// biome-ignore format: a table
const RETURNING = [
  ['session',    'seen_sessions', 'expires_at > :now and id not in (select token_id from revoked_tokens)', [NEW_EPOCHS, 'delete from seen_sessions']],
  ['API token',  'grants',        `kind = 'api-token' and ${WORKS}`,                                     [deleted('api-token')]],
  ['API token',  'api_tokens',    'coalesce(expires_at > :now, 1)',                                       ['delete from api_tokens']],
  ['link',       'grants',        `kind = 'link' and ${WORKS}`,                                          [revoked('grants', "kind = 'link'")]],
  ['link',       'links',         'revoked_at is null and expires_at > :now',                             [revoked('links')]],
  ['invitation', 'grants',        "kind = 'invitation' and last_used_at is null and expires_at > :now",   [deleted('invitation')]],
  ['invitation', 'invitations',   'used_at is null and expires_at > :now',                                ['delete from invitations where used_at is null']],
  ['screen',     'grants',        `kind = 'screen' and ${WORKS}`,                                        [deleted('screen')]],
  ['screen',     'screens',       'coalesce(ends_at > :now, 1)',                                          ['delete from screens']],
  ['account',    'users',         ':now > 0',                                                             []],
] as const;

/** Numbers of what works again at a time. */
export type Returned = Readonly<Record<(typeof RETURNING)[number][0], number>>;

export function returnedBy(file: string, now: number): Returned {
  using database = new DatabaseSync(file, { readOnly: true });
  const counts = new Map<string, number>();
  for (const [kind, table, works] of RETURNING) {
    const asked = `select count(*) as rows from ${table} where ${works}`;
    const rows = hasTable(database, table) ? Number(database.prepare(asked).get({ now })?.['rows']) : 0;
    counts.set(kind, (counts.get(kind) ?? 0) + rows);
  }
  return Object.fromEntries(counts) as Returned;
}

/** All of them or none. What a table does not hold in that version, it cannot bring back. */
export function endReturned(file: string, now: number): void {
  using database = new DatabaseSync(file);
  database.exec('begin');
  for (const [, table, , end] of RETURNING)
    if (hasTable(database, table)) for (const statement of end) run(database.prepare(statement), now);
  database.exec('commit');
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
  using database = new DatabaseSync(file, { readOnly: true });
  await backup(database, target, { rate: PAGES });
}

/** Whether SQLite finds the file whole; its own words when not. */
export function findFault(file: string): string | undefined {
  using database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    const said = Object.values(row ?? {})[0];
    return said === 'ok' ? undefined : String(said);
  } catch (fault) {
    return faultMessage(fault);
  }
}
