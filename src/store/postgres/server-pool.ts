/** Connections to the PostgreSQL server that takes writes: with several hosts it is found anew after a failover (SPEC 10). */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { storeFault } from '../../domain/store-fault.ts';
import { connectFault } from './postgres-faults.ts';

export interface ServerPool extends PostgresPool {
  /** On a connection of its own choice. */
  ask(text: string, values?: readonly unknown[]): Promise<void>;
  /** All connections are given up: the server may have gone in a way that they cannot notice. */
  renew(): void;
}

export interface ServerPoolOptions {
  /** Of each host, in the order in which they are tried. */
  readonly urls: readonly string[];
  readonly config: pg.PoolConfig;
  /** Reads only: any server that is no standby will do. */
  readonly readOnly: boolean;
}

/** A host that is frozen must not keep the others waiting: longer than any connection within a site takes. */
export const HOST_MILLISECONDS = 2000;

const STANDBY = 'pg_is_in_recovery()';
const READ_ONLY = "current_setting('transaction_read_only')::boolean";

export function createServerPool({ urls, config, readOnly }: ServerPoolOptions): ServerPool {
  const isOneOfSeveral = urls.length > 1;
  const open = (url: string): pg.Pool => openPool(url, config, isOneOfSeveral ? { readOnly } : undefined);
  let pool = open(urls[0] ?? '');
  let searching: Promise<pg.Pool> | undefined;
  let isSuspect = false;

  const use = (found: pg.Pool): pg.Pool => {
    retire(pool);
    isSuspect = false;
    pool = found;
    return found;
  };
  /** One search at a time, all hosts at once: the first that takes writes is used. */
  const search = (): Promise<pg.Pool> => {
    searching ??= firstOf(urls.map((url) => reached(open(url))))
      .then(use)
      .finally(() => {
        searching = undefined;
      });
    return searching;
  };
  const renew = (): void => {
    if (isOneOfSeveral) isSuspect = true;
    else use(open(urls[0] ?? ''));
  };
  const acquire = async (): Promise<Acquired> => {
    try {
      return await anyAcquired();
    } catch (fault) {
      throw connectFault(fault);
    }
  };
  const anyAcquired = async (): Promise<Acquired> => {
    if (searching || isSuspect) return acquiredFrom(await search());
    const used = pool;
    try {
      return await acquiredFrom(used);
    } catch (fault) {
      if (used !== pool) return acquiredFrom(pool); // it was replaced while this waited
      if (!isOneOfSeveral) throw fault;
      return acquiredFrom(await search());
    }
  };
  const leased = ({ client, from }: Acquired): PostgresPoolClient => {
    let isBroken = false;
    const query = async (text: string, values: unknown[]): Promise<unknown> => {
      try {
        return await client.query(text, values);
      } catch (fault) {
        if (isOfConnection(fault)) isBroken = true;
        if (isOfServer(fault) && from === pool) renew();
        throw fault;
      }
    };
    const release = (destroy = false): void => client.release(destroy || isBroken);
    return { query: query as PostgresPoolClient['query'], release };
  };

  return {
    options: {},
    renew,
    connect: async () => leased(await acquire()),
    async ask(text, values = []) {
      const client = leased(await acquire());
      try {
        await client.query(text, values);
      } finally {
        client.release();
      }
    },
    async end() {
      await searching?.catch(() => {});
      await pool.end();
    },
  };
}

interface Acquired {
  readonly client: pg.PoolClient;
  readonly from: pg.Pool;
}

const acquiredFrom = async (from: pg.Pool): Promise<Acquired> => ({ client: await from.connect(), from });

/** `check`: only connections to a server that takes writes are used. */
function openPool(url: string, config: pg.PoolConfig, check: { readonly readOnly: boolean } | undefined): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    connectionString: url,
    ...(check && {
      connectionTimeoutMillis: HOST_MILLISECONDS,
      onConnect: (client: pg.ClientBase) => assertPrimary(client, check.readOnly),
    }),
  });
  pool.on('error', () => {}); // an idle connection that ends is replaced by the next query
  // One that ends between two statements of a transaction has no query to reject: unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Rejects when the server is a standby, or refuses writes. */
export async function assertPrimary(client: pg.ClientBase, readOnly = false): Promise<void> {
  const text = `select ${readOnly ? STANDBY : `${STANDBY} or ${READ_ONLY}`} as refuses`;
  const question = { text, query_timeout: HOST_MILLISECONDS };
  const { rows } = await client.query<{ refuses: boolean }>(question);
  if (rows[0]?.refuses !== false) throw storeFault('read-only', 'PostgreSQL: the server is read-only', undefined);
}

async function reached(pool: pg.Pool): Promise<pg.Pool> {
  try {
    (await pool.connect()).release();
    return pool;
  } catch (fault) {
    retire(pool);
    throw fault;
  }
}

/** The others are ended. Rejects with what the first of them said when none can be had. */
async function firstOf(pools: readonly Promise<pg.Pool>[]): Promise<pg.Pool> {
  try {
    const found = await Promise.any(pools);
    for (const other of pools)
      void other.then(
        (late) => late !== found && retire(late),
        () => {},
      );
    return found;
  } catch (fault) {
    const faults: readonly unknown[] = fault instanceof AggregateError ? fault.errors : [fault];
    const said = faults.map((one) => (one instanceof Error ? one.message : String(one))).join('; ');
    throw storeFault('unreachable', `PostgreSQL: every host is read-only or unreachable (${said})`, fault);
  }
}

/** Connections in use end when they are given back. */
const retire = (pool: pg.Pool): void => void pool.end().catch(() => {});

/** SQLSTATE class of what ends a connection, and `pg`'s own words without one. */
const isOfConnection = (fault: unknown): boolean => {
  const code = codeOf(fault);
  return code === '' || /^(?:08|57P|25006|25P03|E[A-Z]+$)/.test(code);
};

/** The server refuses writes, or does not answer in time: its other connections are no better. */
const isOfServer = (fault: unknown): boolean =>
  codeOf(fault) === '25006' || (fault instanceof Error && fault.message === 'Query read timeout');

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
