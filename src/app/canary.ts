/** The canary of a running service: a round each `canary.every`, one question at a time, for a hundredth of the time at most (SPEC 15). */
import { Stopped } from '../canary/answer.ts';
import { paced } from '../canary/paced.ts';
import { type Round, runRound } from '../canary/round.ts';
import { unixSeconds } from '../domain/clock.ts';
import type { CanaryStatus } from '../domain/status.ts';
import { canaryAsk } from './gate/canary-gate.ts';
import type { Generation } from './generation.ts';
import { steadyNow } from './resources/steady-clock.ts';
import type { Runtime } from './runtime.ts';

export interface Canary {
  /** One round now, by what is active; `share` is the part of the time in which a question may be under way. */
  round(share?: number): Promise<Round | undefined>;
  /** One round now, with half of the time for questions: a person waits for it. */
  run(): Promise<CanaryStatus | null>;
  /** Ends a round that is under way. */
  close(): Promise<void>;
}

/** The share of the time that has a question under way: under one per cent, whatever a question costs the NVR. */
const SHARE = 0.01;
const SHARE_NOW = 0.5;
const LOOK_MS = 5_000;
const AGAIN_MS = 60_000;
/** Replicas that start together do not ask together. */
const LATEST_FIRST_MS = 60_000;

export function startCanary(runtime: Runtime, active: () => Generation): Canary {
  const closed = new AbortController();
  let rounds = 0;
  let running: RunningRound | undefined;
  const firstAt = steadyNow() + Math.random() * LATEST_FIRST_MS;
  let lastAt: number | undefined;

  const run = async (generation: Generation, share: number, signal: AbortSignal): Promise<Round | undefined> => {
    const { accounts, canary } = generation;
    try {
      const layout = canary.layout();
      const [camera = ''] = layout?.cameras ?? [];
      const isOver = (): boolean => active() !== generation;
      const ask = canaryAsk({ gate: canary.gate, camera, signal });
      const round = await runRound({
        ask: paced(ask, { share, signal, isOver, ticks: steadyNow }),
        rows: canary.rows,
        nvr: canary.nvr,
        layout,
        number: rounds,
        now: () => unixSeconds(runtime.clock),
        lists: canary.lists,
        describedApi: canary.describedApi,
      });
      rounds += 1;
      runtime.canary.report(round, accounts.audit);
      return round;
    } catch (fault) {
      if (!(fault instanceof Stopped)) runtime.canary.report(undefined, accounts.audit, fault);
      return undefined;
    }
  };
  /** A round that is slower, or by what is active no more, ends for this one. */
  const round = (share = SHARE): Promise<Round | undefined> => {
    const before = running;
    const generation = active();
    if (before?.generation === generation && before.share >= share) return before.done;
    before?.stop.abort();
    const stop = new AbortController();
    const signal = AbortSignal.any([closed.signal, stop.signal]);
    const done = Promise.resolve(before?.done)
      .then(() => run(generation, share, signal))
      .finally(() => {
        if (running?.stop === stop) running = undefined;
      });
    running = { generation, share, stop, done };
    return done;
  };
  const timer = setInterval(() => {
    const { every } = active().settings.canary;
    const isDue = every !== null && steadyNow() >= (lastAt === undefined ? firstAt : lastAt + every * 1000);
    if (!isDue || running !== undefined) return;
    lastAt = steadyNow();
    void round().then((done) => {
      // Without a list of cameras nothing was asked yet.
      if (done?.kind === 'cameras-unknown') lastAt = steadyNow() - every * 1000 + AGAIN_MS;
    });
  }, LOOK_MS).unref();

  return {
    round,
    async run() {
      for (;;) {
        const generation = active();
        if (!generation.settings.nvr.url) return null;
        await round(SHARE_NOW);
        if (active() === generation || closed.signal.aborted) return runtime.canary.status();
      }
    },
    async close() {
      clearInterval(timer);
      closed.abort();
      await running?.done;
    },
  };
}

interface RunningRound {
  readonly generation: Generation;
  readonly share: number;
  readonly stop: AbortController;
  readonly done: Promise<Round | undefined>;
}
