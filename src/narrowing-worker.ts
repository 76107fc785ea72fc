/** The thread in which whole responses are read: it does one task after the other, and keeps nothing of them. */

import { parentPort } from 'node:worker_threads';
import type { NvrAdapter } from './access/nvr-adapter.ts';
import { faultMessage } from './domain/result.ts';
import { type AskTask, askNow, narrowNow } from './gateway/narrow/narrow-task.ts';
import type { FromThread, ToThread } from './gateway/narrow/narrower.ts';
import { adapterNamed } from './nvr/adapters.ts';

/** The question was not answered: the one who asked knows why. */
class Unanswered extends Error {
  readonly question: number;
  constructor(question: number) {
    super('the question was not answered');
    this.question = question;
  }
}

const asked = new Map<number, PromiseWithResolvers<string>>();
let lastQuestion = 0;

const say = (message: FromThread, transferred: readonly ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, [...transferred]);

async function ask(id: number, path: string): Promise<unknown> {
  lastQuestion += 1;
  const answer = Promise.withResolvers<string>();
  asked.set(lastQuestion, answer);
  say({ kind: 'question', id, question: lastQuestion, path });
  return JSON.parse(await answer.promise);
}

async function askFor(id: number, task: AskTask, nvr: NvrAdapter): Promise<void> {
  try {
    say({ kind: 'result', id, result: await askNow(task, (path) => ask(id, path), nvr) });
  } catch (fault) {
    const question = fault instanceof Unanswered ? fault.question : undefined;
    say({ kind: 'failed', id, question, message: faultMessage(fault) });
  }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'answer') {
    const { question, text } = message;
    const answer = asked.get(question);
    asked.delete(question);
    return text === undefined ? answer?.reject(new Unanswered(question)) : answer?.resolve(text);
  }
  const { id, task } = message;
  const nvr = adapterNamed(message.adapter);
  if (task.kind === 'compose' || task.kind === 'know') return void askFor(id, task, nvr);
  const result = narrowNow(task, nvr);
  return say({ kind: 'result', id, result }, result.kind === 'narrowed' ? [result.body.buffer] : []);
});
