/** Connections to the PostgreSQL server; they are made anew when it refuses writes or does not answer (SPEC 10). */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { CHANGED } from './postgres-changes.ts';
import { connectFault, isOfConnection, isOfServer } from './postgres-faults.ts';

export interface ServerPool extends PostgresPool {
  /** The rows of one statement. */
  ask<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** All connections are given up: the server may have gone in a way that they cannot notice. */
  renew(): void;
}

interface ServerPoolOptions {
  readonly config: pg.PoolConfig;
  /** Settings of a session, which are given at its start. A pooler that takes none is used without them. */
  readonly session: pg.PoolConfig;
  /** Called for each row that a statement has changed: when it was changed, and when that may hold for others. */
  readonly onRow: (row: string) => void;
}

export function createServerPool({ config, session, onRow }: ServerPoolOptions): ServerPool {
  let isPooler = false;
  const open = (): pg.Pool => {
    const opened = new pg.Pool(isPooler ? config : { ...config, ...session });
    opened.on('error', () => {}); // an idle connection that ends is replaced by the next query
    // One that ends between two statements of a transaction has no query to reject: unheard, it would end the process.
    opened.on('connect', (client) => client.on('error', () => {}));
    return opened;
  };
  let pool = open();
  const renew = (): void => {
    void pool.end().catch(() => {}); // connections in use end when they are given back
    pool = open();
  };
  const acquire = async (): Promise<Acquired> => {
    const first = pool;
    try {
      return await acquiredFrom(first).catch((fault: unknown) => {
        if (!isPooler && refusesSettings(fault)) {
          isPooler = true;
          renew();
        }
        if (first === pool) throw fault; // else it was replaced while this waited
        return acquiredFrom(pool);
      });
    } catch (fault) {
      throw connectFault(fault);
    }
  };
  const leased = async (): Promise<PostgresPoolClient> => {
    const { client, from } = await acquire();
    let isBroken = false;
    const rows = new Set<string>();
    const onNotice = ({ message = '' }: { readonly message?: string | undefined }): void => {
      if (message.startsWith(CHANGED)) rows.add(message.slice(CHANGED.length));
    };
    client.on('notice', onNotice);
    const query = async (text: string, values: readonly unknown[] = []): Promise<unknown> => {
      try {
        return await client.query(text, values.map(withoutNul));
      } catch (fault) {
        if (isOfServer(fault) && from === pool) renew();
        isBroken ||= isOfConnection(fault);
        throw fault;
      } finally {
        for (const row of rows) onRow(row); // a commit that failed may hold
      }
    };
    const release = (destroy = false): void => {
      client.off('notice', onNotice);
      client.release(destroy || isBroken);
    };
    return { query: query as PostgresPoolClient['query'], release };
  };
  const ask = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    const client = await leased();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      client.release();
    }
  };

  return { options: {}, renew, ask, connect: leased, end: () => pool.end() };
}

/** PgBouncer's own words, for what `ignore_startup_parameters` does not name. */
const refusesSettings = (fault: unknown): boolean =>
  fault instanceof Error && fault.message.includes('unsupported startup parameter');

interface Acquired {
  readonly client: pg.PoolClient;
  readonly from: pg.Pool;
}

const acquiredFrom = async (from: pg.Pool): Promise<Acquired> => ({ client: await from.connect(), from });

/**
 * A text with U+FFFD in the place of NUL, as `pg` itself writes half of a surrogate pair: what was written so is found by
 * the same text.
 */
const withoutNul = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value);
