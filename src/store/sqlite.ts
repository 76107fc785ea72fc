/** The SQLite engine: Kysely's own dialect over Node's built-in SQLite, and everything that is SQLite's way alone. */
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { type Dialect, SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import { isPast, outOfTime } from '../domain/out-of-time.ts';
import { unreadable } from '../domain/unreadable.ts';
import { retryWhenBusy } from './busy-retry.ts';
import type { Engine } from './engine.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly readOnly: boolean;
  /** A file that others write and shrink is never mapped: reading what was cut off would end the process. */
  readonly isOurs: boolean;
  /** Of one text each, for use in queries. */
  readonly functions?: Readonly<Record<string, (text: string) => string | null>>;
}

/** While the file is being opened, waiting for another process may block. */
const OPENING_BUSY_MILLISECONDS = 5000;
/** Asking for the version takes locks of the file, as long as judging a request; no other process tells of its change sooner. */
const BETWEEN_ASKING_MILLISECONDS = 5;

/**
 * With WAL, what is committed survives the death of the process under either setting; NORMAL may lose the last
 * commits when the machine loses power, FULL syncs each commit. Account writes are few, and a revoked token must
 * stay revoked; imports commit thousands of rows at a time. So FULL costs nothing that anybody would notice.
 */
const WRITER_SETTINGS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';
const READER_SETTINGS = 'PRAGMA query_only = ON;';
/** The page cache, in KiB when negative. */
const SHARED_SETTINGS = 'PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;';
/** In bytes. */
const MAPPED_SETTINGS = 'PRAGMA mmap_size = 1073741824;';

export function sqliteEngine(options: SqliteOptions): Engine {
  const connection = connect(options);
  const dataVersion = connection.prepare('PRAGMA data_version');
  let ownChanges = 0;
  let others: unknown;
  let text = '';
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    words: sqliteDialect,
    isCurrent: () => true,
    close: async () => {},
    dialect: kyselyDialect(connection, options.readOnly, () => {
      ownChanges += 1;
      text = `${others}.${ownChanges}`;
    }),
    /** By this connection at once, by another process within milliseconds. */
    version() {
      const now = performance.now();
      if (now - askedAt < BETWEEN_ASKING_MILLISECONDS) return text;
      others = dataVersion.get()?.['data_version'];
      askedAt = now;
      text = `${others}.${ownChanges}`;
      return text;
    },
  };
}

function kyselyDialect(connection: DatabaseSync, readOnly: boolean, onChange: () => void): Dialect {
  const dialect = new SqliteDialect({ database: asKyselyDatabase(connection, readOnly, onChange) });
  return {
    createDriver: () => retryWhenBusy(dialect.createDriver()),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    // Kysely's adapter says that SQLite cannot change tables in a transaction, but it can: an interrupted migration
    // leaves nothing behind, and two processes that start at once take turns.
    createAdapter: () => Object.defineProperty(new SqliteAdapter(), 'supportsTransactionalDdl', { value: true }),
  };
}

function connect({ path, readOnly, isOurs, functions = {} }: SqliteOptions): DatabaseSync {
  try {
    if (!readOnly) makePrivate(path);
    const connection = new DatabaseSync(path, {
      readOnly,
      timeout: OPENING_BUSY_MILLISECONDS,
      enableForeignKeyConstraints: true,
    });
    connection.exec((readOnly ? READER_SETTINGS : WRITER_SETTINGS) + SHARED_SETTINGS);
    if (isOurs) connection.exec(MAPPED_SETTINGS);
    connection.exec('PRAGMA busy_timeout = 0');
    connection.function('in_time', {}, inTime);
    for (const [name, run] of Object.entries(functions))
      connection.function(name, { deterministic: true }, (text) => (typeof text === 'string' ? run(text) : null));
    return connection;
  } catch (cause) {
    const subject = isOurs ? 'the store' : 'the database of the NVR';
    const remedy = readOnly ? 'is it there, with the files beside it?' : 'is the directory there and writable?';
    throw unreadable(`cannot open ${subject} at ${path}: ${remedy} (${(cause as Error).message})`, cause);
  }
}

/** Ends the statement that calls it, and the fault comes through as it is. Of the machine's own count of milliseconds. */
function inTime(deadline: SQLOutputValue): number {
  if (isPast({ at: Number(deadline) })) throw outOfTime();
  return 1;
}

/** Password hashes are for nobody else on the machine. SQLite gives `-wal` and `-shm` the mode of the file. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function asKyselyDatabase(connection: DatabaseSync, readOnly: boolean, onChange: () => void): SqliteDatabase {
  return {
    close: () => connection.close(),
    prepare: (text) => {
      const statement = connection.prepare(inThisEngine(text, readOnly));
      if (!/^\s*(select|with)\b/i.test(text)) onChange();
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...values.map(bindable)),
        run: (values) => statement.run(...values.map(bindable)),
        iterate: (values) => statement.iterate(...values.map(bindable)),
      };
    },
  };
}

/**
 * A plain `begin` takes the write lock at the first write, and fails there without waiting when another process has
 * written since the first read. Taking it at once makes writers queue.
 */
const inThisEngine = (text: string, readOnly: boolean): string =>
  text === 'begin' && !readOnly ? 'begin immediate' : text;

function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  return value === undefined ? null : (value as SQLInputValue);
}
