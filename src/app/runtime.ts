/** What outlives every reload: logs, counters, the store, accounts, open streams, the certificate (SPEC 1). */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Surroundings } from '../access/access-verdict.ts';
import { holdRevocations } from '../accounts/sessions/store-grace.ts';
import { claimName, openKnownStore } from '../accounts/store/own-store.ts';
import { formatProblem } from '../config/problems/problems.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { clientKey } from '../domain/addresses.ts';
import type { Caller } from '../domain/caller.ts';
import { type Clock, createDeletionGuard, steadyNow, unixSeconds } from '../domain/clock.ts';
import { openCertificates } from '../gateway/certificates/certificates.ts';
import { createClientLimits } from '../gateway/decision/client-limits.ts';
import { createOpenStreams, isBesideDrawn } from '../gateway/entry/open-streams.ts';
import { createUnknownRoutes } from '../gateway/entry/pipeline.ts';
import { peersTrusted } from '../identity/sources.ts';
import { openTrustedHeaders, trustedHeadersFiles } from '../identity/trusted-headers.ts';
import { createUpstreamSlots } from '../outbound/ask-upstream.ts';
import type { SettingStore } from '../store/accounts/house.ts';
import { boundCalls } from '../store/open-store.ts';
import { createAccessLog } from '../telemetry/access-log.ts';
import { openHealth } from '../telemetry/health.ts';
import { createLogs, logRules } from '../telemetry/logs/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { degradedBy, type Parts } from '../telemetry/readiness.ts';
import { createRecentFailures } from '../telemetry/recent-failures.ts';
import { createActiveSessions, watchGate } from '../telemetry/watch-gate.ts';
import { readBuiltPages } from '../ui/built-pages.ts';
import { openAccounts } from './accounts.ts';
import { createFeatures, loadFeatures, tokenRightsIn } from './resources/features.ts';
import type { StartOptions } from './start-options.ts';

export type Runtime = Awaited<ReturnType<typeof openRuntime>>;

/** What is active now; a reload changes it. */
export interface ActiveConfig {
  readonly config: () => ServiceConfig;
  /** The caller as of now; undefined when the session or token has ended. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  readonly surroundings: () => Surroundings;
  /** The configuration of this start, with what the store keeps of it. */
  readonly underStored: (store: SettingStore) => Promise<ServiceConfig>;
}

const BODY_SECONDS = 10;
const PAGES = join(import.meta.dirname, '../../dist/ui');

/** Rejects with a sentence when something needed cannot be had; nothing is left open then. */
export async function openRuntime(options: StartOptions, active: ActiveConfig) {
  await using opened = new AsyncDisposableStack();
  const { clock, version, env, directory, steadyClock } = options;
  const steady = steadyClock ?? { now: steadyNow };
  let { settings } = options.config;
  const logs = createLogs({ rules: logRules(settings), destination: options.log, clock });
  const log = logs.named('service');
  const trustedHeaders = await openTrustedHeaders(trustedHeadersFiles(options.trustedHeadersFile), active.config, log);
  opened.defer(() => trustedHeaders.close());
  const [unread] = trustedHeaders.problems(options.config);
  if (unread) throw new Error(formatProblem(options.config.file, unread));
  const features = createFeatures(await loadFeatures(options.features), settings, clock);
  const metrics = createMetrics({
    version,
    revision: env['POSTERN_REVISION'],
    node: process.version,
    roles: [...settings.auth.roles.keys()],
    identityHeaders: ['remote-user', 'remote-role', ...trustedHeaders.current.names],
  });
  const [sessions, recent] = [createActiveSessions(), createRecentFailures(clock)];
  const watch = watchGate({
    metrics,
    sessions,
    ticks: steadyNow,
    log: createAccessLog(logs, recent, features.note),
    trustedHeaders,
    maySendIdentity({ listener, peer }) {
      const { settings } = active.config();
      return !settings.auth.enabled && listener === 'external' && peersTrusted(settings)(peer);
    },
  });
  const health = openHealth(metrics, log, clock, options.log, settings.store.url.engine);
  opened.defer(() => health.close());
  const written = await openKnownStore(directory, settings, {
    listenUrl: settings.store.listen_url,
    onFault: health.store.note,
    onMoved: (moved) => log.info(moved, 'events by month are moved into one table'),
    onUpdated: (update) => log.info(update, 'the tables of the store are updated'),
    onCurrent(isCurrent, fault) {
      health.onHeard(isCurrent, fault);
      health.store.look();
    },
  });
  const isShared = settings.store.url.engine === 'postgres';
  if (isShared) health.onHeard(true); // else it would not be open
  const bounded = isShared ? boundCalls(written) : written;
  const store = holdRevocations(bounded, log);
  opened.defer(() => store.close());
  opened.defer(() => health.close()); // before the store: a probe of a closed one would fail
  await claimName(directory, options.config, store, log);
  ({ settings } = await active.underStored(store.settings));
  health.store.watch(store.probe, store.glance);
  void warnOfClock(store.serverTime, clock, log);
  const mayDelete = createDeletionGuard(clock, steady);
  // After the accounts, whose last acts they record.
  opened.defer(features.close);
  const bodySeconds = options.timeouts?.body ?? BODY_SECONDS;
  const accounts = await openAccounts({
    bodySeconds,
    settings,
    directory,
    env,
    clock,
    steadyClock,
    store,
    mayDelete,
    logs,
    metrics,
    recent,
    features,
    tokenRights: tokenRightsIn(options.features),
  });
  opened.defer(() => accounts.close());
  await features.open({
    ...accounts.lasting,
    steadyClock: steady,
    logs,
    mayDelete,
    settings,
    activeSettings: () => active.config().settings,
    surroundings: options.surroundings,
  });
  const openStreams = createOpenStreams({
    version: store.version,
    recheck: active.recheck,
    isBesideDrawn: (stream, now) => isBesideDrawn(stream, now, active.surroundings()),
    clock,
    grace: isShared ? { seconds: settings.store.grace, clock: steady, isHeard: store.isCurrent } : undefined,
    onFault: (fault) =>
      log.error({ err: fault }, 'open streams could not be rechecked against the store: retrying in 1 s'),
  });
  opened.defer(() => openStreams.close());
  const certificates = await openCertificates(options.config, clock, log);
  opened.defer(() => certificates?.close());
  const tellEnd = ({ expiresAt }: { readonly expiresAt: number }): void =>
    metrics.certificateExpiry.set(expiresAt / 1000);
  certificates?.onChange(tellEnd);
  if (certificates) tellEnd(certificates.current());
  const closing = opened.move();
  return {
    /** Postern's own. */
    version,
    clock,
    startedAt: unixSeconds(clock),
    logs,
    log,
    counters: { metrics, sessions, watch, recent },
    trustedHeaders,
    store,
    /** Asked before anything is deleted by its age. */
    mayDelete,
    health,
    parts: {
      ...health.parts,
      certificate: certificates && (() => degradedBy(certificates.problem())),
    } satisfies Parts,
    accounts,
    openStreams,
    bodySeconds,
    clientLimits: createClientLimits(clientKey),
    upstreamSlots: createUpstreamSlots(),
    unknownRoutes: createUnknownRoutes(clock),
    pages: readBuiltPages(PAGES),
    features,
    /** Undefined without TLS. */
    certificates,
    close: () => closing.disposeAsync(),
  };
}

/** Far below what a session or a code of a second factor can bear, and above what synchronized clocks differ by. */
const LARGEST_SECONDS = 10;

/** `serverTime`: Unix seconds; undefined for a store that is a file. A server that does not answer is reported elsewhere. */
async function warnOfClock(serverTime: (() => Promise<number>) | undefined, clock: Clock, log: Logger): Promise<void> {
  const server = await serverTime?.().catch(() => undefined);
  if (server === undefined) return;
  const seconds = Math.round(unixSeconds(clock) - server);
  if (Math.abs(seconds) > LARGEST_SECONDS)
    log.warn(
      { seconds },
      `the clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} that of the PostgreSQL server, so other replicas may refuse the sessions of this one: check time synchronization (NTP)`,
    );
}
