/** Changes of the PostgreSQL store as every replica hears of them: LISTEN on a connection of its own, with a heartbeat. */
import type pg from 'pg';
import type { HeardChanges } from '../../domain/store/heard-changes.ts';
import { type ListenOptions, listen } from './listen.ts';
import { createRowNotices } from './row-notices.ts';

/** A query on the listening connection: when it is answered, every notice that was sent before it has been read. */
const HEARTBEAT_MILLISECONDS = 500;
/** The time without a heartbeat after which a remembered answer is not current any more. */
const STALE_AFTER_MILLISECONDS = 2000;
const RECONNECT_MILLISECONDS = 500;

export interface ChangeFeed {
  /**
   * A text that differs after any change. While the heartbeat is missed, it differs at each call, so that nothing
   * remembered is used and every request asks the store.
   */
  version(): string;
  /** Which rows have changed, as far as this process has heard. It stays the same while the heartbeat is missed. */
  readonly heard: HeardChanges;
  /** This process has changed the store itself, the row of that name: what it remembers ends now, not with the notice. */
  changedHere(row?: string): void;
  /** Whether the heartbeat has been heard in time. */
  isCurrent(): boolean;
  close(): Promise<void>;
}

export interface ChangeFeedOptions extends ListenOptions {
  /** Another connection had to be made: the store's own connections may be dead as well. */
  readonly onReconnect: () => void;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Called once at each change. */
  readonly onCurrent: (isCurrent: boolean, fault?: Error) => void;
}

/** Resolves when the first LISTEN holds; rejects when it cannot be had. */
export async function openChangeFeed(options: ChangeFeedOptions): Promise<ChangeFeed> {
  const { now, onCurrent, onReconnect } = options;
  const changes = createRowNotices();
  let staleCalls = 0;
  let heardAt = Number.NEGATIVE_INFINITY;
  let wasCurrent = true;
  let isClosed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastFault: Error | undefined;

  const isCurrent = (): boolean => now() - heardAt < STALE_AFTER_MILLISECONDS;
  const tell = (): void => {
    if (isCurrent() === wasCurrent) return;
    wasCurrent = !wasCurrent;
    onCurrent(wasCurrent, wasCurrent ? undefined : lastFault);
  };

  const connect = async (): Promise<void> => {
    const sentAt = now();
    client = await listen(options, {
      onFault: (fault) => {
        lastFault = fault;
      },
      onChange: changes.heard,
    });
    // Notices of the time without a connection are lost: whatever is remembered from before is old.
    changes.missed();
    heardAt = sentAt;
  };

  const beat = async (): Promise<void> => {
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
    if (isClosed) return;
    timer = setTimeout(() => void beat(), client === undefined ? RECONNECT_MILLISECONDS : HEARTBEAT_MILLISECONDS);
    timer.unref();
  };

  /** A frozen server answers no heartbeat: the state is looked at beside it. */
  const watch = setInterval(tell, HEARTBEAT_MILLISECONDS).unref();

  try {
    await connect();
  } catch (fault) {
    clearInterval(watch);
    throw fault;
  }
  timer = setTimeout(() => void beat(), HEARTBEAT_MILLISECONDS).unref();

  return {
    version() {
      if (isCurrent()) return `${changes.revision()}`;
      staleCalls += 1;
      return `stale.${staleCalls}`;
    },
    heard: changes,
    changedHere: changes.changedHere,
    isCurrent,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      clearInterval(watch);
      await client?.end().catch(() => {});
    },
  };
}
