/** The events backend as a thread of its own, so that its queries never stop the gate's event loop: started, watched over its own socket, and started again (SPEC 7). */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { repeated, sharedRun, withTimeLimit } from '../domain/async.ts';
import type { CustomRoles } from '../domain/camera-scope.ts';
import type { CameraName } from '../domain/names.ts';
import { faultMessage } from '../domain/result.ts';
import type { StoreFault } from '../domain/store/store-fault.ts';

/** The worker's `workerData`: like all that the two say to each other it passes between threads. */
export interface EventsWorkerSettings {
  /** `sqlite:/absolute/path`, of a store that is there. */
  readonly storeUrl: string;
  /** Read instead of the store when given: the path of the NVR's own database (`events.nvr_database`). */
  readonly nvrDatabase?: string | undefined;
  /** Where it listens, in a directory that only the service may enter: each client of it is believed. */
  readonly socketPath: string;
  readonly roles: CustomRoles;
  /** Null when no list is known: then the cameras that have events. */
  readonly cameras: readonly CameraName[] | null;
  /** How long one question may take, in seconds. */
  readonly queryTimeout: number;
}

export type ToEventsWorker =
  | { readonly kind: 'roles'; readonly roles: CustomRoles; readonly cameras: readonly CameraName[] | null }
  | { readonly kind: 'stop' };

export type FromEventsWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'fault'; readonly message: string; readonly storeFault: StoreFault | undefined };

export type EventsWorker = Awaited<ReturnType<typeof startEventsWorker>>;

export interface EventsWorkerOptions extends EventsWorkerSettings {
  /** A request failed; the worker goes on. */
  readonly onFault?: (message: string, storeFault: StoreFault | undefined) => void;
  /** The worker ended without being told to. */
  readonly onCrash: (fault: Error) => void;
}

/** A worker that is stuck does not keep the service from stopping. */
const STOP_PATIENCE_MS = 1_000;

/** Resolves when the worker listens; rejects when it cannot. */
export async function startEventsWorker({ onFault, onCrash, ...workerData }: EventsWorkerOptions) {
  const worker = new Worker(new URL('../events-worker.ts', import.meta.url), { workerData });
  const tell = (message: ToEventsWorker): void => worker.postMessage(message);
  let isStopping = false;

  const early = once(worker, 'exit').then(() =>
    Promise.reject(new Error('the events backend ended before it listened')),
  );
  await Promise.race([once(worker, 'message'), early]);
  worker.on('message', (message: FromEventsWorker) => {
    if (message.kind === 'fault') onFault?.(message.message, message.storeFault);
  });
  // An uncaught error is followed by the exit; one report is enough.
  let reason = new Error('the events backend ended');
  worker.on('error', (fault) => {
    reason = fault instanceof Error ? fault : reason;
  });
  worker.once('exit', () => void (isStopping || onCrash(reason)));

  return {
    /** Holds from the next request on. */
    setRoles(roles: CustomRoles, cameras: readonly CameraName[] | null): void {
      tell({ kind: 'roles', roles, cameras });
    },
    /** Ends it whatever it does; the reason is why it ended. */
    async terminate(why: Error): Promise<void> {
      reason = why;
      await worker.terminate();
    },
    /** Answers what is in flight, then ends. */
    async stop(): Promise<void> {
      if (isStopping || worker.threadId < 0) return;
      isStopping = true;
      const ended = once(worker, 'exit');
      tell({ kind: 'stop' });
      await withTimeLimit(ended, STOP_PATIENCE_MS, () => worker.terminate());
    },
  };
}

/** `unreadable`: it answers, and cannot read what it should. `gone`: nothing listens at the socket. `silent`: it did not answer in time. */
export type WorkerStatus =
  | { readonly kind: 'ok' }
  | { readonly kind: 'unreadable' | 'gone' | 'silent'; readonly reason: string };

export const HEALTH_PATH = '/health';
const NOT_THERE: readonly (string | undefined)[] = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'];
const PATIENCE_MS = 2000;

export function askWorker(socketPath: string, patienceMs = PATIENCE_MS): Promise<WorkerStatus> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const asked = request({ socketPath, path: HEALTH_PATH, agent: false, signal });
    asked.once('response', (response) => void readVerdict(response).then(resolve));
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

async function readVerdict(response: IncomingMessage): Promise<WorkerStatus> {
  try {
    const reason = await text(response);
    return response.statusCode === 200 ? { kind: 'ok' } : { kind: 'unreadable', reason };
  } catch (fault) {
    return { kind: 'silent', reason: faultMessage(fault) };
  }
}

export interface WorkerKeeping {
  /** Called again after each worker that ended. */
  readonly start: (onCrash: (fault: Error) => void) => Promise<EventsWorker>;
  /** Whether it works. Default: it does. */
  readonly ask?: () => Promise<WorkerStatus>;
  /** A question may keep the worker busy for so long, in milliseconds. */
  readonly longestWork?: number;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Another one is started in so many milliseconds. */
  readonly onDown: (fault: Error, pause: number) => void;
  /** One listens; `isAnother`: after one that ended or could not start. */
  readonly onUp: (isAnother: boolean) => void;
  /** The shortest pause, in milliseconds; each one that follows is twice as long. */
  readonly firstPause?: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** The pause in milliseconds, after so many failures before the latest. */
export const pauseAfter = (failures: number, first = FIRST_PAUSE_MS): number =>
  Math.min(first * 2 ** failures, LONGEST_PAUSE_MS);

/** The time of steady running after which the next restart waits the shortest pause again. */
const STEADY_MS = 60_000;
const LOOK_EVERY_MS = 5000;
/** The silence that is allowed beyond the longest work. */
const GRACE_MS = 10_000;

/** Keeps one running: one that ended unasked is started again, each time after a longer pause. None runs until it is started or needed. */
export function keepWorker({ start, ask, longestWork = 0, now, onDown, onUp, firstPause }: WorkerKeeping) {
  let worker: EventsWorker | undefined;
  let fault: Error | undefined;
  let upSince: number | undefined;
  let silentSince: number | undefined;
  let failures = 0;
  let looking: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let hasFailed = false;
  let isStopped = false;

  const begin = async (): Promise<void> => {
    worker = await start(ended);
    upSince = now();
    fault = undefined;
    if (isStopped) return;
    looking ??= setInterval(() => void look(), LOOK_EVERY_MS).unref();
    onUp(hasFailed);
  };
  const starts = repeated(() =>
    begin().catch((cause: unknown) => ended(cause instanceof Error ? cause : new Error(String(cause)))),
  );
  const ended = (why: Error): void => {
    if (upSince !== undefined && now() - upSince >= STEADY_MS) failures = 0;
    [worker, fault, upSince, hasFailed] = [undefined, why, undefined, true];
    if (isStopped) return;
    const pause = pauseAfter(failures, firstPause);
    failures += 1;
    starts.after(pause);
    onDown(why, pause);
  };
  const look = sharedRun(async (): Promise<WorkerStatus> => {
    const status: WorkerStatus = (await ask?.()) ?? { kind: 'ok' };
    if (status.kind === 'gone')
      await worker?.terminate(new Error(`nothing listens at its socket any more: ${status.reason}`));
    silentSince = status.kind === 'silent' ? (silentSince ?? now()) : undefined;
    if (silentSince === undefined || now() - silentSince <= longestWork + GRACE_MS) return status;
    silentSince = undefined;
    await worker?.terminate(new Error('it runs but does not answer'));
    return status;
  });

  return {
    /** Starts the first one. Rejects when it cannot start: that is for the operator to put right. */
    start(): Promise<void> {
      starting ??= begin();
      return starting;
    },
    /** The same when it is first needed; one that cannot start is tried again. Undefined when there is nothing to wait for. */
    wake(): Promise<void> | undefined {
      if (isStopped) return undefined;
      starting ??= starts.now();
      return worker || fault ? undefined : starting;
    },
    /** Why none runs now; undefined while one does. */
    fault: () => fault,
    /** Asks it, once for all who ask at the same time: one that is gone, or silent for longer than any work takes, is started again. */
    look,
    /** A worker that is started later gets the roles at its start. */
    setRoles: (...given: Parameters<EventsWorker['setRoles']>): void => worker?.setRoles(...given),
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(looking);
      await starting;
      await starts.close();
      await worker?.stop();
    },
  };
}
