/** The way to the server that counts: in use while it answers in time, opened anew each second while it does not (SPEC 10). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './redis-connection.ts';
import { PROBE, type Script } from './scripts.ts';

export interface RedisLink {
  /** Resolves after the first attempt to connect, whatever came of it. */
  start(): Promise<void>;
  isUp(): boolean;
  /** Undefined when the server could not be asked, refused, or gave no answer in time: the link is down then. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

export interface RedisLinkDeps {
  readonly connect: (onLost: (fault: Error) => void) => Promise<Connection>;
  /** For the write that shows whether the server can be used. */
  readonly probeKey: string;
  /** Undefined: the server can be used again. Told at the first attempt too. */
  readonly onChange: (fault: Error | undefined) => void;
}

/** A login waits no longer, and then none does until the server answers again. */
const ANSWER_MS = 1000;
/** Connecting takes several answers. */
const OPEN_MS = 3000;
const EVERY_MS = 1000;

export function createRedisLink({ connect, probeKey, onChange }: RedisLinkDeps): RedisLink {
  let current: Connection | undefined;
  /** Undefined until the first attempt has ended. */
  let fault: Error | 'none' | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const settle = (found: Error | 'none'): void => {
    const isChanged = fault === undefined || (fault === 'none') !== (found === 'none');
    fault = found;
    if (isChanged && !isClosed) onChange(found === 'none' ? undefined : found);
  };
  const lose = (connection: Connection, why: unknown): void => {
    connection.destroy();
    if (connection !== current) return;
    current = undefined;
    settle(asError(why));
  };
  const askOn = async (
    connection: Connection,
    script: Script,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown> => {
    try {
      return await inTime(connection.run(script, keys, values), ANSWER_MS);
    } catch (why) {
      lose(connection, why);
      return undefined;
    }
  };
  const probe = async (connection: Connection): Promise<void> =>
    void (await inTime(connection.run(PROBE, [probeKey], []), ANSWER_MS));
  /** A new connection each time: the name may lead to another server by now, and a half-dead one is never used again. */
  const open = async (): Promise<void> => {
    let opened: Connection | undefined;
    try {
      const connection: Connection = await connect((why) => lose(connection, why));
      opened = connection;
      await inTime(connection.open(), OPEN_MS);
      await probe(connection);
      if (isClosed) return connection.destroy();
      current = connection;
      settle('none');
    } catch (why) {
      opened?.destroy();
      settle(asError(why));
    }
  };
  const beat = async (): Promise<void> => {
    if (current) await askOn(current, PROBE, [probeKey], []);
    else await open();
    if (!isClosed) timer = setTimeout(() => void beat(), EVERY_MS).unref();
  };

  return {
    start: beat,
    isUp: () => current !== undefined,
    run: async (script, keys, values) => current && askOn(current, script, keys, values),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const connection = current;
      current = undefined;
      if (connection) await inTime(connection.close(), ANSWER_MS).catch(() => connection.destroy());
    },
  };
}

/** After a time in which this process itself stood still, an answer that lies there is read before the time counts as over. */
async function inTime<Answer>(answer: Promise<Answer>, milliseconds: number): Promise<Answer> {
  const ended = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(milliseconds, undefined, { signal: ended.signal });
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error(`no answer within ${milliseconds / 1000} s`);
  };
  const running = late();
  running.catch(() => {});
  try {
    return await Promise.race([answer, running]);
  } finally {
    ended.abort();
  }
}

/** When a name has several addresses, the reasons stand in a list, and the error itself says nothing. */
function asError(why: unknown): Error {
  if (why instanceof AggregateError && why.message === '') return asError(why.errors[0]);
  return why instanceof Error ? why : new Error(String(why));
}
