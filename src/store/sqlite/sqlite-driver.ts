/** Reads on one connection and writes on another, so that a write that waits for SQLite's lock delays no read. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { createTaskQueue } from '../../domain/async.ts';
import { isNoted, mayChangeVerdict } from '../engine/tables.ts';
import { isBusy } from './sqlite-faults.ts';
import type { StoreLog } from './sqlite-log.ts';

/** Gives the service's fault for the engine's. */
export type NameFault = (fault: unknown, by: 'read' | 'write') => unknown;

interface DriverOptions {
  readonly reader: DatabaseSync;
  /** The same as `reader` where nothing may be written. */
  readonly writer: DatabaseSync;
  /** Called after each write that holds and may change a verdict, and not before. */
  readonly onChange: () => void;
  readonly named: NameFault;
  /** Throws when what is written now would be lost. */
  readonly check: () => void;
  /** Undefined where nothing may be written. */
  readonly log: StoreLog | undefined;
  /** Waiting for the lock ends then. */
  readonly isClosed: () => boolean;
}

/** How long a statement waits for a lock that another process holds, and for its place behind other writes. */
const LOCK_PATIENCE_MS = 5000;
const BUSY_PAUSE_MS = 10;

interface SqliteConnection extends DatabaseConnection {
  /** Gives the write lock back; defined in a transaction. */
  release: (() => void) | undefined;
  /** What the transaction has asked and written. */
  statements: Set<string>;
}

export function createSqliteDriver({ reader, writer, onChange, named, check, log, isClosed }: DriverOptions) {
  const queue = createTaskQueue(1).enter;
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
  /** Begins work on the writer when its turn has come, and tries again while another process holds the lock. */
  const inTurn = async <Outcome>(work: () => Outcome, patienceMs = LOCK_PATIENCE_MS) => {
    const deadline = performance.now() + patienceMs;
    const release = await queue();
    try {
      told(check);
      await log?.ready();
      return { outcome: await retried(work, deadline), release };
    } catch (fault) {
      release();
      throw fault;
    }
  };
  const write = async <Outcome>(work: () => Outcome, patienceMs?: number): Promise<Outcome> => {
    const { outcome, release } = await inTurn(work, patienceMs);
    release();
    return outcome;
  };
  /**
   * A plain `begin` takes the write lock at the first write, and fails there without waiting when another process has
   * written since the first read. `begin immediate` takes it at once, so writers queue.
   */
  const begin = (): void => {
    abandon(writer);
    writer.exec(writer === reader ? 'begin' : 'begin immediate');
  };
  const execute = async (query: CompiledQuery, connection: SqliteConnection): Promise<QueryResult<never>> => {
    if (connection.release) {
      connection.statements.add(query.sql);
      return told(() => run(query, writer));
    }
    if (isRead(query.sql)) return retried(() => run(query, reader), undefined, 'read');
    const done = await write(() => {
      const result = run(query, writer);
      if (mayChangeVerdict(query.sql)) onChange();
      return result;
    });
    if (!isNoted(query.sql)) await log?.synced(true);
    return done;
  };
  /** The turn passes to the next write, which need not wait for the disk. */
  const endTransaction = (connection: SqliteConnection): void => {
    connection.release?.();
    connection.release = undefined;
  };
  const driver: Driver = {
    init: async () => {},
    destroy: async () => {},
    async acquireConnection() {
      const connection: SqliteConnection = {
        release: undefined,
        statements: new Set(),
        executeQuery: (query) => execute(query, connection) as Promise<QueryResult<never>>,
        // biome-ignore lint/correctness/useYield: nothing is streamed
        async *streamQuery() {
          throw new Error('the SQLite store does not stream rows');
        },
      };
      return connection;
    },
    async beginTransaction(connection: SqliteConnection) {
      const { release } = await inTurn(begin);
      Object.assign(connection, { release, statements: new Set() });
    },
    async commitTransaction(connection: SqliteConnection) {
      const statements = [...connection.statements];
      try {
        told(() => {
          check();
          writer.exec('commit');
        });
      } finally {
        // At once: what is read from now on is new. A commit that failed is taken for one that may hold.
        if (statements.some(mayChangeVerdict)) onChange();
      }
      endTransaction(connection);
      const writes = statements.some((text) => !isQuestion(text) && !isNoted(text));
      // Also a refusal may follow from what is not on the disk yet.
      if (writes || !statements.some(isNoted)) await log?.synced(writes);
    },
    async rollbackTransaction(connection: SqliteConnection) {
      // It was committed, and did not reach the disk: the transaction that is open now is another one.
      if (connection.release) abandon(writer);
      endTransaction(connection);
    },
    releaseConnection: async (connection: SqliteConnection) => endTransaction(connection),
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

const isQuestion = (text: string): boolean => /^\s*select\b/i.test(text);
const isRead = (text: string): boolean => isQuestion(text) || /^\s*with\b/i.test(text);

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
