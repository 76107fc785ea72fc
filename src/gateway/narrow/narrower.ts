/** Reads whole responses beside the event loop: small ones one a turn, large ones in a thread, so that no response stops the gate (SPEC 5). Composed lists are kept for a moment. */
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { PlainView } from '../../access/camera-view.ts';
import type { NvrAdapter } from '../../access/nvr-adapter.ts';
import { createTaskQueue } from '../../domain/async.ts';
import { UnexpectedForm } from '../../domain/json.ts';
import type { ComposedList } from '../../domain/policy.ts';
import { faultMessage } from '../../domain/result.ts';
import { FilterEnded } from '../decision/upstream-failure.ts';
import { type AskTask, type NarrowedBytes, type NarrowTask, narrowNow } from './narrow-task.ts';

type AskText = (path: string) => Promise<string>;

/** Bytes that take a millisecond or two. */
const SMALL = 32 * 1024;
/** A thread costs some ten megabytes: it ends when it has not been needed for so long. */
const IDLE_MS = 30_000;
/** Megabytes of the thread: a response of 32 MB as objects, and the text of the result. */
const MOST_MEMORY = 640;

export type ToThread =
  /** `adapter` is its name: its functions cannot be sent. */
  | { readonly kind: 'task'; readonly id: number; readonly task: NarrowTask | AskTask; readonly adapter: string }
  /** `text` is undefined where there is no answer. */
  | { readonly kind: 'answer'; readonly question: number; readonly text: string | undefined };
export type FromThread =
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'question'; readonly id: number; readonly question: number; readonly path: string }
  /** `question`: the one whose answer is missing. Without it the NVR has answered in another form. */
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly question: number | undefined;
      readonly message: string;
    };

interface PendingJob {
  readonly resolve: (result: unknown) => void;
  readonly reject: (fault: unknown) => void;
  readonly askText: AskText | undefined;
  /** Why questions were not answered. */
  readonly faults: Map<number, unknown>;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, PendingJob>;
}

/** `mostMemory`: megabytes of the thread. `idleMs`: milliseconds after which a thread ends that is not needed. */
export function createNarrower({ mostMemory = MOST_MEMORY, idleMs = IDLE_MS } = {}) {
  const turns = createTaskQueue(1);
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
  const give = (task: NarrowTask | AskTask, nvr: NvrAdapter, askText?: AskText): Promise<unknown> => {
    clearTimeout(idle);
    thread ??= open();
    const { worker, waiting } = thread;
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, askText, faults: new Map() });
      worker.postMessage({ kind: 'task', id, task, adapter: nvr.name } satisfies ToThread, ownBuffers(task));
    });
  };
  return {
    /** `nvr` has the rule of the form. Rejects with `FilterEnded` when the thread ended during the task, for example without memory. */
    async narrow(task: NarrowTask, nvr: NvrAdapter): Promise<NarrowedBytes> {
      if (taskSize(task) > SMALL) return (await give(task, nvr)) as NarrowedBytes;
      const leave = await turns.enter();
      setImmediate(leave);
      return narrowNow(task, nvr);
    },
    /** `askText` gives the text of what the NVR is asked for. Rejects with its fault, too. */
    ask: (task: AskTask, askText: AskText, nvr: NvrAdapter): Promise<unknown> => give(task, nvr, askText),
  };
}

function startThread(mostMemory: number, onIdle: () => void, onEnd: () => void): Thread {
  const worker = new Worker(new URL('../../narrowing-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mostMemory },
  });
  worker.unref();
  const waiting = new Map<number, PendingJob>();
  let cause: unknown;
  const answer = async (job: PendingJob | undefined, question: number, path: string): Promise<void> => {
    const text = await job?.askText?.(path).catch((fault: unknown) => void job.faults.set(question, fault));
    worker.postMessage({ kind: 'answer', question, text: text ?? undefined } satisfies ToThread);
  };
  worker.on('message', (message: FromThread) => {
    const job = waiting.get(message.id);
    if (message.kind === 'question') return void answer(job, message.question, message.path);
    waiting.delete(message.id);
    if (message.kind === 'result') job?.resolve(message.result);
    else job?.reject(job.faults.get(message.question ?? 0) ?? new UnexpectedForm(message.message));
    if (waiting.size === 0) onIdle();
  });
  worker.on('error', (fault) => {
    cause = fault;
  });
  worker.once('exit', () => {
    onEnd();
    const fault = new FilterEnded(
      `the thread that filters large responses ended${cause ? `: ${faultMessage(cause)}` : ''}`,
    );
    for (const { reject } of waiting.values()) reject(fault);
  });
  return { worker, waiting };
}

function taskSize(task: NarrowTask): number {
  if (task.kind === 'join') return task.lists.reduce((sum, list) => sum + list.length, 0);
  return task.kind === 'cut' ? task.text.length : task.body.byteLength;
}

/** Buffers that are transferred to the thread instead of copied: the bytes fill all of the buffer. */
const ownBuffers = (task: NarrowTask | AskTask): ArrayBuffer[] =>
  'body' in task && task.body.byteLength === task.body.buffer.byteLength ? [task.body.buffer] : [];

/** Characters of all lists together. */
const MOST_KEPT = 8 * 1024 * 1024;

interface KeptList {
  readonly name: ComposedList;
  /** Tells one NVR from another. */
  readonly upstream: string;
  readonly limit: number | undefined;
  /** Milliseconds. */
  readonly keptFor: number;
}

/** Requests for the same list at the same time share one. A role with other cameras has another list. */
export function createComposedCache() {
  const kept = new LRUCache<string, string, () => Promise<string>>({
    maxSize: MOST_KEPT,
    sizeCalculation: (json) => json.length + 1,
    ttl: 1,
    fetchMethod: (_key, _stale, { context: compose }) => compose(),
    ignoreFetchAbort: true, // who waits for a list that others push out gets it all the same
  });
  /** Gives the list as JSON. */
  return (
    { name, upstream, limit, keptFor }: KeptList,
    asked: PlainView,
    compose: (view: PlainView) => Promise<unknown>,
  ): Promise<string> => {
    const view = inSteps(asked);
    const { cameras, since = null } = view;
    const key = JSON.stringify([upstream, name, cameras, since, limit ?? null]);
    return kept.forceFetch(key, { ttl: keptFor, context: () => compose(view).then(String) });
  };
}

const STEP_SECONDS = 10;

/** A moment that goes on with the clock would make another list each second: it goes on in steps, and never too early. */
const inSteps = ({ since, ...view }: PlainView): PlainView =>
  since === undefined ? view : { ...view, since: Math.ceil(since / STEP_SECONDS) * STEP_SECONDS };
