/** The process of a worker: starts when the primary orders it, ends with the primary, and tells that its event loop turns. */
import { openLogDestination } from '../../cli/log-destination.ts';
import { releaseV8 } from '../../cli/release-v8.ts';
import type { FromPrimary, FromWorker } from './messages.ts';
import { type GateWorker, startWorker } from './start-worker.ts';

const ALIVE_EVERY_MS = 1000;
const LAST_LINES_MS = 500;

/** Resolves with the exit code. */
export async function runWorker(): Promise<number> {
  const log = openLogDestination(process.stdout);
  const send = (message: FromWorker): void => {
    // When the primary has ended, Node ends its workers.
    if (process.connected) process.send?.(message, () => {});
  };
  // Signals of a terminal reach all of its processes: the primary says when to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const { promise: ordered, resolve: order } = Promise.withResolvers<Extract<FromPrimary, { kind: 'start' }>>();
  /** Told right behind the orders, before they are followed. */
  const early: FromPrimary[] = [];
  let take = (message: FromPrimary): void => void early.push(message);
  process.on('message', (message: FromPrimary) => {
    if (message.kind === 'start') order(message);
    else if (message.kind === 'drain') stop();
    else take(message);
  });
  send({ kind: 'here' });
  const alive = setInterval(() => send({ kind: 'alive' }), ALIVE_EVERY_MS);
  let worker: GateWorker;
  try {
    worker = await startWorker(await ordered, {
      log,
      send,
      onMessage(given) {
        take = given;
        for (const message of early) take(message);
      },
    });
  } catch (fault) {
    send({ kind: 'not-started', message: fault instanceof Error ? fault.message : String(fault) });
    await stopped;
    return 1;
  } finally {
    log.flush();
  }
  releaseV8();
  await stopped;
  await worker.close();
  clearInterval(alive);
  await log.written(LAST_LINES_MS);
  return 0;
}
