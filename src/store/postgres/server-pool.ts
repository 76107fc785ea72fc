/** Connections to the PostgreSQL server that takes writes: with several hosts it is found anew after a failover (SPEC 10). */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { firstOf, openPool, reached, retire } from './host-pools.ts';
import { CHANGED } from './listen.ts';
import { connectFault, isOfConnection, isOfServer } from './postgres-faults.ts';

export interface ServerPool extends PostgresPool {
  /** Any of the connections, for as long as the work takes. */
  use<Outcome>(work: (client: pg.ClientBase) => Promise<Outcome>): Promise<Outcome>;
  ask(text: string, values?: readonly unknown[]): Promise<void>;
  /** All connections are given up: the server may have gone in a way that they cannot notice. */
  renew(): void;
}

interface ServerPoolOptions {
  /** The address of each host, in the order in which they are tried. */
  readonly urls: readonly string[];
  readonly config: pg.PoolConfig;
  /** Settings of a session, which are given at its start. A pooler that takes none is used without them. */
  readonly session: pg.PoolConfig;
  /** Reads only: any server that is no standby will do. */
  readonly readOnly: boolean;
  /** Called for each row that a statement has changed: when it was changed, and when that may hold for others. */
  readonly onRow: (row: string) => void;
}

export function createServerPool({ urls, config, session, readOnly, onRow }: ServerPoolOptions): ServerPool {
  const isOneOfSeveral = urls.length > 1;
  let isPooler = false;
  const open = (url: string): pg.Pool =>
    openPool(url, isPooler ? config : { ...config, ...session }, isOneOfSeveral ? { readOnly } : undefined);
  let pool = open(urls[0] ?? '');
  let searching: Promise<pg.Pool> | undefined;
  let isSuspect = false;

  const change = (found: pg.Pool): pg.Pool => {
    retire(pool);
    isSuspect = false;
    pool = found;
    return found;
  };
  /** One search at a time, all hosts at once: the first that takes writes is used. */
  const search = (): Promise<pg.Pool> => {
    searching ??= firstOf(urls.map((url) => reached(open(url))))
      .then(change)
      .finally(() => {
        searching = undefined;
      });
    return searching;
  };
  const renew = (): void => {
    if (isOneOfSeveral) isSuspect = true;
    else change(open(urls[0] ?? ''));
  };
  const acquire = async (): Promise<Acquired> => {
    try {
      return await anyAcquired().catch((fault: unknown) => {
        if (isPooler || !refusesSettings(fault)) throw fault;
        isPooler = true;
        change(open(urls[0] ?? ''));
        return anyAcquired();
      });
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
  const noted = ({ from }: Acquired, fault: unknown): boolean => {
    if (isOfServer(fault) && from === pool) renew();
    return isOfConnection(fault);
  };
  const leased = (acquired: Acquired): PostgresPoolClient => {
    const { client } = acquired;
    let isBroken = false;
    const rows = new Set<string>();
    const onNotice = ({ message = '' }: { readonly message?: string | undefined }): void => {
      if (message.startsWith(CHANGED)) rows.add(message.slice(CHANGED.length));
    };
    client.on('notice', onNotice);
    const query = async (text: string, values: unknown[] = []): Promise<unknown> => {
      try {
        return await client.query(text, parametersWithoutNul(values));
      } catch (fault) {
        isBroken ||= noted(acquired, fault);
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
  const inUse = async <Outcome>(work: (client: pg.ClientBase) => Promise<Outcome>): Promise<Outcome> => {
    const acquired = await acquire();
    let isBroken = false;
    try {
      return await work(acquired.client);
    } catch (fault) {
      isBroken = noted(acquired, fault);
      throw fault;
    } finally {
      acquired.client.release(isBroken);
    }
  };

  return {
    options: {},
    renew,
    use: inUse,
    connect: async () => leased(await acquire()),
    ask: (text, values = []) => inUse(async (client) => void (await client.query(text, [...values]))),
    async end() {
      await searching?.catch(() => {});
      await pool.end();
    },
  };
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
 * The text with U+FFFD in the place of NUL, as `pg` itself writes half of a surrogate pair: what was written so is found by
 * the same text.
 */
const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);

/** Parameters of a statement. */
const parametersWithoutNul = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (typeof value === 'string' ? withoutNul(value) : value));
