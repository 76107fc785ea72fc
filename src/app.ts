/** The composition root: with the other app-*.ts files the only one that knows every room; starts and stops them. */
import type { DestinationStream } from 'pino';
import type { NewAdminPassword } from './accounts/first-admin.ts';
import { openAccounts } from './app-accounts.ts';
import { openEvents } from './app-events.ts';
import { gateParts } from './app-gate.ts';
import { type Addresses, openListeners } from './app-listeners.ts';
import { openLogs } from './app-logs.ts';
import { serviceStatus } from './app-status.ts';
import { openScrape, openTelemetry } from './app-telemetry.ts';
import { openCertificates } from './app-tls.ts';
import { openTrustedHeaders, TRUSTED_HEADERS_FILES } from './app-trusted-headers.ts';
import { forwardRulesOf, questionFor, readinessOf, watchCameras } from './app-upstreams.ts';
import type { Settings } from './config/schema.ts';
import { type Clock, unixSeconds } from './domain/clock.ts';
import { createForwarder } from './gateway/forward.ts';
import { createGate } from './gateway/gate.ts';
import { createMessageRelay } from './gateway/message-relay.ts';
import { createOpenStreams } from './gateway/open-streams.ts';
import { openStore } from './store/open-store.ts';
import { createTelemetryServer } from './telemetry/telemetry-server.ts';

export interface StartOptions {
  readonly settings: Settings;
  /** Of the configuration, a sentence each. */
  readonly warnings: readonly string[];
  /** The directory that holds everything that must last. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** For the login limiter: one that is never set. Default: the machine's own count of milliseconds. */
  readonly steadyClock?: Clock;
  readonly log: DestinationStream;
  readonly version: string;
  /** The allowlist file, where it is not in the interface's place (5.5.7). */
  readonly trustedHeadersFile?: string;
}

export interface Postern {
  readonly addresses: Addresses;
  /** To be shown once, when this start made one (interface 2.1, 5.2). */
  readonly newAdminPassword: NewAdminPassword | undefined;
  /** Is not ready any more, stops accepting, finishes what is in flight, and lets go of everything. */
  close(): Promise<void>;
}

/** Rejects with a sentence for the operator when something needed cannot be had; nothing is left open then. */
export async function startPostern(options: StartOptions): Promise<Postern> {
  await using opened = new AsyncDisposableStack();
  const { settings, clock } = options;
  const houseLogs = await openLogs(settings, clock, options.log);
  opened.defer(houseLogs.close);
  const { logs } = houseLogs;
  const log = logs.named('service');
  for (const warning of options.warnings) log.warn(warning);
  const { directory, trustedHeadersFile = TRUSTED_HEADERS_FILES.mounted } = options;
  const listFiles = { ...TRUSTED_HEADERS_FILES, mounted: trustedHeadersFile };
  const trustedHeaders = await openTrustedHeaders(settings, listFiles, log);
  opened.defer(() => trustedHeaders.close());
  const counters = openTelemetry(settings, options.version, trustedHeaders, logs, clock);
  const { metrics, watch, recent } = counters;
  houseLogs.onAuditFault((lines) => metrics.auditWriteErrors.add(lines));

  const store = await openStore({ url: `sqlite:${settings.store.url.file}` });
  opened.defer(() => store.close());
  const accounts = await openAccounts(options, store, logs, metrics, recent);
  opened.defer(() => accounts.close());
  const backend = await openEvents(settings, { roles: accounts.roleBook.current, store, clock, log, metrics });
  accounts.onRoles(() => backend?.tellRoles());
  if (backend) opened.defer(() => backend.close());
  const cameras = watchCameras(settings, backend, log);
  opened.defer(() => cameras.stop());
  await cameras.refresh();

  const forwardRules = await forwardRulesOf(settings);
  const forwarder = createForwarder(forwardRules);
  opened.defer(() => forwarder.close());
  const openStreams = createOpenStreams({
    version: store.version,
    recheck: accounts.recheck,
    clock,
    onFault: (fault) =>
      log.error({ err: fault }, 'who holds open streams could not be looked at: the next look is in a second'),
  });
  opened.defer(() => openStreams.close());
  const tls = await openCertificates(settings, clock, log);
  opened.defer(() => tls?.close());
  const certificate = () => tls?.current().certificate;
  const readiness = readinessOf(settings, store, backend);
  const statusSources = {
    settings,
    version: options.version,
    startedAt: unixSeconds(clock),
    warnings: options.warnings,
    certificate,
    recent,
    limiter: accounts.routeParts.limiter,
    readiness,
    nvrVersion: settings.nvr.url && questionFor(settings, settings.nvr.url, '/api/version'),
  };
  const gate = await gateParts({
    settings,
    directory,
    trustedHeaders,
    accounts,
    backend,
    cameras,
    forwarder,
    relay: createMessageRelay(forwardRules),
    openStreams,
    logs,
    metrics,
    watch,
    clock,
    status: (unknownRoutes) => serviceStatus(statusSources, unknownRoutes),
  });
  const scraped = { settings, clock, store, accounts, backend, cameras, certificate };
  const { expose } = openScrape(counters, scraped);
  let isStopping = false;
  const telemetry = createTelemetryServer({ expose, readiness, isStopping: () => isStopping });
  const gates = { external: createGate('external', gate), internal: createGate('internal', gate) };
  const { addresses, drain } = await openListeners({ settings, gates, tls, telemetry });
  opened.defer(async () => {
    isStopping = true;
    log.info('stopping: what is in flight is finished');
    openStreams.leaveSockets();
    await drain(settings.server.shutdown_grace);
  });
  log.info({ addresses }, 'started');
  const running = opened.move();
  return { addresses, newAdminPassword: accounts.newAdminPassword, close: () => running.disposeAsync() };
}
