/** The thread in which whole responses are read: it does one task after the other, and keeps nothing of them. */

import { once } from 'node:events';
import { MessageChannel, type MessagePort, parentPort, type TransferListItem } from 'node:worker_threads';
import { faultMessage } from './domain/result.ts';
import { askNow, narrowNow } from './gateway/narrow/narrow-task.ts';
import type { FromThread, ToThread } from './gateway/narrow/narrower.ts';
import { adapterNamed } from './nvr/adapters.ts';

const say = (port: MessagePort, message: FromThread, transferred: readonly TransferListItem[] = []): void =>
  port.postMessage(message, transferred);

async function ask(asker: MessagePort, path: string): Promise<unknown> {
  const { port1, port2: port } = new MessageChannel();
  say(asker, { kind: 'question', path, port }, [port]);
  const [text] = await once(port1, 'message');
  port1.close();
  if (text === undefined) throw new Error('the question was not answered'); // the one who asked knows why
  return JSON.parse(text);
}

parentPort?.on('message', async ({ task, adapter, port }: ToThread) => {
  const nvr = adapterNamed(adapter);
  if (task.kind !== 'compose' && task.kind !== 'know') {
    const result = narrowNow(task, nvr);
    return say(port, { kind: 'result', result }, result.ok ? [result.value.buffer] : []);
  }
  try {
    return say(port, { kind: 'result', result: await askNow(task, (path) => ask(port, path), nvr) });
  } catch (fault) {
    return say(port, { kind: 'failed', message: faultMessage(fault) });
  }
});
