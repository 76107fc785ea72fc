/** Reads whole responses beside the event loop: small ones one a turn, large ones in a thread, so that no response stops the gate (SPEC 5). Composed lists are kept for a moment. */
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { PlainView } from '../../access/camera-view.ts';
import type { NvrAdapter } from '../../access/nvr-adapter.ts';
import { createTaskQueue } from '../../domain/async.ts';
import { UnexpectedForm } from '../../domain/json.ts';
import type { ComposedList } from '../../domain/policy.ts';
import { attempt, faultMessage } from '../../domain/result.ts';
import { FilterEnded } from '../decision/upstream-failure.ts';
import { type AskTask, type NarrowedBytes, type NarrowTask, narrowNow } from './narrow-task.ts';

type AskText = (path: string) => Promise<string>;

/** Bytes that take a millisecond or two. */
const SMALL = 32 * 1024;
/** A thread costs some ten megabytes: it ends when it has not been needed for so long. */
const IDLE_MS = 30_000;
/** Megabytes of the thread: a response of 32 MB as objects, and the text of the result. */
const MOST_MEMORY = 640;

/** One task: what comes of it is told over its own port. `adapter` is a name: functions cannot be sent. */
export interface ToThread {
  readonly task: NarrowTask | AskTask;
  readonly adapter: string;
  readonly port: MessagePort;
}
export type FromThread =
  | { readonly kind: 'result'; readonly result: unknown }
  /** The port waits for the text, or for undefined where there is no answer. */
  | { readonly kind: 'question'; readonly path: string; readonly port: MessagePort }
  /** The NVR has answered in another form, or not at all. */
  | { readonly kind: 'failed'; readonly message: string };

/** `mostMemory`: megabytes of the thread. `idleMs`: milliseconds after which a thread ends that is not needed. */
export function createNarrower({ mostMemory = MOST_MEMORY, idleMs = IDLE_MS } = {}) {
  const turns = createTaskQueue(1);
  let thread: ReturnType<typeof startThread> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let underWay = 0;

  const endThread = (): void => {
    thread?.end();
    thread = undefined; // a task that came before its exit would fail
  };
  const give = async (task: NarrowTask | AskTask, nvr: NvrAdapter, askText?: AskText): Promise<unknown> => {
    clearTimeout(idle);
    if (!thread?.isRunning()) thread = startThread(mostMemory);
    underWay += 1;
    try {
      return await thread.give(task, nvr, askText);
    } finally {
      underWay -= 1;
      if (underWay === 0) idle = setTimeout(endThread, idleMs).unref();
    }
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

const threads = (): readonly string[] | undefined => attempt(() => readdirSync('/proc/self/task'));

function startThread(mostMemory: number) {
  const others = threads();
  const worker = new Worker(new URL('../../narrowing-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mostMemory },
  });
  worker.unref();
  // Linux gives each thread a priority of its own: where processors are short, the event loop comes first, while the thread starts as well.
  for (const id of threads() ?? [])
    if (others?.includes(id) === false) attempt(() => setPriority(Number(id), Math.min(19, getPriority() + 10)));
  const waiting = new Set<(fault: unknown) => void>();
  let cause: unknown;
  worker.on('error', (fault) => {
    cause = fault;
  });
  worker.once('exit', () => {
    const fault = new FilterEnded(
      `the thread that filters large responses ended${cause ? `: ${faultMessage(cause)}` : ''}`,
    );
    for (const reject of waiting) reject(fault);
  });
  return {
    isRunning: () => worker.threadId >= 0,
    end: () => void worker.terminate(),
    async give(task: NarrowTask | AskTask, nvr: NvrAdapter, askText?: AskText): Promise<unknown> {
      const { port1, port2: port } = new MessageChannel();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      /** A question that is not answered is why the task fails. */
      const answer = async (path: string, to: MessagePort): Promise<void> =>
        to.postMessage(await askText?.(path).catch(reject));
      port1.on('message', (message: FromThread) => {
        if (message.kind === 'question') return void answer(message.path, message.port);
        if (message.kind === 'result') return resolve(message.result);
        return reject(new UnexpectedForm(message.message));
      });
      port1.unref();
      waiting.add(reject);
      worker.postMessage({ task, adapter: nvr.name, port } satisfies ToThread, [port, ...ownBuffers(task)]);
      return promise.finally(() => {
        waiting.delete(reject);
        port1.close();
      });
    },
  };
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
