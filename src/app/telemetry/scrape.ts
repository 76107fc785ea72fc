/** Gives the scrape its sources: accounts, sessions, the NVR, the events backend, the certificate (SPEC 9). */
import { X509Certificate } from 'node:crypto';
import type { User } from '../../domain/accounts/account.ts';
import { type Curtain, isDrawn } from '../../domain/accounts/curtain.ts';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import { scopeOf, visibleCameras } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import { askText, OF_THE_SERVICE, type UpstreamQuestion } from '../../gateway/forward/ask-upstream.ts';
import type { Store } from '../../store/open-store.ts';
import { type ExpositionFormat, exposed, MEDIA_TYPES } from '../../telemetry/exposition.ts';
import { PLACES, type Place } from '../../telemetry/metric-labels.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { createProcessMetrics } from '../../telemetry/process-metrics.ts';
import { createScrape, type Scrape } from '../../telemetry/scrape.ts';
import { steadyNow } from '../resources/steady-clock.ts';
import { type NvrConfig, nvrCheck } from '../resources/upstreams.ts';
import type { RuntimeTelemetry } from './telemetry.ts';

/** What is looked up at each scrape. The functions give what is active now. */
export interface ScrapeSources {
  readonly counters: RuntimeTelemetry;
  readonly store: Pick<Store, 'accounts' | 'version'>;
  readonly clock: Clock;
  readonly config: () => NvrConfig;
  readonly cameras: () => readonly CameraName[];
  /** What the curtain was drawn in front of when it was last read. */
  readonly curtain: () => Curtain;
  /** Undefined when the NVR serves the events itself. */
  readonly eventsBackend: () => Upstream | undefined;
  /** PEM. Undefined without TLS. */
  readonly certificate: () => string | undefined;
  /** Password checks that wait for their turn. */
  readonly waitingPasswordChecks: () => number;
  /** Addresses that each limiter holds. */
  /** Ended sessions that wait to be stored. */
  readonly heldRevocations: () => number;
  /** Why the certificate files as they are now are not served; null when they are, undefined without TLS. */
  readonly certificateProblem: () => string | null | undefined;
  /** Counts the log lines that were dropped since the last time. */
  readonly countDroppedLines: () => void;
  readonly placesInUse: () => Readonly<Record<Place, number>>;
  readonly limiterEntries: { readonly ip: () => number; readonly apikey: () => number };
}

export function openScrape(sources: ScrapeSources): Scrape {
  const { limiterEntries, eventsBackend, cameras } = sources;
  const { metrics, sessions, watch } = sources.counters;
  const scrape = createScrape(Object.values(metrics), metrics.scrapeFaults);
  const measurements = createProcessMetrics();
  const nameCameras = (): void => metrics.cameraDenials.setCameras(cameras());
  scrape.append(async (format) => exposed(await measurements.read(), format));
  scrape.append(async (format) => {
    const backend = eventsBackend();
    return backend ? askText(backendQuestion(backend, format)) : '';
  });
  scrape.onScrape(watch.countOpenSockets);
  scrape.onScrape(nameCameras);
  scrape.onScrape(() => metrics.curtainCameras.set(drawnAmong(cameras(), sources)));
  scrape.onScrape(() => metrics.activeSessions.setAll(sessions.countByRole(steadyNow())));
  scrape.onScrape(() => metrics.hashQueue.set(sources.waitingPasswordChecks()));
  scrape.onScrape(() => metrics.rateLimitEntries.set(limiterEntries.ip(), 'ip'));
  scrape.onScrape(() => metrics.rateLimitEntries.set(limiterEntries.apikey(), 'apikey'));
  scrape.onScrape(() => {
    const inUse = sources.placesInUse();
    for (const place of PLACES) metrics.placesInUse.set(inUse[place], place);
  });
  scrape.onScrape(() => metrics.heldRevocations.set(sources.heldRevocations()));
  scrape.onScrape(sources.countDroppedLines);
  scrape.onScrape(() => {
    const problem = sources.certificateProblem();
    if (problem !== undefined) metrics.certificateRefused.set(problem === null ? 0 : 1);
  });
  scrape.onScrape(countedAccounts(sources));
  scrape.onScrape(nvrProbe(sources.config, metrics));
  nameCameras();
  scrape.onScrape(certificateEnd(sources.certificate, metrics));
  return scrape;
}

function drawnAmong(cameras: readonly CameraName[], { curtain, clock }: ScrapeSources): number {
  const drawn = curtain().filter((entry) => isDrawn(entry, unixSeconds(clock)));
  return visibleCameras(scopeOf(drawn.map(({ camera }) => camera)), cameras).length;
}

/** Only the gate reaches the socket, and it forwards no client's request for this path. */
const backendQuestion = (upstream: Upstream, format: ExpositionFormat): UpstreamQuestion => ({
  upstream,
  path: '/metrics',
  headers: { accept: MEDIA_TYPES[format] },
  timeout: 1,
  tls: { ca: undefined, verify: true },
  sharer: OF_THE_SERVICE,
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

/** Read again only when accounts have changed. */
function countedAccounts({ store, clock, config, counters: { metrics } }: ScrapeSources): () => Promise<void> {
  let readAt: string | undefined;
  let users: readonly User[] = [];
  return async () => {
    const version = store.version();
    if (version !== readAt) {
      users = await store.accounts.listUsers();
      metrics.revocations.set(await store.accounts.countRevocations(), 'jti');
      const byRole = Map.groupBy(users, ({ role }) => role as string);
      metrics.users.setAll(new Map([...byRole].map(([role, those]) => [role, those.length])));
      readAt = version;
    }
    // A session from before the change would have run out by now, had it not been ended.
    const oldest = unixSeconds(clock) - config().settings.auth.session_length;
    metrics.revocations.set(users.filter(({ passwordChangedAt }) => (passwordChangedAt ?? 0) > oldest).length, 'user');
  };
}

const PROBE_MS = 10_000;

/** A scrape does not wait for the NVR: it shows the result of the last probe. */
function nvrProbe(active: () => NvrConfig, metrics: Metrics): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const config = active();
    if (!config.settings.nvr.url) return metrics.upstreamUp.set(undefined);
    if (steadyNow() - askedAt < PROBE_MS) return;
    askedAt = steadyNow();
    void nvrCheck(config).then(({ kind }) => metrics.upstreamUp.set(kind === 'ok' ? 1 : 0));
  };
}
