/** The SQLite engine: Node's built-in SQLite behind Kysely, one connection for reads and one for writes. */
import { randomInt } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fstatSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
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
import { foldSubLabels, isPast, outOfTime } from '../../domain/events/event-question.ts';
import { thrownBy } from '../../domain/store/store-fault.ts';
import { SQLITE } from '../../files/files.ts';
import { type Engine, type OnFault, WRITE_NOTHING } from '../engine/engine.ts';
import { hasWord, sqliteDialect } from './sqlite-dialect.ts';
import { createSqliteDriver, type NameFault } from './sqlite-driver.ts';
import { damagedFault, fullFault, isBlank, lostFault, namedFault, openingFault } from './sqlite-faults.ts';
import { beginLog, LOG_SETTINGS, watchLog } from './sqlite-log.ts';

export interface SqliteOptions {
  readonly path: string;
  readonly readOnly: boolean;
  /** A reader of a moment: it makes no files beside a store that no process has open. */
  readonly isBrief?: boolean;
  /** The NVR's own is read only. No file is mapped into memory: reading what was cut off would end the process. */
  readonly isOurs: boolean;
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

const WRITER_SETTINGS = `PRAGMA journal_mode = WAL; ${LOG_SETTINGS}`;
const READER_SETTINGS = 'PRAGMA query_only = ON;';
/** The page cache, in KiB when negative. */
const SHARED_SETTINGS = 'PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;';
const LARGEST_OWNER = 2 ** 31 - 1;

export function sqliteEngine(options: SqliteOptions): Engine {
  const { path } = options;
  let wroteAt = Number.NEGATIVE_INFINITY;
  const file = subjectName(options);
  /** A file that was cut reads as a damaged one: the cause is told. */
  const named: NameFault = (fault, by) => {
    const known = namedFault(thrownBy(check) ?? fault, file);
    if (by === 'write') wroteAt = Number.NEGATIVE_INFINITY;
    options.onFault?.(known, by);
    return known;
  };
  const { reader, writer, place, log, parts } = opened(options, file, named);
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
  const driving = { ...connections, onChange, named, check, log, isClosed: () => isClosed };
  const { driver, write, told } = createSqliteDriver(driving);
  return {
    name: file,
    file: path,
    dialect: dialectWith(driver),
    words: sqliteDialect,
    glance: check,
    isCurrent: () => true,
    version() {
      if (performance.now() - askedAt >= BETWEEN_ASKING_MILLISECONDS) look();
      return seen;
    },
    async probe(tables) {
      told(() => checkSpace(path, file), 'read');
      for (const table of tables) told(() => checkTable(reader, table, file), 'read');
      const isDue = performance.now() - wroteAt >= BETWEEN_PROBING_WRITES_MILLISECONDS;
      const connection = writer ?? reader;
      // SQLite writes no page that stays the same: the disk is asked when it is due.
      const probing = () => (isDue ? beginLog(connection) : connection.exec(WRITE_NOTHING));
      await write(probing, PROBE_PATIENCE_MILLISECONDS);
      await log?.synced(isDue);
      if (isDue) wroteAt = performance.now();
    },
    async copyTo(copy) {
      closeSync(openSync(copy, 'w', PRIVATE));
      await backup(writer ?? reader, copy, { rate: PAGES_PER_COPY_STEP }).catch((fault: unknown) => {
        throw namedFault(fault, copy);
      });
    },
    async close() {
      isClosed = true;
      await log?.settled();
      // So that the file alone holds everything, also while another process has it open. Else it is read from the log at the next start.
      thrownBy(() => writer?.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
      parts.dispose();
    },
  };
}

/** Whatever is open is closed when a part cannot be opened. */
function opened(options: SqliteOptions, file: string, named: NameFault) {
  const { path, readOnly } = options;
  using parts = new DisposableStack();
  try {
    // Closed last: closing any descriptor of the file gives up SQLite's locks on it.
    const descriptors = parts.use(new DisposableStack());
    // A reader that closes behind the writer leaves everything in the log.
    const writer = readOnly ? undefined : connect(options, parts);
    const reader = connect({ ...options, readOnly: true }, parts);
    if (!writer) return { reader, parts: parts.move() };
    // While nothing waits yet. What keeps it from being written is told by the first change.
    if (isBlank(`${path}-wal`)) thrownBy(() => beginLog(writer));
    const place = watchPlace(path, connectionOwner(writer), file, descriptors);
    const log = watchLog(path, (fault) => named(fault, 'write'), descriptors);
    return { reader, writer, place, log, parts: parts.move() };
  } catch (cause) {
    throw openingFault(cause, file, readOnly);
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

function connect({ path, readOnly, isBrief }: SqliteOptions, parts: DisposableStack): DatabaseSync {
  if (!readOnly) makePrivate(path);
  const place = isBrief && !existsSync(`${path}-wal`) ? asItIs(path) : path;
  const settings = { readOnly, timeout: OPENING_BUSY_MILLISECONDS, enableForeignKeyConstraints: true };
  const connection = parts.use(new DatabaseSync(place, settings));
  connection.exec((readOnly ? READER_SETTINGS : WRITER_SETTINGS) + SHARED_SETTINGS);
  if (!readOnly) giveOwner(connection);
  connection.exec('PRAGMA busy_timeout = 0');
  connection.function('in_time', {}, inTime);
  connection.function('has_word', { deterministic: true }, hasWord);
  connection.function('fold_sub_labels', { deterministic: true }, (text) =>
    typeof text === 'string' ? foldSubLabels(text) : null,
  );
  return connection;
}

/** SQLite takes no lock and makes no log: the file must not change while it is open. */
function asItIs(path: string): URL {
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

/** One table and its indices: an account table is small, so this takes well below a millisecond. */
function checkTable(reader: DatabaseSync, table: string, file: string): void {
  const rows = reader.prepare(`PRAGMA quick_check(${JSON.stringify(table)})`).all();
  const said = rows.map((row) => String(Object.values(row)[0]));
  if (said.join() !== 'ok') throw damagedFault(file, table, said[0] ?? '');
}

/** The database header, by the SQLite file format, section 1.3. */
const HEADER_BYTES = 100;
const LARGEST_PAGE = 65_536;

/**
 * Looks before each write whether the open file is still the one at its path, and whole: what is written elsewhere is lost.
 * `owner`: the application id of this store; a file without one is of an earlier version. `file`: for messages.
 */
function watchPlace(path: string, owner: number, file: string, descriptors: DisposableStack) {
  const handle = descriptors.adopt(openSync(path, 'r'), closeSync);
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
      if (!isSame() || !isSameLog()) throw lostFault(file, 'removed or replaced');
      const length = readSync(handle, bytes, 0, HEADER_BYTES, 0);
      const header = length === HEADER_BYTES ? readHeader(bytes) : undefined;
      const found = fstatSync(handle).size;
      // While another process moves its log into a file that grows, the header is written first.
      const isShorter = found < size && found < (header?.pages ?? 0) * (header?.pageSize ?? 0);
      if (!header || isShorter) throw lostFault(file, 'cut');
      if ((header.owner !== owner && header.owner !== 0) || header.changes < changes)
        throw lostFault(file, 'removed or replaced');
      [size, changes] = [found, header.changes];
    },
  };
}

function readHeader(bytes: Buffer) {
  if (bytes.toString('latin1', 0, SQLITE.length) !== SQLITE) return undefined;
  return {
    pageSize: bytes.readUInt16BE(16) === 1 ? LARGEST_PAGE : bytes.readUInt16BE(16),
    changes: bytes.readUInt32BE(24),
    pages: bytes.readUInt32BE(28),
    owner: bytes.readUInt32BE(68),
  };
}
