/** Introduces the counters to the house: what is counted as it happens, and what is looked up at each scrape (SPEC 9). */
import { X509Certificate } from 'node:crypto';
import { ticks } from './app-counted.ts';
import type { Edition } from './app-edition.ts';
import type { House } from './app-house.ts';
import { trustedPeersOf } from './app-sources.ts';
import type { TrustedHeaders } from './app-trusted-headers.ts';
import { nvrCheck } from './app-upstreams.ts';
import type { Settings } from './config/schema.ts';
import type { Clock } from './domain/clock.ts';
import type { RequestFacts } from './domain/request.ts';
import type { Upstream } from './domain/socket-address.ts';
import { askText, type Question } from './gateway/ask-upstream.ts';
import { createTrustedNetworks, isTrustedPeer } from './gateway/client-address.ts';
import type { Store } from './store/open-store.ts';
import { type ActiveSessions, createActiveSessions } from './telemetry/active-sessions.ts';
import { type ExpositionFormat, exposed, MEDIA_TYPES } from './telemetry/exposition.ts';
import { createGateLog } from './telemetry/gate-log.ts';
import type { Logs } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createProcessMetrics } from './telemetry/process-metrics.ts';
import { createRecent, type Recent } from './telemetry/recent.ts';
import { createScrape, type Scrape } from './telemetry/scrape.ts';
import { watchGate } from './telemetry/watch-gate.ts';

export interface HouseTelemetry {
  readonly metrics: Metrics;
  readonly sessions: ActiveSessions;
  readonly watch: ReturnType<typeof watchGate>;
  readonly recent: Recent;
}

export interface TelemetryNeighbours {
  /** Of the start: labels are taken from what it knows. */
  readonly settings: Settings;
  readonly version: string;
  readonly trustedHeaders: TrustedHeaders;
  readonly logs: Logs;
  readonly clock: Clock;
  readonly inForce: () => Edition;
}

export function openTelemetry(neighbours: TelemetryNeighbours): HouseTelemetry {
  const { settings, version, trustedHeaders, logs, clock, inForce } = neighbours;
  const metrics = createMetrics({
    version,
    node: process.version,
    roles: [...settings.auth.roles.keys()],
    identityHeaders: ['remote-user', 'remote-role', ...trustedHeaders.current().names],
  });
  const sessions = createActiveSessions();
  const recent = createRecent(clock);
  const watch = watchGate({
    metrics,
    sessions,
    ticks,
    log: createGateLog(logs, recent),
    isIdentityHeader: (name) => name.startsWith('remote-') || trustedHeaders.current().names.has(name),
    maySendIdentity: (request) => proxyPeers(inForce().settings)(request),
  });
  return { metrics, sessions, watch, recent };
}

/** Interface 5.5: with accounts of its own the service takes identity headers from nobody. */
const proxyPeers = rememberedFor((settings: Settings): ((request: RequestFacts) => boolean) => {
  const peers = trustedPeersOf(settings);
  const networks = createTrustedNetworks(peers);
  if (settings.auth.enabled || !networks.ok) return () => false;
  return ({ listener, peer }) => listener === 'external' && (peers.length === 0 || isTrustedPeer(peer, networks.value));
});

/** What is made of something, for as long as it is asked about the same. */
function rememberedFor<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, made: make(given) };
    return last.made;
  };
}

export function openScrape(house: House): Scrape {
  const { store, accounts, certificates, inForce } = house;
  const { metrics, sessions, watch } = house.counters;
  const scrape = createScrape(Object.values(metrics), metrics.scrapeFaults);
  const measurements = createProcessMetrics();
  const nameCameras = (): void => metrics.cameraDenials.setCameras(inForce().parts.cameras.it.current() ?? []);
  scrape.append(async (format) => exposed(await measurements.read(), format));
  scrape.append(async (format) => {
    const backend = inForce().parts.events.it;
    return backend ? askText(backendQuestion(backend.upstream, format)) : '';
  });
  scrape.onScrape(watch.countOpenSockets);
  scrape.onScrape(nameCameras);
  scrape.onScrape(() => metrics.activeSessions.setAll(sessions.countByRole(ticks())));
  scrape.onScrape(() => metrics.hashQueue.set(inForce().accounts.routeParts.hasher.waiting()));
  scrape.onScrape(() => metrics.rateLimitEntries.set(accounts.limiter.size(), 'ip'));
  scrape.onScrape(userCount(store, metrics));
  scrape.onScrape(nvrProbe(() => inForce().settings, metrics));
  nameCameras();
  scrape.onScrape(certificateEnd(() => certificates?.current().certificate, metrics));
  return scrape;
}

/** Nobody else reaches the socket, and the gate forwards no request for this path to it. */
const backendQuestion = (upstream: Upstream, format: ExpositionFormat): Question => ({
  upstream,
  path: '/metrics',
  headers: { accept: MEDIA_TYPES[format] },
  timeout: 1,
  ca: undefined,
  verify: true,
});

/** Read again only when another one is served. */
function certificateEnd(served: () => string | undefined, metrics: Metrics): () => void {
  let read: string | undefined;
  return () => {
    const certificate = served();
    if (certificate === read || certificate === undefined) return;
    metrics.certificateExpiry.set(new X509Certificate(certificate).validToDate.getTime() / 1000);
    read = certificate;
  };
}

/** Counted again only when accounts have changed. */
function userCount(store: Store, metrics: Metrics): () => Promise<void> {
  let counted: string | undefined;
  return async () => {
    const version = store.version();
    if (version === counted) return;
    const users = await store.accounts.listUsers();
    const byRole = Map.groupBy(users, ({ role }) => role as string);
    metrics.users.setAll(new Map([...byRole].map(([role, those]) => [role, those.length])));
    counted = version;
  };
}

const PROBE_MS = 10_000;

/** Nobody waits for the NVR: what is shown is what it said when it was last asked. */
function nvrProbe(inForce: () => Settings, metrics: Metrics): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const settings = inForce();
    if (!settings.nvr.url) return metrics.upstreamUp.set(undefined);
    if (ticks() - askedAt < PROBE_MS) return;
    askedAt = ticks();
    void nvrCheck(settings).then(({ kind }) => metrics.upstreamUp.set(kind === 'ok' ? 1 : 0));
  };
}
