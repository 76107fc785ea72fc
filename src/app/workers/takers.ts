/** A reload over all workers: each prepares it, then all switch, or none does (SPEC 1, 10). */
import type { Generation } from '../generation.ts';
import type { OtherTakers } from '../hot-reload.ts';
import type { SentGeneration } from './messages.ts';
import type { PoolWorker } from './worker-slot.ts';

export interface Takers extends OtherTakers {
  starts(worker: PoolWorker): void;
  /** One that started with a configuration that has been replaced meanwhile starts anew. */
  isUp(worker: PoolWorker): void;
}

/** A worker that takes longer is replaced by one that starts with the new configuration. */
const PATIENCE_MS = 10_000;

export function createTakers(
  workers: () => readonly PoolWorker[],
  sentOf: (generation: Generation) => SentGeneration,
): Takers {
  let count = 0;
  const has = new WeakMap<PoolWorker, number>();
  let prepared: readonly PoolWorker[] = [];
  const outcomeOf = async (worker: PoolWorker, sent: SentGeneration): Promise<string | undefined> => {
    try {
      const asked = worker.ask({ kind: 'prepare', ...sent }).then(() => true);
      if (await inTime(asked)) return undefined;
      worker.replace();
      return undefined;
    } catch (fault) {
      const isGone = !workers().includes(worker);
      return isGone ? undefined : fault instanceof Error ? fault.message : String(fault);
    }
  };
  return {
    starts: (worker) => void has.set(worker, count),
    isUp(worker) {
      if (has.get(worker) !== count) worker.replace();
    },
    async prepare(next) {
      prepared = workers();
      const refusals = await Promise.all(prepared.map((worker) => outcomeOf(worker, sentOf(next))));
      return refusals.find((refusal) => refusal !== undefined);
    },
    async settle(isTaken) {
      if (isTaken) count += 1;
      const those = prepared;
      prepared = [];
      await Promise.all(
        those.map(async (worker) => {
          if (isTaken) has.set(worker, count);
          const isSettled = await inTime(
            worker.ask({ kind: 'settle', isTaken }).then(
              () => true,
              () => false,
            ),
          );
          if (!isSettled) worker.replace();
        }),
      );
      for (const worker of workers()) if (has.get(worker) !== count) worker.replace();
    },
  };
}

async function inTime(work: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
