/** Connections to the PostgreSQL server; they are made anew when it refuses writes or does not answer (SPEC 10). */
import type { PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { mayChangeVerdict } from '../engine/tables.ts';
import { CHANGED } from './postgres-changes.ts';
import { connectFault, isOfConnection, isOfServer } from './postgres-faults.ts';

interface ServerPoolOptions {
  readonly config: pg.PoolConfig;
  /** Settings of a session, which are given at its start. A pooler that takes none is used without them. */
  readonly session: pg.PoolConfig;
  /** Called when a statement has changed a row, or something that is remembered, and again when that may hold for others. */
  readonly onChange: (row?: string) => void;
  /** Gives the service's fault for the engine's. */
  readonly named: (fault: unknown, by: 'read' | 'write') => unknown;
}

export type ServerPool = ReturnType<typeof createServerPool>;

export function createServerPool({ config, session, onChange, named }: ServerPoolOptions) {
  let isPooler = false;
  const open = (): pg.Pool => {
    const opened = new pg.Pool(isPooler ? config : { ...config, ...session });
    opened.on('error', () => {}); // an idle connection that ends is replaced by the next query
    // One that ends between two statements of a transaction has no query to reject: unheard, it would end the process.
    opened.on('connect', (client) => client.on('error', () => {}));
    return opened;
  };
  let pool = open();
  /** All connections are given up: the server may have gone in a way that they cannot notice. */
  const renew = (): void => {
    void pool.end().catch(() => {}); // connections in use end when they are given back
    pool = open();
  };
  const acquired = async (from: pg.Pool) => ({ client: await from.connect(), from });
  const acquire = async () => {
    const first = pool;
    try {
      return await acquired(first).catch((fault: unknown) => {
        if (!isPooler && refusesSettings(fault)) {
          isPooler = true;
          renew();
        }
        if (first === pool) throw fault; // else it was replaced while this waited
        return acquired(pool);
      });
    } catch (fault) {
      throw connectFault(fault);
    }
  };
  const lease = async () => {
    const { client, from } = await acquire();
    let isBroken = false;
    const rows = new Set<string>();
    const onNotice = ({ message = '' }: { readonly message?: string | undefined }): void => {
      if (message.startsWith(CHANGED)) rows.add(message.slice(CHANGED.length));
    };
    client.on('notice', onNotice);
    return {
      async query(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
        try {
          return await client.query(text, values.map(withoutNul));
        } catch (fault) {
          if (isOfServer(fault) && from === pool) renew();
          isBroken ||= text === 'rollback' || isOfConnection(fault);
          throw fault;
        } finally {
          for (const row of rows) onChange(row); // a commit that failed may hold
        }
      },
      release(destroy = false): void {
        client.off('notice', onNotice);
        client.release(destroy || isBroken);
      },
    };
  };
  /** A connection for the query builder. */
  const connect = async (): Promise<PostgresPoolClient> => {
    const { query, release } = await lease().catch((fault: unknown) => {
      throw named(fault, 'read');
    });
    let hasChanged = false;
    const watched = async (text: string, values?: readonly unknown[]) => {
      try {
        const result = await query(text, values);
        const changes = WRITES.includes(result.command) && Boolean(result.rowCount) && mayChangeVerdict(text);
        hasChanged ||= changes;
        if (changes || (hasChanged && text === 'commit')) onChange();
        return result;
      } catch (fault) {
        // The fault that led to a rollback is the one to tell; this connection is given up.
        if (text === 'rollback') return { command: 'ROLLBACK' };
        throw named(fault, /^\s*select\b/i.test(text) ? 'read' : 'write');
      }
    };
    return { query: watched as PostgresPoolClient['query'], release };
  };
  /** The rows of one statement. */
  const ask = async <Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> => {
    const { query, release } = await lease();
    try {
      return (await query(text, values)).rows;
    } finally {
      release();
    }
  };
  return { options: {}, renew, ask, connect, end: () => pool.end() };
}

const WRITES: readonly string[] = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

/** PgBouncer's own words, for what `ignore_startup_parameters` does not name. */
const refusesSettings = (fault: unknown): boolean =>
  fault instanceof Error && fault.message.includes('unsupported startup parameter');

/**
 * A text with U+FFFD in the place of NUL, as `pg` itself writes half of a surrogate pair: what was written so is found by
 * the same text.
 */
const withoutNul = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value);
