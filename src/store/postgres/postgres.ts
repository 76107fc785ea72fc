/** The PostgreSQL engine: Kysely's own dialect over a pool of `pg`, and the notices of changes. */
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { postgresAddress } from '../../domain/addresses.ts';
import { type Engine, type StoreOptions, WRITE_NOTHING } from '../engine/engine.ts';
import { loginAttempts } from './login-attempts.ts';
import { type ChangeFeed, openChangeFeed } from './postgres-changes.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { connectFault, createServerPool, toTrouble } from './server-pool.ts';

/** The most at once, beside the one that listens. */
const CONNECTIONS = 8;
const CONNECT_MILLISECONDS = 5000;
const STATEMENT_SECONDS = 10;
/** A server that is frozen ends no statement: the client gives up a while after the server should have. */
const CLIENT_GRACE_MILLISECONDS = 2000;

/** The time for a lock: as long as a write to SQLite waits for its own. */
const LOCK_MILLISECONDS = 5000;
const IDLE_TRANSACTION_MILLISECONDS = 5000;

/** The type of whole numbers of 64 bits: what counts events fits a double. */
const INT8 = 20;
pg.types.setTypeParser(INT8, Number);

/** Rejects with a sentence when the server cannot be reached or refuses. */
export async function postgresEngine(options: StoreOptions): Promise<Engine> {
  const { url, listenUrl = url, readOnly = false, onCurrent = () => {}, onFault = () => {} } = options;
  const statement = (options.statementSeconds ?? STATEMENT_SECONDS) * 1000;
  let changes: ChangeFeed | undefined;
  const named = (fault: unknown, by: 'read' | 'write'): unknown => {
    const told = toTrouble(fault);
    onFault(told, by);
    return told;
  };
  const pool = createServerPool({
    named,
    onChange: (row) => changes?.changedHere(row),
    config: {
      connectionString: connectionAddress(url),
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      query_timeout: statement + CLIENT_GRACE_MILLISECONDS,
      application_name: 'postern',
    },
    session: {
      statement_timeout: statement,
      lock_timeout: LOCK_MILLISECONDS,
      // A replica that is frozen in a transaction holds its locks no longer than this.
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MILLISECONDS,
      // Statements behind a lock must see what its last holder committed, whatever the database's own default is.
      options: `-c default_transaction_isolation=read\\ committed${readOnly ? ' -c default_transaction_read_only=on' : ''}`,
    },
  });
  // A reader remembers nothing. One that looks what a start would do checks whether changes are heard.
  if (!readOnly || options.isBrief) {
    const connectionString = connectionAddress(listenUrl);
    changes = await openChangeFeed({
      client: { connectionString, connectionTimeoutMillis: CONNECT_MILLISECONDS, application_name: 'postern changes' },
      ask: pool.ask,
      now: () => performance.now(),
      onCurrent,
      onReconnect: pool.renew,
    }).catch(async (fault) => {
      await pool.end();
      throw connectFault(fault);
    });
  }
  return {
    dialect: new PostgresDialect({ pool }),
    words: postgresDialect,
    version: () => changes?.version() ?? '',
    heard: changes?.heard,
    async serverTime() {
      const [row] = await pool.ask<{ now: number }>('select extract(epoch from clock_timestamp())::float8 as now');
      return row?.now ?? Number.NaN;
    },
    attempts: loginAttempts(<Row>(text: string, values: readonly unknown[]) =>
      pool.ask<Row>(text, values).catch((fault: unknown) => {
        throw named(fault, 'write');
      }),
    ),
    isCurrent: () => changes?.isCurrent() ?? true,
    name: 'the store on PostgreSQL',
    file: undefined,
    glance: () => {},
    async probe(tables) {
      const texts = readOnly ? [readingOf(tables)] : [WRITE_NOTHING, readingOf(tables)];
      try {
        for (const text of texts) await pool.ask(text);
      } catch (fault) {
        throw named(fault, 'read');
      }
    },
    copyTo: async () => {}, // the server's own backups
    close: async () => changes?.close(),
  };
}

const connectionAddress = (url: string): string => {
  const address = postgresAddress(url);
  if (!address.ok) throw new Error(`the address of the store ${address.error}`);
  return address.value;
};

/** Shorter than a probe may take, so that the lock is told and not its silence. */
const PROBE_LOCK_MILLISECONDS = 1000;

/** Each table is read, so that a lock is found. */
const readingOf = (tables: readonly string[]): string =>
  `set local lock_timeout = ${PROBE_LOCK_MILLISECONDS}; select ${tables.map((table) => `(select 1 from ${table} limit 1)`).join(', ')}`;
