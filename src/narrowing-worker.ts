/** The thread in which large responses are narrowed: it does one task after the other, and keeps nothing of them. */
import { parentPort } from 'node:worker_threads';
import { narrowNow } from './gateway/narrow/narrow-task.ts';
import type { NumberedResult, NumberedTask } from './gateway/narrow/narrower.ts';
import { adapterNamed } from './nvr/adapters.ts';

parentPort?.on('message', ({ id, task, adapter }: NumberedTask) => {
  const result = narrowNow(task, adapterNamed(adapter));
  const numbered: NumberedResult = { id, result };
  parentPort?.postMessage(numbered, result.kind === 'narrowed' ? [result.body.buffer] : []);
});
