/** Narrows small responses at once and large ones in a thread, so that no response stops the gate (SPEC 5). */
import { Worker } from 'node:worker_threads';
import type { NvrAdapter } from '../../access/nvr-adapter.ts';
import { messageOf } from '../../domain/message-of.ts';
import { FilterEnded } from '../decision/ask-failure.ts';
import { type NarrowedBytes, type NarrowTask, narrowNow } from './narrow-task.ts';

export interface Narrower {
  /** `nvr` has the rule of the form. Rejects with `FilterEnded` when the thread ended during the task, for example without memory. */
  narrow(task: NarrowTask, nvr: NvrAdapter): Promise<NarrowedBytes>;
}

/** Bytes that take some milliseconds at most. */
const SMALL = 128 * 1024;
/** A thread costs some ten megabytes: it ends when it has not been needed for so long. */
const IDLE_MS = 30_000;
/** Megabytes of the thread: a response of 32 MB as objects, and the text of the result. */
const MOST_MEMORY = 640;

/** The messages to the thread and from it. */
export interface NumberedTask {
  readonly id: number;
  readonly task: NarrowTask;
  /** The name of the adapter: its functions cannot be sent. */
  readonly adapter: string;
}
export interface NumberedResult {
  readonly id: number;
  readonly result: NarrowedBytes;
}

interface PendingJob {
  readonly resolve: (result: NarrowedBytes) => void;
  readonly reject: (fault: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, PendingJob>;
}

/** `mostMemory`: megabytes of the thread. `idleMs`: milliseconds after which a thread ends that is not needed. */
export function createNarrower({ mostMemory = MOST_MEMORY, idleMs = IDLE_MS } = {}): Narrower {
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  /** It takes no task any more: one that came before its exit would fail. */
  const endThread = (): void => {
    const ending = thread;
    thread = undefined;
    void ending?.worker.terminate();
  };
  const whenIdle = (): void => {
    idle = setTimeout(endThread, idleMs).unref();
  };
  const open = (): Thread => {
    const opened = startThread(mostMemory, whenIdle, () => {
      if (thread === opened) thread = undefined;
    });
    return opened;
  };
  return {
    narrow(task, nvr) {
      if (sizeOf(task) <= SMALL) return Promise.resolve(narrowNow(task, nvr));
      clearTimeout(idle);
      thread ??= open();
      const { worker, waiting } = thread;
      lastId += 1;
      const numbered: NumberedTask = { id: lastId, task, adapter: nvr.name };
      return new Promise((resolve, reject) => {
        waiting.set(numbered.id, { resolve, reject });
        worker.postMessage(numbered, ownBuffers(task));
      });
    },
  };
}

function startThread(mostMemory: number, onIdle: () => void, onEnd: () => void): Thread {
  const worker = new Worker(new URL('../../narrowing-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mostMemory },
  });
  worker.unref();
  const waiting = new Map<number, PendingJob>();
  let cause: unknown;
  worker.on('message', ({ id, result }: NumberedResult) => {
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
    if (waiting.size === 0) onIdle();
  });
  worker.on('error', (fault) => {
    cause = fault;
  });
  worker.once('exit', () => {
    onEnd();
    const fault = new FilterEnded(
      `the thread that filters large responses ended${cause ? `: ${messageOf(cause)}` : ''}`,
    );
    for (const { reject } of waiting.values()) reject(fault);
  });
  return { worker, waiting };
}

const sizeOf = (task: NarrowTask): number =>
  task.kind === 'narrow' ? task.body.byteLength : task.lists.reduce((sum, list) => sum + list.length, 0);

/** Buffers that are transferred to the thread instead of copied: the bytes fill all of the buffer. */
const ownBuffers = (task: NarrowTask): ArrayBuffer[] =>
  task.kind === 'narrow' && task.body.byteLength === task.body.buffer.byteLength ? [task.body.buffer] : [];
