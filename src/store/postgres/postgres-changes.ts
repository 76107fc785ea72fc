/** Changes of the PostgreSQL store as every replica hears of them: LISTEN on a connection of its own, to the server that takes writes, with a heartbeat (SPEC 10). */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { repeated } from '../../domain/async.ts';
import { storeFault } from '../../domain/store/store-fault.ts';
import type { HeardChanges } from '../engine/engine.ts';

/** The channel that the triggers of the store notify (migration `baseline`). */
export const CHANGES_CHANNEL = 'postern_changes';
/** What the connection that changes a row is told of it begins so. */
export const CHANGED = `${CHANGES_CHANNEL}: `;
/** A replica notifies itself here to learn whether it hears what is notified. */
const ECHO_CHANNEL = 'postern_echo';
/** A notice is heard within milliseconds, or not at all. */
const ECHO_MILLISECONDS = 2000;
/** A statement that is not answered by then: the connection is given up. */
const ANSWER_MILLISECONDS = 5000;

/** A query on the listening connection: when it is answered, every notice that was sent before it has been read. */
const HEARTBEAT_MILLISECONDS = 500;
/** The time without a heartbeat after which a remembered answer is not current any more. */
const STALE_AFTER_MILLISECONDS = 2000;
const RECONNECT_MILLISECONDS = 500;

export type ChangeFeed = Awaited<ReturnType<typeof openChangeFeed>>;

interface ChangeFeedOptions {
  /** A session of its own, never through a transaction pooler, where LISTEN hears nothing. */
  readonly client: pg.ClientConfig;
  /** Runs a statement where the store is written: what is notified there must be heard here. */
  readonly ask: (text: string, values: readonly unknown[]) => Promise<unknown>;
  /** Another connection had to be made: the store's own connections may be dead as well. */
  readonly onReconnect: () => void;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Called once at each change. */
  readonly onCurrent: (isCurrent: boolean, fault?: Error) => void;
}

/** Resolves when the first LISTEN holds; rejects when it cannot be had. */
export async function openChangeFeed(options: ChangeFeedOptions) {
  const { now, onCurrent, onReconnect } = options;
  const changes = createRowNotices();
  let staleCalls = 0;
  let heardAt = Number.NEGATIVE_INFINITY;
  let wasCurrent = true;
  let client: pg.Client | undefined;
  let lastFault: Error | undefined;

  const isCurrent = (): boolean => now() - heardAt < STALE_AFTER_MILLISECONDS;
  const tell = (): void => {
    if (isCurrent() === wasCurrent) return;
    wasCurrent = !wasCurrent;
    onCurrent(wasCurrent, wasCurrent ? undefined : lastFault);
  };

  const connect = async (): Promise<void> => {
    const sentAt = now();
    const listening = new pg.Client({ ...options.client, query_timeout: ANSWER_MILLISECONDS });
    listening.on('error', (fault) => {
      lastFault = fault;
    });
    client = await listen(listening, options.ask, changes.heard);
    // Notices of the time without a connection are lost: whatever is remembered from before is old.
    changes.missed();
    heardAt = sentAt;
  };

  const beats = repeated(async () => {
    try {
      const sentAt = now();
      if (client === undefined) {
        onReconnect();
        await connect();
      } else {
        await client.query('select 1');
        heardAt = sentAt;
      }
    } catch (fault) {
      lastFault = fault instanceof Error ? fault : new Error(String(fault));
      const broken = client;
      client = undefined;
      if (broken) void broken.end().catch(() => {});
    }
    tell();
    return client === undefined ? RECONNECT_MILLISECONDS : HEARTBEAT_MILLISECONDS;
  });

  /** A frozen server answers no heartbeat: the state is looked at beside it. */
  const watch = setInterval(tell, HEARTBEAT_MILLISECONDS).unref();

  try {
    await connect();
  } catch (fault) {
    clearInterval(watch);
    throw fault;
  }
  beats.after(HEARTBEAT_MILLISECONDS);

  return {
    /**
     * A text that differs after any change. While the heartbeat is missed, it differs at each call, so that nothing
     * remembered is used and every request asks the store.
     */
    version(): string {
      if (isCurrent()) return `${changes.revision()}`;
      staleCalls += 1;
      return `stale.${staleCalls}`;
    },
    /** It stays the same while the heartbeat is missed. */
    heard: changes,
    changedHere: changes.changedHere,
    /** Whether the heartbeat has been heard in time. */
    isCurrent,
    async close(): Promise<void> {
      void beats.close(); // a frozen server answers no beat
      clearInterval(watch);
      await client?.end().catch(() => {});
    },
  };
}

/** Listens for notices, which name rows. Behind a transaction pooler LISTEN is answered and nothing is heard; on another database too. */
async function listen(
  client: pg.Client,
  ask: ChangeFeedOptions['ask'],
  onChange: (notice: string) => void,
): Promise<pg.Client> {
  const own = randomUUID();
  const echo = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  client.on('notification', ({ channel, payload }) => {
    if (channel === CHANGES_CHANNEL) onChange(payload ?? '');
    else if (payload === own) echo.resolve();
  });
  try {
    await client.connect();
    await client.query(`listen ${CHANGES_CHANNEL}`);
    await client.query(`listen ${ECHO_CHANNEL}`);
    timer = setTimeout(() => echo.reject(DEAF()), ECHO_MILLISECONDS);
    await Promise.all([echo.promise, ask('select pg_notify($1, $2)', [ECHO_CHANNEL, own])]);
    await client.query(`unlisten ${ECHO_CHANNEL}`);
    return client;
  } catch (fault) {
    void client.end().catch(() => {});
    throw fault;
  } finally {
    clearTimeout(timer);
  }
}

const DEAF = (): Error =>
  storeFault(
    'unreachable',
    'changes of the store are not received: store.url leads through a transaction pooler, or store.listen_url names another database: set store.listen_url to an address of the server itself, with the same database',
  );

export type RowNotices = ReturnType<typeof createRowNotices>;

/** More than this process remembers of accounts, tokens and links. */
const MOST_ROWS = 20_000;

/** Which rows have changed, as the notices of PostgreSQL name them (SPEC 10). Pure. */
export function createRowNotices() {
  let revision = 0;
  let anythingAt = 0;
  /** The revision of the last change of each row and each table. */
  const rows = new Map<string, number>();
  const watchers = new Map<string, (() => void)[]>();
  const call = (row: string): void => {
    for (const act of watchers.get(tableOf(row)) ?? []) act();
  };
  /** Notices may have been lost: anything may have changed. */
  const missed = (): void => {
    revision += 1;
    anythingAt = revision;
    rows.clear();
    for (const table of watchers.keys()) call(table);
  };
  /** This process has changed the row of that name; without one, nothing that others remember by rows. What it remembers ends now, not with the notice. */
  const changedHere = (row?: string): boolean => {
    const hasRoom = rows.size < MOST_ROWS;
    if (!hasRoom) missed();
    else revision += 1;
    if (hasRoom && row !== undefined) rows.set(row, revision).set(tableOf(row), revision);
    return hasRoom;
  };
  const heard: HeardChanges = {
    revision: () => revision,
    haveChanged: (names, since) => anythingAt > since || names.some((name) => (rows.get(name) ?? 0) > since),
    watch: (table, act) => void watchers.set(table, [...(watchers.get(table) ?? []), act]),
  };
  return {
    ...heard,
    /** A notice has come: `users vera`, or `users` alone from a version that names no rows. */
    heard(notice: string): void {
      if (!notice.includes(' ')) missed();
      else if (changedHere(notice)) call(notice);
    },
    missed,
    changedHere,
  };
}

const tableOf = (row: string): string => row.split(' ', 1)[0] ?? '';
