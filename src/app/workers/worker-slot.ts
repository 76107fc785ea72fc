/** The place of one worker in the pool, which several processes have one after another, and what `/readyz` says of all places. */
import { type Check, OK } from '../../telemetry/readiness.ts';
import type { FromPrimary, QuestionsOfPrimary } from './messages.ts';
import type { OpenQuestions } from './questions.ts';
import type { WorkerProcess } from './worker-process-handle.ts';

/** One process; the one that takes its place has the same number. */
export interface PoolWorker {
  readonly number: number;
  readonly pid: number;
  readonly ask: OpenQuestions<QuestionsOfPrimary>['ask'];
  send(message: FromPrimary): void;
  /** Ends it; another one takes its place at once. */
  replace(): void;
}

export interface Slot {
  readonly number: number;
  worker: PoolWorker | undefined;
  process: WorkerProcess | undefined;
  isUp: boolean;
  upSince: number;
  /** Looks since the last word. */
  silentLooks: number;
  failures: number;
  lastFault: string | undefined;
  isReplaced: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Looks without a word, after which it is told. */
const TOLD_AFTER = 3;

export const slotOf = (number: number): Slot => ({
  number,
  worker: undefined,
  process: undefined,
  isUp: false,
  upSince: 0,
  silentLooks: 0,
  failures: 0,
  lastFault: undefined,
  isReplaced: false,
  timer: undefined,
});

export function checkOf(slots: readonly Slot[]): Check {
  const reasons = slots.flatMap(({ number, isUp, silentLooks, lastFault }) => {
    if (!isUp) return [`worker ${number} is being started${lastFault === undefined ? '' : `: ${lastFault}`}`];
    return silentLooks > TOLD_AFTER ? [`worker ${number} has not answered for ${silentLooks} s`] : [];
  });
  if (reasons.length === 0) return OK;
  const isServing = slots.some(({ isUp, silentLooks }) => isUp && silentLooks <= TOLD_AFTER);
  return { kind: isServing ? 'degraded' : 'failed', reason: reasons.join('; ') };
}
