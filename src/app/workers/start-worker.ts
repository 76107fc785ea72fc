/** A worker: today's gate on listeners that all workers share, with everything that must be one for all kept by the primary (SPEC 10). */
import type { ServiceConfig } from '../../config/service-config.ts';
import { reviewStream } from '../../gateway/entry/review-stream.ts';
import type { ConsoleStream } from '../../telemetry/logs/log.ts';
import { createProcessMetrics } from '../../telemetry/process-metrics.ts';
import { toldOf } from '../../telemetry/told-families.ts';
import { currentGate, type Generation, openGeneration } from '../generation.ts';
import { openListeners } from '../listeners.ts';
import { createRetirement, replacedComponents } from '../resources/components.ts';
import { logRules } from '../resources/logs.ts';
import { ticks } from '../resources/ticks.ts';
import { openRuntime, type Runtime } from '../runtime.ts';
import type { FromPrimary, FromWorker, QuestionsOfPrimary, Report, SentConfig, SentGeneration } from './messages.ts';
import { linkToPrimary } from './primary-link.ts';
import { type Answerers, replyTo } from './questions.ts';

export interface WorkerOptions {
  readonly log: ConsoleStream;
  readonly send: (message: FromWorker) => void;
  /** Messages of the primary, from here on. */
  readonly onMessage: (take: (message: FromPrimary) => void) => void;
}

export interface GateWorker {
  /** Finishes what is in flight, and lets go of everything. */
  close(): Promise<void>;
}

type StartMessage = Extract<FromPrimary, { kind: 'start' }>;

/** Rejects with a sentence when something needed cannot be had; nothing is left open then. */
export async function startWorker({ orders }: StartMessage, options: WorkerOptions): Promise<GateWorker> {
  await using opened = new AsyncDisposableStack();
  const { log, send, onMessage } = options;
  const { directory, env, version } = orders;
  const link = linkToPrimary(orders, send);
  let generation: Generation | undefined;
  const inForce = (): Generation => {
    if (!generation) throw new Error('nothing is configured yet');
    return generation;
  };
  // Registered first: while the worker starts, it already asks.
  let answer: ((asked: Extract<FromPrimary, { kind: 'asked' }>) => void) | undefined;
  onMessage((message) => (message.kind === 'asked' ? answer?.(message) : link.take(message)));
  const config = loaded(orders.config);
  const clock = { now: () => Date.now() };
  const runtime = await openRuntime(
    { config, directory, env, clock, log, version, shared: link.shared },
    { config: () => inForce().config, recheck: (caller) => inForce().accounts.recheck(caller) },
  );
  opened.defer(runtime.close);
  const retirement = createRetirement();
  generation = await openGeneration(config, { runtime, warnings: () => [] });
  opened.defer(async () => {
    await retirement.close();
    for (const { close } of replacedComponents(inForce().components, undefined)) await close();
  });
  runtime.accounts.enforce(generation.accounts);
  const answerers = { ...reload(runtime, inForce, use, link.use, retirement.add), report: reporter(runtime, inForce) };
  function use(next: Generation): void {
    generation = next;
  }
  answer = ({ id, question }) => void replyTo<QuestionsOfPrimary>(id, question, answerers).then(send);
  const { settings } = config;
  const { addresses, drain } = await openListeners({
    settings,
    onFull: runtime.health.onFull,
    gates: { external: currentGate('external', inForce), internal: currentGate('internal', inForce) },
    timeoutIdle: () => inForce().settings.nvr.timeout_idle,
    tls: runtime.certificates,
    telemetry: undefined,
    isWorker: true,
    activated: orders.activated,
  });
  opened.defer(async () => {
    runtime.openStreams.leaveSockets();
    await drain(inForce().settings.server.shutdown_grace);
  });
  send({ kind: 'listening', addresses });
  const running = opened.move();
  return { close: () => running.disposeAsync() };
}

const loaded = (config: SentConfig): ServiceConfig => ({
  ...config,
  kind: 'loaded',
  placed: ({ path, message }) => ({ path: path.join('.'), message }),
});

/** A reload, as the primary asks for it: first what can fail, then the switch. */
function reload(
  runtime: Runtime,
  inForce: () => Generation,
  use: (next: Generation) => void,
  tell: (generation: SentGeneration) => void,
  retire: (parts: ReturnType<typeof replacedComponents>) => void,
): Pick<Answerers<QuestionsOfPrimary>, 'prepare' | 'settle'> {
  let prepared: Generation | undefined;
  return {
    async prepare(sent) {
      tell(sent);
      prepared = await openGeneration(loaded(sent.config), { runtime, warnings: () => [] }, inForce());
      return null;
    },
    async settle({ isTaken }) {
      const before = inForce();
      const next = prepared;
      prepared = undefined;
      if (!next) return null;
      if (!isTaken) {
        for (const { close } of replacedComponents(next.components, before.components)) await close();
        return null;
      }
      use(next);
      runtime.logs.setLevels(logRules(next.settings));
      runtime.accounts.enforce(next.accounts);
      retire(replacedComponents(before.components, next.components));
      const judges = { rules: next.rules(), recheck: next.accounts.recheck };
      await runtime.openStreams.review((stream) => reviewStream(stream, judges));
      return null;
    },
  };
}

function reporter(runtime: Runtime, inForce: () => Generation): () => Promise<Report> {
  const { counters, health, store, unknownRoutes } = runtime;
  const { metrics, sessions, watch, recent } = counters;
  const measurements = createProcessMetrics();
  return async () => {
    watch.countOpenSockets();
    metrics.cameraDenials.setCameras(inForce().components.cameras.it.current() ?? []);
    metrics.heldRevocations.set(store.heldRevocations());
    const log = health.log();
    return {
      families: toldOf([...Object.values(metrics), ...(await measurements.read())]),
      sessions: sessions.list(ticks()),
      eventLoop: health.process.eventLoop(),
      descriptors: await health.process.descriptors(),
      log,
      recent: {
        loginFailures: recent.loginFailures(),
        failures: recent.failures(),
        unknownRoutes: unknownRoutes.list(),
        shadow: inForce().shadow?.list() ?? null,
      },
    };
  };
}
