/** Reads on one connection and writes on another, so that a write that waits for SQLite's lock delays no read. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { createTaskQueue } from '../../domain/async.ts';
import { thrownBy } from '../../domain/store/store-fault.ts';
import type { OnFault } from '../engine/engine.ts';
import { mayChangeVerdict } from '../engine/tables.ts';
import { isBusy, namedFault } from './sqlite-faults.ts';

interface DriverOptions {
  readonly reader: DatabaseSync;
  /** The same as `reader` where nothing may be written. */
  readonly writer: DatabaseSync;
  /** The file's name in error messages. */
  readonly file: string;
  /** Called after each write that holds and may change a verdict, and not before. */
  readonly onChange: () => void;
  /** Called for each fault that leaves here. */
  readonly onFault: OnFault;
  /** Throws when what is written now would be lost. */
  readonly check: () => void;
  /** Waiting for the lock ends then. */
  readonly isClosed: () => boolean;
}

/** How long a statement waits for a lock that another process holds, and for its place behind other writes. */
export const LOCK_PATIENCE_MS = 5000;
const BUSY_PAUSE_MS = 10;

interface SqliteConnection extends DatabaseConnection {
  /** Gives the write lock back; defined in a transaction. */
  release: (() => void) | undefined;
  /** The transaction may have changed a verdict. */
  changes: boolean;
}

export function createSqliteDriver({ reader, writer, file, onChange, onFault, check, isClosed }: DriverOptions) {
  const queue = createTaskQueue(1).enter;
  /** A file that was cut reads as a damaged one: the cause is told. */
  const named = (fault: unknown, by: 'read' | 'write'): unknown => {
    const known = namedFault(thrownBy(check) ?? fault, file);
    onFault(known, by);
    return known;
  };
  const told = <Outcome>(work: () => Outcome, by: 'read' | 'write' = 'write'): Outcome => {
    try {
      return work();
    } catch (fault) {
      throw named(fault, by);
    }
  };
  /** SQLite's own waiting would stop the event loop, and with it the transaction of this process that is waited for. */
  const retried = async <Outcome>(
    work: () => Outcome,
    deadline = performance.now() + LOCK_PATIENCE_MS,
    by: 'read' | 'write' = 'write',
  ): Promise<Outcome> => {
    for (;;) {
      try {
        return work();
      } catch (fault) {
        if (!isBusy(fault) || isClosed() || performance.now() >= deadline) throw named(fault, by);
      }
      await delay(BUSY_PAUSE_MS);
    }
  };
  /** Work on the writer that takes its turn, and is tried again while another process holds the lock. */
  const write = async <Outcome>(work: () => Outcome, patienceMs = LOCK_PATIENCE_MS): Promise<Outcome> => {
    const deadline = performance.now() + patienceMs;
    const release = await queue();
    try {
      told(check);
      return await retried(work, deadline);
    } finally {
      release();
    }
  };
  /**
   * A plain `begin` takes the write lock at the first write, and fails there without waiting when another process has
   * written since the first read. `begin immediate` takes it at once, so writers queue.
   */
  const begin = async (): Promise<() => void> => {
    const deadline = performance.now() + LOCK_PATIENCE_MS;
    const release = await queue();
    try {
      abandon(writer);
      told(check);
      await retried(() => writer.exec(writer === reader ? 'begin' : 'begin immediate'), deadline);
      return release;
    } catch (fault) {
      release();
      throw fault;
    }
  };
  const execute = async (query: CompiledQuery, connection: SqliteConnection): Promise<QueryResult<never>> => {
    const changes = mayChangeVerdict(query.sql);
    if (connection.release) {
      connection.changes ||= changes;
      return told(() => run(query, writer));
    }
    if (isRead(query.sql)) return retried(() => run(query, reader), undefined, 'read');
    return write(() => {
      const done = run(query, writer);
      if (changes) onChange();
      return done;
    });
  };
  const endTransaction = (connection: DatabaseConnection): void => {
    (connection as SqliteConnection).release?.();
    (connection as SqliteConnection).release = undefined;
  };
  const driver: Driver = {
    init: async () => {},
    destroy: async () => {},
    async acquireConnection() {
      const connection: SqliteConnection = {
        release: undefined,
        changes: false,
        executeQuery: (query) => execute(query, connection) as Promise<QueryResult<never>>,
        // biome-ignore lint/correctness/useYield: nothing is streamed
        async *streamQuery() {
          throw new Error('the SQLite store does not stream rows');
        },
      };
      return connection;
    },
    async beginTransaction(connection) {
      Object.assign(connection, { release: await begin(), changes: false });
    },
    async commitTransaction(connection) {
      try {
        told(() => {
          check();
          writer.exec('commit');
        });
      } finally {
        // At once: what is read from now on is new. A commit that failed is taken for one that may hold.
        if ((connection as SqliteConnection).changes) onChange();
      }
      endTransaction(connection);
    },
    async rollbackTransaction(connection) {
      try {
        abandon(writer);
      } finally {
        endTransaction(connection);
      }
    },
    releaseConnection: async (connection) => endTransaction(connection),
  };
  return { driver, write, told };
}

/**
 * SQLite itself rolls back when the disk is full or fails; a second rollback would then hide the first fault behind
 * "cannot rollback - no transaction is active".
 */
function abandon(writer: DatabaseSync): void {
  if (!writer.isTransaction) return;
  try {
    writer.exec('rollback');
  } catch {
    // The fault that led here is the one to tell; the next transaction tries again.
  }
}

const isRead = (text: string): boolean => /^\s*(?:select|with)\b/i.test(text);

function run({ sql, parameters }: CompiledQuery, connection: DatabaseSync): QueryResult<never> {
  const statement = connection.prepare(sql);
  const values = parameters.map(bindable);
  if (statement.columns().length > 0) return { rows: statement.all(...values) as never[] };
  const { changes, lastInsertRowid } = statement.run(...values);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}

function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  return value === undefined ? null : (value as SQLInputValue);
}
