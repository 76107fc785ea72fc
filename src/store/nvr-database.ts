/** The NVR's own SQLite file, read beside the running NVR and never written: a source of events, and of users to bring here (SPEC 1). */
import { statSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import { sharedRun } from '../domain/async.ts';
import { type Deadline, isOutOfTime } from '../domain/events/event-question.ts';
import { faultMessage } from '../domain/result.ts';
import { findStoreFault, storeFault } from '../domain/store/store-fault.ts';
import { databaseOn } from './engine/engine.ts';
import type { Tables } from './engine/tables.ts';
import { nvrShape } from './events/event-shape.ts';
import { type BoundedEventSource, createEventSource, type EventSource, eventsPlace } from './events/events-table.ts';
import { sqliteEngine } from './sqlite/sqlite.ts';
import { sqliteDialect } from './sqlite/sqlite-dialect.ts';

export type NvrDatabase = Awaited<ReturnType<typeof openNvrDatabase>>;

/**
 * The NVR restarts, migrates its tables to another version, and is restored from a backup. So the file is opened anew
 * when it is another one or has other tables, and once when a question has failed in it.
 */
export async function openNvrDatabase(path: string) {
  let file = await openFile(path);
  // Concurrent queries find the same fault: one of them opens the file for all.
  const reopen = sharedRun(async (): Promise<void> => {
    const next = await openFile(path);
    const last = file;
    file = next;
    await last.close();
  });
  const asked = async <Result>(question: (events: BoundedEventSource) => Promise<Result>): Promise<Result> => {
    if ((await readFileVersion(file.db, path).catch(() => undefined)) !== file.version) await reopen();
    const asking = file;
    return question(asking.events).catch(async (fault) => {
      if (isOutOfTime(fault)) throw fault;
      if (file === asking) await reopen();
      return question(file.events);
    });
  };
  const until = (deadline: Deadline): EventSource =>
    throughout(file.events, (question) => asked((events) => question(events.until(deadline))));
  const events: BoundedEventSource = { ...throughout(file.events, asked), until };
  return { events, close: () => file.close() };
}

type AskEvents = <Result>(question: (events: EventSource) => Promise<Result>) => Promise<Result>;
type Question = (...given: unknown[]) => Promise<unknown>;

/** A source with the questions of `known`, each put to the file that is open then. */
const throughout = (known: EventSource, asked: AskEvents): EventSource =>
  Object.fromEntries(
    Object.keys(known).map((name) => [
      name,
      (...given: unknown[]) => asked((events) => (events[name as keyof EventSource] as Question)(...given)),
    ]),
  ) as unknown as EventSource;

/** `version`: which file it is, and which tables are in it. */
async function openFile(path: string) {
  const { db, close } = databaseOn(sqliteEngine({ path, readOnly: true, isOurs: false }));
  try {
    const version = await readFileVersion(db, path);
    // Older files lack columns of newer ones, so the table is asked what it has.
    const shape = nvrShape(await listColumns(db));
    const events = createEventSource(eventsPlace(db, shape, sqliteDialect));
    return { db, version, events, close };
  } catch (cause) {
    await close();
    const reason = faultMessage(cause);
    const kind = findStoreFault(cause) ?? 'unreachable';
    throw storeFault(kind, `cannot read ${path} as the database of an NVR: ${reason}`, cause);
  }
}

/** The file at the path may be another one than the file that is open. */
async function readFileVersion(db: Kysely<Tables>, path: string): Promise<string> {
  const { dev, ino } = statSync(path);
  const { rows } = await sql<{ version: number }>`select schema_version as version from pragma_schema_version`.execute(
    db,
  );
  return [dev, ino, rows[0]?.version].join(' ');
}

const NEEDED = ['id', 'label', 'camera', 'start_time', 'zones', 'has_clip', 'has_snapshot'];

async function listColumns(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const columns = await columnsOf('event', db);
  const missing = NEEDED.filter((name) => !columns.has(name));
  if (missing.length > 0) throw new Error(`it has no table "event" with the columns ${missing.join(', ')}`);
  return columns;
}

/** The users, for bringing them here (SPEC 1, `users import`). Web-push subscriptions stay where they are: they are secrets of another service. Rejects with a sentence. */
export async function readNvrUsers(path: string) {
  // The NVR's directory belongs to another user, and SQLite writes files beside a database in WAL mode even to read it.
  const { db, close } = databaseOn(sqliteEngine({ path, readOnly: true, isBrief: true, isOurs: false }));
  try {
    const columns = await columnsOf('user', db);
    if (!columns.has('username') || !columns.has('password_hash'))
      throw new Error('it has no table "user" with names and password hashes');
    const role = columns.has('role') ? sql`"role"` : sql`null`;
    // A role is null in files of before there were roles.
    const { rows } = await sql<{ username: string; passwordHash: string; role: string | null }>`
      select cast(username as text) as username, cast(password_hash as text) as "passwordHash",
        cast(${role} as text) as role from "user" order by username`.execute(db);
    return rows;
  } catch (cause) {
    const reason = faultMessage(cause);
    throw new Error(`cannot read the users in ${path}: ${reason}`, { cause });
  } finally {
    await close();
  }
}

async function columnsOf(table: string, db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
