/** The driver of the PostgreSQL store: its faults get the service's words, and each change of this process is known here at once. */
import type { DatabaseConnection, Driver, Dialect as KyselyDialect, PostgresDialect, QueryResult } from 'kysely';
import { mayChangeVerdict } from '../engine/tables.ts';
import type { ChangeFeed } from './postgres-changes.ts';

type Changes = Pick<ChangeFeed, 'changedHere'> | undefined;
/** Gives the service's fault for the engine's. */
export type NameFault = (fault: unknown, by: 'read' | 'write') => unknown;

export const withChanges = (dialect: PostgresDialect, changes: Changes, named: NameFault): KyselyDialect => ({
  createDriver: () => watched(dialect.createDriver(), changes, named),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createAdapter: () => dialect.createAdapter(),
});

function watched(driver: Driver, changes: Changes, named: NameFault): Driver {
  const { acquireConnection, commitTransaction, rollbackTransaction } = driver;
  const known = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const inner = new WeakMap<DatabaseConnection, DatabaseConnection>();
  /** Connections that have changed something since their last commit. */
  const changed = new WeakSet<DatabaseConnection>();
  const wrap = (connection: DatabaseConnection): DatabaseConnection => {
    const before = known.get(connection);
    if (before) return before;
    const onChange = (): void => {
      changed.add(connection);
      changes?.changedHere();
    };
    const wrapped = watchedConnection(connection, onChange, named);
    known.set(connection, wrapped);
    inner.set(wrapped, connection);
    return wrapped;
  };
  const unwrapped = (connection: DatabaseConnection): DatabaseConnection => inner.get(connection) ?? connection;
  return Object.assign(driver, {
    acquireConnection: async () => {
      try {
        return wrap(await acquireConnection.call(driver));
      } catch (fault) {
        throw named(fault, 'read');
      }
    },
    commitTransaction: async (connection: DatabaseConnection) => {
      await commitTransaction.call(driver, unwrapped(connection)).catch((fault: unknown) => {
        throw named(fault, 'write');
      });
      if (changed.delete(unwrapped(connection))) changes?.changedHere();
    },
    // Where even this fails, Kysely gives the connection up: the fault that led here is the one to tell.
    rollbackTransaction: (connection: DatabaseConnection) =>
      rollbackTransaction.call(driver, unwrapped(connection)).catch(() => {}),
    releaseConnection: releasing(driver.releaseConnection.bind(driver), unwrapped),
  });
}

const releasing =
  (act: (connection: DatabaseConnection) => Promise<void>, unwrapped: (of: DatabaseConnection) => DatabaseConnection) =>
  (connection: DatabaseConnection): Promise<void> =>
    act(unwrapped(connection));

const watchedConnection = (
  connection: DatabaseConnection,
  onChange: () => void,
  named: NameFault,
): DatabaseConnection => ({
  streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  async executeQuery<Row>(query: Parameters<DatabaseConnection['executeQuery']>[0]): Promise<QueryResult<Row>> {
    try {
      const result = await connection.executeQuery<Row>(query);
      const { numAffectedRows = 0n } = result;
      if (numAffectedRows > 0n && mayChangeVerdict(query.sql)) onChange();
      return result;
    } catch (fault) {
      throw named(fault, /^\s*select\b/i.test(query.sql) ? 'read' : 'write');
    }
  },
});
