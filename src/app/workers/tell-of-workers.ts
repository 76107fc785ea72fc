/** Says in log and metrics when a worker has ended, and when another one serves in its place (SPEC 9, 10). */
import type { Logger } from 'pino';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { PoolDeps } from './worker-pool.ts';

type Told = Pick<PoolDeps, 'onDown'> & { readonly onUpAgain: (worker: { number: number; pid: number }) => void };

const GONE = {
  ended: 'a worker has ended and its connections are lost: another one is started; see the lines before',
  silent: 'a worker stood still and was ended, its connections are lost: another one is started',
} as const;

export const tellOfWorkers = (metrics: Pick<Metrics, 'workerRestarts'>, log: Logger): Told => ({
  onDown({ number, pid }, { kind, text }, pause) {
    metrics.workerRestarts.add(1, kind);
    log.error({ worker: number, pid, fault: text, inSeconds: pause / 1000 }, GONE[kind]);
  },
  onUpAgain: ({ number, pid }) => log.info({ worker: number, pid }, 'the worker serves again'),
});
