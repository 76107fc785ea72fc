/** A pool of connections for each host of the address; of several hosts, the one that takes writes (SPEC 10). */
import pg from 'pg';
import { messageOf } from '../../domain/message-of.ts';
import { storeFault } from '../../domain/store/store-fault.ts';

/** A host that is frozen must not keep the others waiting: longer than any connection within a site takes. */
export const HOST_MILLISECONDS = 2000;

const STANDBY = 'pg_is_in_recovery()';
const READ_ONLY = "current_setting('transaction_read_only')::boolean";

/** `check`: only connections to a server that takes writes are used. */
export function openPool(
  url: string,
  config: pg.PoolConfig,
  check: { readonly readOnly: boolean } | undefined,
): pg.Pool {
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

export async function reached(pool: pg.Pool): Promise<pg.Pool> {
  try {
    (await pool.connect()).release();
    return pool;
  } catch (fault) {
    retire(pool);
    throw fault;
  }
}

/** The others are ended. Rejects with what the first of them said when none can be had. */
export async function firstOf(pools: readonly Promise<pg.Pool>[]): Promise<pg.Pool> {
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
    const said = faults.map((one) => messageOf(one)).join('; ');
    throw storeFault('unreachable', `PostgreSQL: every host is read-only or unreachable (${said})`, fault);
  }
}

/** Connections in use end when they are given back. */
export const retire = (pool: pg.Pool): void => void pool.end().catch(() => {});
