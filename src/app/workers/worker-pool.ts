/** Keeps the workers running: one that has ended, or is silent, is replaced, each time after a longer pause (SPEC 10). */
import { pauseAfter, STEADY_MS } from '../../events/keep-worker.ts';
import type { Check } from '../../telemetry/readiness.ts';
import type { Addresses } from '../listeners.ts';

import type { FromWorker, QuestionsOfPrimary } from './messages.ts';
import { openQuestions } from './questions.ts';
import type { WorkerProcess, WorkerProcessEvents } from './worker-process-handle.ts';
import { checkOf, type PoolWorker, type Slot, slotOf } from './worker-slot.ts';

export interface PoolDeps {
  readonly count: number;
  readonly fork: (events: WorkerProcessEvents) => WorkerProcess;
  /** Of a clock that is never set. */
  readonly now: () => number;
  readonly onLine: (line: string) => void;
  /** It waits for its orders. */
  readonly onHere: (worker: PoolWorker) => void;
  readonly onUp: (worker: PoolWorker, isAgain: boolean) => void;
  /** What is not about running and questions asked of it. */
  readonly onMessage: (worker: PoolWorker, message: FromWorker) => void;
  readonly onEnd: (worker: PoolWorker) => void;
  /** It has ended unasked: another one starts in so many milliseconds. */
  readonly onDown: (worker: PoolWorker, reason: Down, pause: number) => void;
  /** None listens any more: Node has closed the listening sockets. */
  readonly onNone?: () => void;
  /** Seconds without a word, after which a worker counts as stuck. */
  readonly silentSeconds?: number | undefined;
}

export interface Down {
  readonly kind: 'ended' | 'silent';
  readonly text: string;
}

export interface WorkerPool {
  /** Workers that listen. */
  workers(): readonly PoolWorker[];
  check(): Check;
  /** They finish what is in flight; a worker that is not done after so many milliseconds is ended. */
  close(patienceMs: number): Promise<void>;
}

const LOOK_MS = 1000;
/** Much longer than garbage collection or a slow disk takes; a worker speaks each second. */
const SILENT_SECONDS = 10;
/** Reading the program stops its event loop, for seconds on a slow machine. */
const STARTING_SECONDS = 60;

/** Resolves when all listen; rejects with a worker's sentence when one cannot start, and all have ended then. */
export async function openWorkerPool(deps: PoolDeps): Promise<WorkerPool & { readonly addresses: Addresses }> {
  const { count, now, silentSeconds = SILENT_SECONDS } = deps;
  const first = Promise.withResolvers<Addresses>();
  const slots = Array.from({ length: count }, (_, at): Slot => slotOf(at + 1));
  const ends = new Map<WorkerProcess, PromiseWithResolvers<void>>();
  let isStarted = false;
  let isClosing = false;

  const patienceOf = ({ isUp }: Slot): number => (isUp ? silentSeconds : STARTING_SECONDS);
  const begin = (slot: Slot): void => {
    const ended = Promise.withResolvers<void>();
    const questions = openQuestions<QuestionsOfPrimary>((asked) => process.send(asked));
    let isAgain = isStarted;
    const worker: PoolWorker = {
      number: slot.number,
      get pid() {
        return process.pid;
      },
      ask: questions.ask,
      send: (message) => process.send(message),
      replace() {
        if (slot.process !== process) return;
        slot.isReplaced = true;
        process.kill();
      },
    };
    const process = deps.fork({
      onLine: deps.onLine,
      onMessage(message) {
        slot.silentLooks = 0;
        switch (message.kind) {
          case 'alive':
            return;
          case 'here':
            return deps.onHere(worker);
          case 'listening':
            Object.assign(slot, { isUp: true, upSince: now(), lastFault: undefined });
            deps.onUp(worker, isAgain);
            isAgain = true;
            if (slots.every(({ isUp }) => isUp)) first.resolve(message.addresses);
            return;
          case 'not-started':
            slot.lastFault = message.message;
            if (!isStarted) first.reject(new Error(message.message));
            process.kill();
            return;
          case 'answered':
          case 'failed':
            return questions.settle(message);
          default:
            return deps.onMessage(worker, message);
        }
      },
      onEnd(how) {
        ends.delete(process);
        ended.resolve();
        questions.end(new Error(`worker ${slot.number} has ended`));
        deps.onEnd(worker);
        afterEnd(slot, worker, how);
      },
    });
    ends.set(process, ended);
    Object.assign(slot, { worker, process, isUp: false, silentLooks: 0, isReplaced: false, timer: undefined });
  };
  const afterEnd = (slot: Slot, worker: PoolWorker, how: string): void => {
    const patience = patienceOf(slot);
    const isSilent = slot.silentLooks >= patience;
    const why = isSilent ? `it did not answer for ${patience} s` : (slot.lastFault ?? how);
    if (slot.isUp && now() - slot.upSince >= STEADY_MS) slot.failures = 0;
    const { isReplaced } = slot;
    Object.assign(slot, { isUp: false, worker: undefined, process: undefined });
    if (!isStarted) first.reject(new Error(`a worker ended at the start: ${why}`));
    if (isClosing || !isStarted) return;
    if (slots.every(({ isUp }) => !isUp)) deps.onNone?.();
    if (isReplaced) {
      begin(slot);
      return;
    }
    const pause = pauseAfter(slot.failures);
    slot.failures += 1;
    slot.lastFault = why;
    slot.timer = setTimeout(() => begin(slot), pause);
    deps.onDown(worker, { kind: isSilent ? 'silent' : 'ended', text: why }, pause);
  };
  // Looks are counted, not seconds: after this process itself stood still, or the machine slept, no worker was silent.
  const look = (): void => {
    for (const slot of slots) {
      if (!slot.process) continue;
      slot.silentLooks += 1;
      if (slot.silentLooks >= patienceOf(slot)) slot.process.kill();
    }
  };
  const looking = setInterval(look, LOOK_MS);
  const close = async (patienceMs: number): Promise<void> => {
    isClosing = true;
    clearInterval(looking);
    for (const { timer } of slots) clearTimeout(timer);
    for (const { process } of slots) process?.send({ kind: 'drain' });
    const timer = setTimeout(() => {
      for (const process of ends.keys()) process.kill();
    }, patienceMs);
    await Promise.all([...ends.values()].map(({ promise }) => promise));
    clearTimeout(timer);
  };
  for (const slot of slots) begin(slot);
  try {
    const addresses = await first.promise;
    isStarted = true;
    return {
      addresses,
      workers: () => slots.flatMap(({ worker, isUp }) => (isUp && worker ? [worker] : [])),
      check: () => checkOf(slots),
      close,
    };
  } catch (fault) {
    await close(0);
    throw fault;
  }
}
