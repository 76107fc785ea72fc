/** Connections to the PostgreSQL server; they are made anew when it refuses writes or does not answer (SPEC 10). */
import type { PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { outOfTime } from '../../domain/events/event-question.ts';
import { findStoreFault, type StoreFault, storeFault } from '../../domain/store/store-fault.ts';
import { mayChangeVerdict } from '../engine/tables.ts';
import { CHANGED } from './postgres-changes.ts';

interface ServerPoolOptions {
  readonly config: pg.PoolConfig;
  /** Settings of a session, which are given at its start. A pooler that takes none is used without them. */
  readonly session: pg.PoolConfig;
  /** Called when a statement has changed a row, or something that is remembered, and again when that may hold for others. */
  readonly onChange: (row?: string) => void;
  /** Gives the service's fault for the engine's. */
  readonly named: (fault: unknown, by: 'read' | 'write') => unknown;
}

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

/** SQLSTATE classes that say something of the server or the way to it, and nothing of the statement. */
const TROUBLES: readonly string[] = ['08', '25006', '25P03', '53', '55P03', '57', '58', 'XX'];
const STATEMENT_TIMEOUT = '57014';
/** `pg` names these by their text alone. */
const CLIENT_FAULTS = /timeout|terminated|not queryable|ended/i;

/** A fault of the statement stays as it is. */
export function toTrouble(fault: unknown): unknown {
  if (!(fault instanceof Error) || findStoreFault(fault) !== undefined) return fault;
  const code = 'code' in fault ? String(fault.code) : '';
  // A question that is too slow, or a write that the server does not get done: both are of the store.
  if (code === STATEMENT_TIMEOUT) return Object.assign(outOfTime(), { storeFault: 'unreachable' });
  const isOfServer = TROUBLES.some((trouble) => code.startsWith(trouble));
  const isOfWay = /^E[A-Z]+$/.test(code) || (code === '' && CLIENT_FAULTS.test(fault.message));
  return isOfServer || isOfWay
    ? storeFault(KINDS[code] ?? 'unreachable', `PostgreSQL: ${fault.message || code}`, fault)
    : fault;
}

/** disk_full, lock_not_available, read_only_sql_transaction, data_corrupted and index_corrupted. */
const KINDS: Readonly<Record<string, StoreFault>> = {
  '55P03': 'locked',
  '53100': 'full',
  '25006': 'read-only',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

/** Whatever keeps a connection from being made: the network, the certificate, the password, the database's name. */
export function connectFault(fault: unknown): unknown {
  const told = toTrouble(fault);
  if (findStoreFault(told) !== undefined || !(fault instanceof Error)) return told;
  return storeFault('unreachable', `PostgreSQL: no connection: ${fault.message}`, fault);
}

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
