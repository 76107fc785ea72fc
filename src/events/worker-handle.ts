/** Starts the events backend in a thread of its own: its queries never stop the gate's event loop (SPEC 7). */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CustomRoles } from '../domain/camera-scope.ts';
import type { CameraName } from '../domain/names.ts';
import type { StoreFault } from '../domain/store/store-fault.ts';
import type { EventsWorkerSettings, FromEventsWorker, ToEventsWorker } from './worker-messages.ts';

export interface EventsWorkerOptions {
  /** `sqlite:/absolute/path`, of a store that is there. */
  readonly storeUrl: string;
  /** Read instead of the store when given: the path of the NVR's own database (`events.nvr_database`). */
  readonly nvrDatabase?: string | undefined;
  /** Where it listens, in a directory that only the service may enter. */
  readonly socketPath: string;
  readonly roles: CustomRoles;
  /** Null when no list is known: then the cameras that have events. */
  readonly cameras: readonly CameraName[] | null;
  readonly maxLimit: number;
  /** How long one question may take, in seconds. */
  readonly queryTimeout: number;
  /** A request failed; the worker goes on. */
  readonly onFault?: (message: string, storeFault: StoreFault | undefined) => void;
  /** The worker ended without being told to. */
  readonly onCrash: (fault: Error) => void;
}

export interface EventsWorker {
  /** Holds from the next request on. */
  setRoles(roles: CustomRoles, cameras: readonly CameraName[] | null): void;
  /** Answers what is in flight, then ends. */
  stop(): Promise<void>;
  /** Ends it whatever it does; `onCrash` is told the reason. */
  terminate(reason: Error): Promise<void>;
}

/** A worker that is stuck does not keep the service from stopping. */
const STOP_PATIENCE_MS = 1_000;

/** Resolves when the worker listens; rejects when it cannot. */
export async function startEventsWorker(options: EventsWorkerOptions): Promise<EventsWorker> {
  const { onFault, onCrash, ...settings } = options;
  const workerData: EventsWorkerSettings = { ...settings, nvrDatabase: settings.nvrDatabase };
  const worker = new Worker(new URL('../events-worker.ts', import.meta.url), { workerData });
  const tell = (message: ToEventsWorker): void => worker.postMessage(message);
  let isStopping = false;
  let hasEnded = false;

  await untilReady(worker);
  worker.on('message', (message: FromEventsWorker) => {
    if (message.kind === 'fault') onFault?.(message.message, message.storeFault);
  });
  // An uncaught error is followed by the exit; one report is enough.
  let reason = new Error('the events backend ended');
  worker.on('error', (fault) => {
    reason = fault instanceof Error ? fault : reason;
  });
  worker.once('exit', () => {
    hasEnded = true;
    if (!isStopping) onCrash(reason);
  });

  return {
    setRoles: (roles, cameras) => tell({ kind: 'roles', roles, cameras }),
    async terminate(why) {
      reason = why;
      await worker.terminate();
    },
    async stop() {
      if (isStopping || hasEnded) return;
      isStopping = true;
      const ended = once(worker, 'exit');
      tell({ kind: 'stop' });
      const timer = setTimeout(() => void worker.terminate(), STOP_PATIENCE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Takes off its own listeners only: without Node's own on the worker, no later message would be delivered. */
async function untilReady(worker: Worker): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onReady = (): void => resolve();
  const onExit = (): void => reject(new Error('the events backend ended before it listened'));
  worker.once('message', onReady).once('error', reject).once('exit', onExit);
  try {
    await promise;
  } finally {
    worker.off('message', onReady).off('error', reject).off('exit', onExit);
  }
}
