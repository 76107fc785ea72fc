/** The SQLite engine: Node's built-in SQLite behind Kysely, one connection for reads and one for writes. */
import { randomInt } from 'node:crypto';
import { chmodSync, closeSync, fstatSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  type Driver,
  type Dialect as KyselyDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { isPast, outOfTime } from '../../domain/events/event-question.ts';
import type { Engine, OnFault } from '../engine/engine.ts';
import { hasWord, sqliteDialect } from './sqlite-dialect.ts';
import { createSqliteDriver } from './sqlite-driver.ts';
import { cutFault, damagedFault, fullFault, isBlank, namedFault, openingFault, removedFault } from './sqlite-faults.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly readOnly: boolean;
  /** A reader of a moment: it makes no files beside a store that no process has open. */
  readonly isBrief?: boolean;
  /** The NVR's own is read only. No file is mapped into memory: reading what was cut off would end the process. */
  readonly isOurs: boolean;
  /** Functions of one text each, for use in queries. */
  readonly functions?: Readonly<Record<string, (text: string) => string | null>>;
  /** Called for each statement that failed. */
  readonly onFault?: OnFault;
}

/** While the file is being opened, waiting for another process may block. */
const OPENING_BUSY_MILLISECONDS = 5000;
/** Reading the data version takes locks of the file, which costs as much as judging a request: once in 5 ms is enough. */
export const BETWEEN_ASKING_MILLISECONDS = 5;
/** A probe that waits longer reports the lock. */
const PROBE_PATIENCE_MILLISECONDS = 1000;
/** What reaches the disk costs a sync of it. */
const BETWEEN_PROBING_WRITES_MILLISECONDS = 10_000;
const PAGES_PER_COPY_STEP = 1000;

/**
 * The settings of the writer. With WAL, what is committed survives the death of the process under either setting; NORMAL may
 * lose the last commits when the machine loses power, FULL syncs each commit. Account writes are few, and a revoked token must
 * stay revoked; imports commit thousands of rows at a time. So FULL has no noticeable cost.
 */
const WRITER_SETTINGS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';
const READER_SETTINGS = 'PRAGMA query_only = ON;';
/** The page cache, in KiB when negative. */
const SHARED_SETTINGS = 'PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;';
const LARGEST_OWNER = 2 ** 31 - 1;

export function sqliteEngine(options: SqliteOptions): Engine {
  const { path, readOnly } = options;
  let wroteAt = Number.NEGATIVE_INFINITY;
  const onFault: OnFault = (fault, by) => {
    if (by === 'write') wroteAt = Number.NEGATIVE_INFINITY;
    options.onFault?.(fault, by);
  };
  const writer = readOnly ? undefined : connect(options);
  const reader = writer ? connect({ ...options, readOnly: true }, writer) : connect(options);
  const file = subjectName(options);
  const place = writer ? watched(path, writer, reader, file) : undefined;
  /** The writer's data version changes with each commit of another process; its own commits are told by the driver. */
  const dataVersion = (writer ?? reader).prepare('PRAGMA data_version');
  let [askedAt, others, changes, failures] = [Number.NEGATIVE_INFINITY, '', 0, 0];
  let isClosed = false;
  /** One text object while nothing changes: to compare it with itself takes no look at its characters, and each request does so several times. */
  let seen = '';
  const onChange = (): void => {
    changes += 1;
    seen = `${others}.${changes}`;
  };
  const look = (): void => {
    askedAt = performance.now();
    const before = others;
    try {
      others = String(dataVersion.get()?.['data_version']);
    } catch {
      failures += 1;
      others = `unknown ${failures}`; // caches are void, and the query that follows names the fault
    }
    if (others !== before) onChange();
  };
  let isAway = false;
  const check = (): void => {
    try {
      place?.check();
    } catch (fault) {
      isAway = true;
      throw fault;
    }
    if (!isAway) return;
    isAway = false;
    // What was read while the file was away is not what it holds.
    for (const connection of [reader, writer]) connection?.exec('PRAGMA shrink_memory');
    onChange();
  };
  const connections = { reader, writer: writer ?? reader };
  const { driver, write, told } = createSqliteDriver({
    ...connections,
    file,
    onChange,
    onFault,
    check,
    isClosed: () => isClosed,
  });
  return {
    name: file,
    file: path,
    dialect: dialectWith(driver),
    words: sqliteDialect,
    glance: check,
    isCurrent: () => true,
    heard: undefined,
    attempts: undefined,
    serverTime: undefined,
    version() {
      if (performance.now() - askedAt >= BETWEEN_ASKING_MILLISECONDS) look();
      return seen;
    },
    async probe(tables) {
      told(() => checkSpace(path, file), 'read');
      const isDue = performance.now() - wroteAt >= BETWEEN_PROBING_WRITES_MILLISECONDS;
      await write(() => (isDue ? writeSomething : writeNothing)(writer ?? reader), PROBE_PATIENCE_MILLISECONDS);
      if (isDue) wroteAt = performance.now();
      for (const table of tables) told(() => checkTable(reader, table, file), 'read');
    },
    async copyTo(copy) {
      closeSync(openSync(copy, 'w', PRIVATE));
      await backup(writer ?? reader, copy, { rate: PAGES_PER_COPY_STEP }).catch((fault: unknown) => {
        throw namedFault(fault, copy);
      });
    },
    async close() {
      isClosed = true;
      // The writer comes last: a reader that closes behind it leaves everything in the log.
      reader.close();
      if (writer) emptyLog(writer);
      writer?.close();
      place?.close();
    },
  };
}

/** The connections are closed when the file cannot be read. */
function watched(path: string, writer: DatabaseSync, reader: DatabaseSync, file: string) {
  try {
    return watchPlace(path, connectionOwner(writer), file);
  } catch (fault) {
    reader.close();
    writer.close();
    throw openingFault(fault, file, false);
  }
}

/** So that the file alone holds everything, also while another process has it open. */
function emptyLog(writer: DatabaseSync): void {
  try {
    writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Nothing is lost: what is in the log is read from there at the next start.
  }
}

function dialectWith(driver: Driver): KyselyDialect {
  const adapter = new SqliteAdapter();
  // Kysely's adapter says that SQLite cannot change tables in a transaction, but it can: an interrupted migration
  // leaves nothing behind, and two processes that start at once take turns. Its connections are two: see the driver.
  Object.defineProperty(adapter, 'supportsTransactionalDdl', { value: true });
  Object.defineProperty(adapter, 'supportsMultipleConnections', { value: true });
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createAdapter: () => adapter,
  };
}

/** `beside` is closed when this connection cannot be opened. */
function connect(options: SqliteOptions, beside?: DatabaseSync): DatabaseSync {
  const { path, readOnly, isOurs, functions = {} } = options;
  let connection: DatabaseSync | undefined;
  try {
    if (!readOnly) makePrivate(path);
    connection = new DatabaseSync(options.isBrief && isBlank(`${path}-wal`) ? asItIs(path) : path, {
      readOnly,
      timeout: OPENING_BUSY_MILLISECONDS,
      enableForeignKeyConstraints: true,
    });
    connection.exec((readOnly ? READER_SETTINGS : WRITER_SETTINGS) + SHARED_SETTINGS);
    if (isOurs && !readOnly) giveOwner(connection);
    connection.exec('PRAGMA busy_timeout = 0');
    connection.function('in_time', {}, inTime);
    connection.function('has_word', { deterministic: true }, hasWord);
    for (const [name, run] of Object.entries(functions))
      connection.function(name, { deterministic: true }, (text) => (typeof text === 'string' ? run(text) : null));
    return connection;
  } catch (cause) {
    connection?.close();
    beside?.close();
    throw openingFault(cause, subjectName(options), readOnly);
  }
}

/** SQLite takes no lock and makes no log: the file must not change while it is open. */
export function asItIs(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

/** A number in the header by which the file is told from another store that is copied over it. */
function giveOwner(writer: DatabaseSync): void {
  if (connectionOwner(writer) !== 0) return;
  writer.exec('begin immediate');
  // Another process may have been first.
  if (connectionOwner(writer) === 0) writer.exec(`PRAGMA application_id = ${randomInt(1, LARGEST_OWNER)}`);
  writer.exec('commit');
}

const connectionOwner = (connection: DatabaseSync): number =>
  Number(connection.prepare('PRAGMA application_id').get()?.['application_id']);

const subjectName = ({ path, isOurs }: SqliteOptions): string =>
  `${isOurs ? 'the store' : 'the database of the NVR'} at ${path}`;

/** Ends the statement that calls it, and the fault comes through as it is. Of the machine's own count of milliseconds. */
function inTime(deadline: SQLOutputValue): number {
  if (isPast({ at: Number(deadline) })) throw outOfTime();
  return 1;
}

const PRIVATE = 0o600;

/** The file holds password hashes. SQLite gives `-wal` and `-shm` the mode of the file. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE));
  chmodSync(path, PRIVATE);
}

/** Where a large write would fail, a small one may still find room in the log of the store: free space is looked at too. */
const LEAST_FREE_BYTES = 1024 * 1024;

function checkSpace(path: string, file: string): void {
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < LEAST_FREE_BYTES) throw fullFault(file, bavail * bsize);
}

/** Takes the lock of writes. SQLite writes no page that stays the same, so the disk is not asked. */
const writeNothing = (writer: DatabaseSync): void =>
  writer.exec('update kysely_migration_lock set is_locked = is_locked');

const LARGEST_NUMBER = 2 ** 31;

/** A number in the header that means nothing: one page goes to the disk, and no table changes. */
function writeSomething(writer: DatabaseSync): void {
  const before = Number(writer.prepare('PRAGMA user_version').get()?.['user_version']);
  writer.exec(`PRAGMA user_version = ${(before + 1) % LARGEST_NUMBER}`);
}

/** One table and its indices: an account table is small, so this takes well below a millisecond. */
function checkTable(reader: DatabaseSync, table: string, file: string): void {
  const rows = reader.prepare(`PRAGMA quick_check(${JSON.stringify(table)})`).all();
  const said = rows.map((row) => String(Object.values(row)[0]));
  if (said.join() !== 'ok') throw damagedFault(file, table, said[0] ?? '');
}

/** The database header, by the SQLite file format, section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const LARGEST_PAGE = 65_536;

/**
 * Looks before each write whether the open file is still the one at its path, and whole: what is written elsewhere is lost.
 * `owner`: the application id of this store; a file without one is of an earlier version. `file`: for messages.
 */
function watchPlace(path: string, owner: number, file: string) {
  const handle = openSync(path, 'r');
  const bytes = Buffer.alloc(HEADER_BYTES);
  const opened = fstatSync(handle);
  let log: number | undefined;
  let [size, changes] = [0, 0];

  const isSame = (): boolean => {
    const now = statSync(path, { throwIfNoEntry: false });
    return now?.dev === opened.dev && now.ino === opened.ino;
  };
  const isSameLog = (): boolean => {
    const now = statSync(`${path}-wal`, { throwIfNoEntry: false })?.ino;
    log ??= now;
    return log === now;
  };
  return {
    /** Takes some microseconds. Throws a fault of the store. */
    check(): void {
      if (!isSame() || !isSameLog()) throw removedFault(file);
      const length = readSync(handle, bytes, 0, HEADER_BYTES, 0);
      const header = length === HEADER_BYTES ? readHeader(bytes) : undefined;
      const found = fstatSync(handle).size;
      // While another process moves its log into a file that grows, the header is written first.
      const isShorter = found < size && found < (header?.pages ?? 0) * (header?.pageSize ?? 0);
      if (!header || isShorter) throw cutFault(file);
      if ((header.owner !== owner && header.owner !== 0) || header.changes < changes) throw removedFault(file);
      [size, changes] = [found, header.changes];
    },
    /** Call it after the connections are closed: closing any descriptor of the file gives up SQLite's locks on it. */
    close: () => closeSync(handle),
  };
}

function readHeader(bytes: Buffer) {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  return {
    pageSize: bytes.readUInt16BE(16) === 1 ? LARGEST_PAGE : bytes.readUInt16BE(16),
    changes: bytes.readUInt32BE(24),
    pages: bytes.readUInt32BE(28),
    owner: bytes.readUInt32BE(68),
  };
}
