import { createHouseSettings } from '../accounts/settings/house-settings.ts';
import { rememberStore, tellRestored } from '../accounts/store/own-store.ts';
import { steadyNow } from '../domain/clock.ts';
import { questionsUnderWay } from '../outbound/ask-upstream.ts';
import { createScrape, openProcessMetrics } from '../telemetry/scrape.ts';
import { createTelemetryServer } from '../telemetry/telemetry-server.ts';
import { awaitStore } from './await-store.ts';
import type { Generation } from './generation.ts';
import { createGenerations, type Generations } from './hot-reload.ts';
import { openListeners } from './listeners.ts';
import { openRuntime, type Runtime } from './runtime.ts';
import type { StartOptions } from './start-options.ts';

export type Postern = Awaited<ReturnType<typeof startPostern>>;

/**
 * Waits for a store that a server keeps. Rejects with a sentence for the operator when something else that is needed
 * cannot be had, and with `StoppedAtStart` when it was stopped before; nothing is left open then.
 */
export async function startPostern(options: StartOptions) {
  await awaitStore(options);
  await using opened = new AsyncDisposableStack();
  let { config } = options;
  const house = createHouseSettings(options, {
    config: () => generations.config() ?? config,
    store: () => runtime.store,
    reload: (read) => generations.reload(read),
  });
  const generations: Generations = createGenerations(() => runtime.features.warnings(), { house });
  const { active } = generations;
  const runtime: Runtime = await openRuntime(options, {
    // What runs by the clock may ask before the first generation is open.
    config: () => generations.config() ?? config,
    async underStored(store) {
      config = await house.underStored(store);
      return config;
    },
    recheck: (caller) => active().accounts.recheck(caller),
    surroundings: () => active().rules().surroundings(),
  });
  opened.defer(runtime.close);
  opened.defer(generations.close);
  const serving = await generations.open(config, runtime);
  const { log, accounts, openStreams, certificates } = runtime;

  let isStopping = false;
  const telemetry = createTelemetryServer({
    scrape: serviceScrape(runtime, active),
    readiness: () => active().readiness(),
    isStopping: () => isStopping,
    hosts: () => active().settings.server.internal_hosts,
  });
  const { addresses, drain } = await openListeners({
    settings: config.settings,
    onConnectionRefused: runtime.health.onConnectionRefused,
    timeoutHead: options.timeouts?.head,
    serving,
    tls: certificates,
    telemetry,
  });
  opened.defer(async () => {
    isStopping = true;
    log.info('stopping: requests in flight are finished first');
    openStreams.leaveSockets();
    await drain(active().settings.server.shutdown_grace);
  });
  // Only now: a password that is made for a start that fails is never shown.
  const newAdminPassword = await accounts.settle(active().accounts, config.settings.auth.reset_admin_password);
  await rememberStore(options, runtime);
  await tellRestored(options.directory, log, { audit: active().accounts.audit, recorded: runtime.features.recorded });
  opened.defer(house.watch());
  log.info({ addresses }, 'started');
  runtime.features.started(config);
  const running = opened.move();
  const { settings } = config;
  return {
    addresses,
    /** The password to be shown once, when this start made one (interface 2.1, 5.2). */
    newAdminPassword,
    /** Those of the start. */
    settings,
    /** The configuration is read again, and holds from now on, or the one before stays; the log says which. */
    reload: house.reload,
    /** Is not ready any more, stops accepting, finishes what is in flight, and lets go of everything. */
    close: (): Promise<void> => running.disposeAsync(),
  };
}

/** The values of a scrape are those of the active generation (SPEC 9). A scrape does not wait for the NVR: it shows the last answer. */
function serviceScrape(runtime: Runtime, active: () => Generation): () => Promise<string> {
  const { counters, features, store, health, clientLimits, upstreamSlots } = runtime;
  const { metrics, sessions, watch } = counters;
  const nameCameras = (): void => metrics.cameraDenials.setCameras(active().components.cameras.it.current() ?? []);
  nameCameras();
  const looks = [
    watch.countOpenSockets,
    nameCameras,
    () => metrics.activeSessions.setAll(sessions.countByRole(steadyNow())),
    () => metrics.hashQueue.set(active().accounts.hasher.waiting()),
    () => metrics.heldRevocations.set(store.heldRevocations()),
    health.countDropped,
    nvrProbe(active),
    () => {
      const { taken, waiting } = upstreamSlots.inUse();
      const inUse = { client: clientLimits.taken(), nvr: taken, nvr_waiting: waiting, question: questionsUnderWay() };
      metrics.placesInUse.setAll(new Map(Object.entries(inUse)));
    },
  ];
  return createScrape([...Object.values(metrics), ...features.families], looks, openProcessMetrics);
}

const PROBE_MS = 10_000;

/** The NVR is asked once in that time, however often the metrics are read. */
function nvrProbe(active: () => Generation): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const { config, parts } = active();
    if (config.settings.nvr.url && steadyNow() - askedAt < PROBE_MS) return;
    askedAt = steadyNow();
    void parts.nvr();
  };
}
