/** LISTEN on a connection of its own, to the server that takes writes, and only where it hears what is notified there (SPEC 10). */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { storeFault } from '../../domain/store/store-fault.ts';

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

export interface ListenOptions {
  /** A session of its own, never through a transaction pooler, where LISTEN hears nothing. */
  readonly client: pg.ClientConfig;
  /** Runs a statement where the store is written: what is notified there must be heard here. */
  readonly ask: (text: string, values: readonly unknown[]) => Promise<void>;
}

export interface NoticeListener {
  readonly onFault: (fault: Error) => void;
  /** `notice` names the row. */
  readonly onChange: (notice: string) => void;
}

/** Listens for notices. Behind a transaction pooler LISTEN is answered and nothing is heard; on another database too. */
export async function listen(options: ListenOptions, listener: NoticeListener): Promise<pg.Client> {
  const client = new pg.Client({ ...options.client, query_timeout: ANSWER_MILLISECONDS });
  try {
    await hear(client, options.ask, listener);
    return client;
  } catch (fault) {
    void client.end().catch(() => {});
    throw fault;
  }
}

async function hear(
  client: pg.Client,
  ask: ListenOptions['ask'],
  { onFault, onChange }: NoticeListener,
): Promise<void> {
  const own = randomUUID();
  const echo = Promise.withResolvers<void>();
  client.on('error', onFault);
  client.on('notification', ({ channel, payload }) => {
    if (channel === CHANGES_CHANNEL) onChange(payload ?? '');
    else if (payload === own) echo.resolve();
  });
  await client.connect();
  await client.query(`listen ${CHANGES_CHANNEL}`);
  await client.query(`listen ${ECHO_CHANNEL}`);
  const timer = setTimeout(() => echo.reject(DEAF()), ECHO_MILLISECONDS);
  try {
    await Promise.all([echo.promise, ask('select pg_notify($1, $2)', [ECHO_CHANNEL, own])]);
    await client.query(`unlisten ${ECHO_CHANNEL}`);
  } finally {
    clearTimeout(timer);
  }
}

const DEAF = (): Error =>
  storeFault(
    'unreachable',
    'changes of the store are not received: store.url leads through a transaction pooler, or store.listen_url names another database: set store.listen_url to an address of the server itself, with the same database',
    undefined,
  );
