/** The driver of the PostgreSQL store: its faults get the service's words, and each change of this process is known here at once. */
import type { DatabaseConnection, Driver, Dialect as KyselyDialect, PostgresDialect } from 'kysely';
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
  const acquire = driver.acquireConnection.bind(driver);
  const commit = driver.commitTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  /** Connections that have changed something since their last commit. */
  const changed = new WeakSet<DatabaseConnection>();
  const watch = (connection: DatabaseConnection): void => {
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = async (query) => {
      try {
        const result = await execute<never>(query);
        const { numAffectedRows = 0n } = result;
        if (numAffectedRows > 0n && mayChangeVerdict(query.sql)) {
          changed.add(connection);
          changes?.changedHere();
        }
        return result;
      } catch (fault) {
        throw named(fault, /^\s*select\b/i.test(query.sql) ? 'read' : 'write');
      }
    };
  };
  return Object.assign(driver, {
    async acquireConnection() {
      const connection = await acquire().catch((fault: unknown) => {
        throw named(fault, 'read');
      });
      if (!Object.hasOwn(connection, 'executeQuery')) watch(connection);
      return connection;
    },
    async commitTransaction(connection: DatabaseConnection) {
      await commit(connection);
      if (changed.delete(connection)) changes?.changedHere();
    },
    rollbackTransaction(connection: DatabaseConnection) {
      // Where even this fails, Kysely gives the connection up: the fault that led here is the one to tell.
      Reflect.deleteProperty(connection, 'executeQuery');
      return rollback(connection).catch(() => {});
    },
  });
}
