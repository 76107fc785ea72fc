/** The thread in which large responses are narrowed: it does one task after the other, and knows nothing between them. */
import { parentPort } from 'node:worker_threads';
import { type NarrowedBytes, type NarrowTask, narrowNow } from './narrow-task.ts';

/** What the thread is sent, and what it answers. */
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
  const answer: NumberedResult = { id, result };
  parentPort?.postMessage(answer, result.kind === 'narrowed' ? [result.body.buffer] : []);
});
