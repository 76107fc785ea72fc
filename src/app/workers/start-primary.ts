/** The primary of several workers: it keeps what is one for all of them, and serves no request itself (SPEC 10). */
import { availableParallelism } from 'node:os';
import { MOST_HELD_BYTES } from '../../gateway/narrow/obligations.ts';
import type { Check, Readiness } from '../../telemetry/readiness.ts';
import { createTelemetryServer } from '../../telemetry/telemetry-server.ts';
import { startCanary } from '../canary.ts';
import { drainListeners } from '../drain.ts';
import type { Generation } from '../generation.ts';
import { createGenerations } from '../hot-reload.ts';
import { type Addresses, makeRoom, openTelemetry } from '../listeners.ts';
import { activatedSockets } from '../resources/activation.ts';
import { rememberStore } from '../resources/known-store.ts';
import { createOpenPortWarnings } from '../resources/open-port-warnings.ts';
import { ticks } from '../resources/ticks.ts';
import { openRuntime } from '../runtime.ts';
import { serviceScrape } from '../service-scrape.ts';
import type { Postern } from '../start.ts';
import type { StartOptions } from '../start-options.ts';
import { createAnswers } from './answer-worker.ts';
import type { SentGeneration, StartOrders } from './messages.ts';
import { createNotes } from './notes.ts';
import { createReports } from './reports.ts';
import { createTakers } from './takers.ts';
import { tellOfWorkers } from './tell-of-workers.ts';
import { openWorkerPool, type WorkerPool } from './worker-pool.ts';
import { forkWorker } from './worker-process-handle.ts';
import type { PoolWorker } from './worker-slot.ts';

export interface PrimaryOptions extends StartOptions {
  readonly workers: number;
  /** Seconds without a word, after which a worker counts as stuck. */
  readonly silentSeconds?: number;
}

/** `auto`: one for each core. */
export const workersOf = (workers: number | 'auto'): number => (workers === 'auto' ? availableParallelism() : workers);

export interface Primary extends Postern {
  /** Process ids of the workers that listen, by number. */
  pids(): ReadonlyMap<number, number>;
}

/** As `startPostern`, with so many processes that serve. */
export async function startPrimary(options: PrimaryOptions): Promise<Primary> {
  await using opened = new AsyncDisposableStack();
  const { config, directory, env, version } = options;
  const { settings } = config;
  let pool: WorkerPool | undefined;
  const workers = (): readonly PoolWorker[] => pool?.workers() ?? [];
  const takers = createTakers(workers, sentOf);
  const openPorts = createOpenPortWarnings(options.surroundings);
  opened.defer(openPorts.close);
  const generations = createGenerations(openPorts.warnings, takers);
  const { inForce } = generations;
  const runtime = await openRuntime(
    { ...options, hasWorkers: true },
    {
      config: () => inForce().config,
      recheck: (caller) => inForce().accounts.recheck(caller),
    },
  );
  opened.defer(runtime.close);
  opened.defer(generations.close);
  await generations.open(config, runtime);
  const { log, accounts, certificates, trustedHeaders } = runtime;
  const { metrics } = runtime.counters;
  const reports = createReports();
  const refresh = (): Promise<void> => reports.refresh(workers());
  let isStopping = false;
  const { expose } = serviceScrape(runtime, inForce, {
    ...reports,
    refresh: () => refresh().then(() => metrics.workersUp.set(workers().length)),
  });
  const readiness = async (): Promise<Readiness> => {
    await refresh();
    return { ...reports.readiness(await inForce().readiness()), workers: pool?.check() ?? STARTING };
  };
  const telemetry = createTelemetryServer({
    expose,
    readiness,
    isStopping: () => isStopping,
    hosts: () => inForce().settings.server.internal_hosts,
  });
  const activated = activatedSockets(env, process.pid);
  const telemetryAt = await openTelemetry(settings.server, telemetry, activated.telemetry);
  opened.defer(() => drainListeners([], telemetry, 0));
  const notes = createNotes(runtime);
  const answers = createAnswers({
    limiters: { login: accounts.limiter, code: accounts.codeLimiter, token: accounts.tokenLimiter },
    hasherOf: accounts.hasherOf,
    changed: async () => accounts.roleRegistry.latest(),
    status: async () => {
      await refresh();
      return reports.status(await inForce().status());
    },
    mostBytes: MOST_HELD_BYTES,
    onAuditLine: (line) => runtime.auditLine?.(line),
    onNotice: accounts.sendNotice,
    onLedger: runtime.ledger.take,
    onNote: notes.take,
  });
  const orders = (worker: PoolWorker): StartOrders => ({
    ...sentOf(inForce()),
    worker: worker.number,
    directory,
    version,
    env,
    certificate: certificates?.current(),
    trustedHeaders: trustedHeaders.current(),
    isFirstLoginAwaited: accounts.firstTimeLogin.isAwaited(),
    notes: notes.current(),
    activated,
  });
  certificates?.onChange((certificate) => notes.tellAll({ kind: 'certificate', certificate }));
  trustedHeaders.onChange((list) => notes.tellAll({ kind: 'trusted-headers', list }));
  const told = tellOfWorkers(metrics, log);
  await makeRoom(settings, activated);
  const started = await openWorkerPool({
    count: options.workers,
    fork: forkWorker,
    now: ticks,
    silentSeconds: options.silentSeconds,
    onLine: (line) => options.log.write(`${line}\n`),
    onMessage: answers.onMessage,
    onHere(worker) {
      takers.starts(worker);
      worker.send({ kind: 'start', orders: orders(worker) });
      notes.starts(worker);
    },
    onUp(worker, isAgain) {
      takers.isUp(worker);
      if (isAgain) told.onUpAgain(worker);
    },
    onEnd(worker) {
      notes.ended(worker);
      answers.onEnd(worker);
      reports.ended(worker);
    },
    onDown: told.onDown,
    onNone() {
      if (activated.external === undefined && activated.internal === undefined) return;
      // Their numbers may soon belong to other files of this process: they are not listened on again.
      log.fatal(
        'no worker is left, and the sockets of systemd were closed with the last one: the service ends, so that systemd starts it again',
      );
      process.exit(1);
    },
  });
  pool = started;
  opened.defer(async () => {
    isStopping = true;
    log.info('stopping: requests in flight are finished first');
    await started.close((inForce().settings.server.shutdown_grace + CLOSING_SECONDS) * 1000);
  });
  const canary = startCanary(runtime, inForce);
  opened.defer(canary.close);
  const newAdminPassword = await accounts.settle(inForce().accounts, settings.auth.reset_admin_password);
  if (newAdminPassword) notes.tell({ kind: 'first-login', isAwaited: true });
  await rememberStore(options, runtime);
  const addresses: Addresses = { ...started.addresses, telemetry: telemetryAt };
  log.info({ addresses, workers: options.workers }, 'started');
  openPorts.look(config, log);
  const running = opened.move();
  return {
    addresses,
    newAdminPassword,
    canary,
    pids: () => new Map(workers().map(({ number, pid }) => [number, pid])),
    async reload(read) {
      const reloaded = await generations.reload(read);
      if (reloaded.newAdminPassword) notes.tell({ kind: 'first-login', isAwaited: true });
      return reloaded;
    },
    close: () => running.disposeAsync(),
  };
}

const STARTING: Check = { kind: 'failed', reason: 'the workers are being started' };

/** A worker writes what it has to write. */
const CLOSING_SECONDS = 1;

function sentOf({ config, components }: Generation): SentGeneration {
  const { kind: _, placed: __, ...sent } = config;
  return { config: sent, eventsBackend: components.events.it?.upstream };
}
