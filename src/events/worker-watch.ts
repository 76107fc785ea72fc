/** Asks the events worker over its own socket whether it works: one that is stuck or unreachable is started again (SPEC 7). */
import { type IncomingMessage, request } from 'node:http';
import { messageOf } from '../domain/message-of.ts';

export type WorkerStatus =
  | { readonly kind: 'ok' }
  /** It answers, and cannot read what it should. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Nothing listens at the socket. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** It did not answer in time. */
  | { readonly kind: 'silent'; readonly reason: string };

export const HEALTH_PATH = '/health';
const NOT_THERE: readonly (string | undefined)[] = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'];

export function askWorker(socketPath: string, patienceMs: number): Promise<WorkerStatus> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const asked = request({ socketPath, path: HEALTH_PATH, agent: false, signal });
    asked.once('response', (response) => void verdictOf(response).then(resolve));
    asked.once('error', (fault: NodeJS.ErrnoException) =>
      resolve(
        NOT_THERE.includes(fault.code)
          ? { kind: 'gone', reason: fault.message }
          : { kind: 'silent', reason: `it did not answer within ${patienceMs} ms` },
      ),
    );
    asked.end();
  });
}

async function verdictOf(response: IncomingMessage): Promise<WorkerStatus> {
  try {
    const text = Buffer.concat(await response.toArray()).toString('utf8');
    return response.statusCode === 200 ? { kind: 'ok' } : { kind: 'unreadable', reason: text };
  } catch (fault) {
    return { kind: 'silent', reason: messageOf(fault) };
  }
}

export interface WorkerWatchDeps {
  readonly ask: (patienceMs: number) => Promise<WorkerStatus>;
  /** Ends the worker that runs, so that another one is started. */
  readonly restart: (reason: string) => Promise<void>;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** A question may keep the worker busy for so long, in milliseconds. */
  readonly longestWork: number;
  readonly everyMs?: number;
}

const EVERY_MS = 5000;
const PATIENCE_MS = 2000;
/** The silence that is allowed beyond the longest work. */
const GRACE_MS = 10_000;

export interface WorkerWatch {
  readonly ask: () => Promise<WorkerStatus>;
  readonly stop: () => void;
}

export function watchWorker({ ask, restart, now, longestWork, everyMs = EVERY_MS }: WorkerWatchDeps): WorkerWatch {
  let silentSince: number | undefined;
  let asking: Promise<WorkerStatus> | undefined;
  const look = async (): Promise<WorkerStatus> => {
    const status = await ask(PATIENCE_MS);
    if (status.kind === 'gone') await restart(`nothing listens at its socket any more: ${status.reason}`);
    silentSince = status.kind === 'silent' ? (silentSince ?? now()) : undefined;
    if (silentSince === undefined || now() - silentSince <= longestWork + GRACE_MS) return status;
    silentSince = undefined;
    await restart('it runs but does not answer');
    return status;
  };
  const once = (): Promise<WorkerStatus> => {
    asking ??= look().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const timer = setInterval(() => void once(), everyMs).unref();
  return { ask: once, stop: () => clearInterval(timer) };
}
