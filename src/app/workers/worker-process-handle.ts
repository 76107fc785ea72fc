/** One process of a worker, as the primary sees it: typed messages, its log lines, its end. */
import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FromPrimary, FromWorker } from './messages.ts';

export interface WorkerProcess {
  readonly pid: number;
  send(message: FromPrimary): void;
  /** At once, whatever it does. */
  kill(): void;
}

export interface WorkerProcessEvents {
  readonly onMessage: (message: FromWorker) => void;
  /** One line of its standard output, without the line break. */
  readonly onLine: (line: string) => void;
  /** Once: `exit code 1`, or the name of a signal. */
  readonly onEnd: (how: string) => void;
}

const MAIN = join(import.meta.dirname, '../../main.js');

/** Node's cluster hands each connection to the next worker that is free: one that is stuck gets no more of them. */
export function forkWorker({ onMessage, onLine, onEnd }: WorkerProcessEvents): WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: MAIN,
    args: [],
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--test')),
    serialization: 'advanced', // maps and sets stay what they are
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const worker: Worker = cluster.fork({ POSTERN_PART: 'worker' });
  worker.on('message', onMessage);
  worker.process.on('error', () => {}); // a message to a process that has just ended
  worker.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
  const { stdout } = worker.process;
  if (stdout) createInterface({ input: stdout }).on('line', onLine);
  return {
    pid: worker.process.pid ?? 0,
    send: (message) => void (worker.isConnected() && worker.send(message, () => {})),
    kill: () => worker.process.kill('SIGKILL'),
  };
}
