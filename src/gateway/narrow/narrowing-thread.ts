/** The thread in which large responses are narrowed: it does one task after the other, and keeps nothing of them. */
import { parentPort } from 'node:worker_threads';
import { type NarrowedBytes, type NarrowTask, narrowNow } from './narrow-task.ts';

/** The messages to the thread and from it. */
export interface NumberedTask {
  readonly id: number;
  readonly task: NarrowTask;
}
export interface NumberedResult {
  readonly id: number;
  readonly result: NarrowedBytes;
}

parentPort?.on('message', ({ id, task }: NumberedTask) => {
  const result = narrowNow(task);
  const numbered: NumberedResult = { id, result };
  parentPort?.postMessage(numbered, result.kind === 'narrowed' ? [result.body.buffer] : []);
});
