/** Keeps an events worker running: one that ended unasked is started again, each time after a longer pause (SPEC 7). */
import type { CustomRoles } from '../domain/camera-scope.ts';
import type { CameraName } from '../domain/names.ts';
import type { EventsWorker } from './worker-handle.ts';

export interface WorkerKeeping {
  /** Called again after each worker that ended. */
  readonly start: (onCrash: (fault: Error) => void) => Promise<EventsWorker>;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Another one is started in so many milliseconds. */
  readonly onDown: (fault: Error, pause: number) => void;
  /** One listens; `isAnother`: after one that ended or could not start. */
  readonly onUp: (isAnother: boolean) => void;
  /** The shortest pause, in milliseconds; each one that follows is twice as long. */
  readonly firstPause?: number;
}

export interface KeptWorker extends EventsWorker {
  /** Starts the first one. Rejects when it cannot start: that is for the operator to put right. */
  start(): Promise<void>;
  /** The same when it is first needed; one that cannot start is tried again. Undefined when there is nothing to wait for. */
  wake(): Promise<void> | undefined;
  /** Why none runs now; undefined while one does. */
  fault(): Error | undefined;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** The pause in milliseconds, after so many failures before the latest. */
export const pauseAfter = (failures: number, first = FIRST_PAUSE_MS): number =>
  Math.min(first * 2 ** failures, LONGEST_PAUSE_MS);

/** The time of steady running after which the next restart waits the shortest pause again. */
export const STEADY_MS = 60_000;

/** None runs until it is started or needed. */
export function keepWorker(keeping: WorkerKeeping): KeptWorker {
  const { start, now, onDown, onUp, firstPause } = keeping;
  let worker: EventsWorker | undefined;
  let fault: Error | undefined;
  let upSince: number | undefined;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let hasFailed = false;
  let isStopped = false;

  const begin = async (): Promise<void> => {
    worker = await start(ended);
    upSince = now();
    fault = undefined;
    if (!isStopped) onUp(hasFailed);
  };
  const again = async (): Promise<void> => {
    try {
      await begin();
    } catch (cause) {
      ended(cause instanceof Error ? cause : new Error(String(cause)));
    }
  };
  const ended = (why: Error): void => {
    if (upSince !== undefined && now() - upSince >= STEADY_MS) failures = 0;
    [worker, fault, upSince, hasFailed] = [undefined, why, undefined, true];
    if (isStopped) return;
    const pause = pauseAfter(failures, firstPause);
    failures += 1;
    timer = setTimeout(() => {
      starting = again();
    }, pause).unref();
    onDown(why, pause);
  };

  return {
    start() {
      starting ??= begin();
      return starting;
    },
    wake() {
      if (isStopped) return undefined;
      starting ??= again();
      return worker || fault ? undefined : starting;
    },
    fault: () => fault,
    // A worker that is started later gets the roles at its start.
    setRoles: (roles: CustomRoles, cameras: readonly CameraName[] | null) => worker?.setRoles(roles, cameras),
    terminate: async (reason) => worker?.terminate(reason),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await starting;
      await worker?.stop();
    },
  };
}
