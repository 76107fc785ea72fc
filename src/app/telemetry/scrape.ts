/** Gives the scrape its sources: accounts, sessions, the NVR, the events backend, the certificate (SPEC 9). */

import { X509Certificate } from 'node:crypto';
import { steadyNow } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import { type NvrConfig, nvrCheck } from '../../gateway/forward/nvr-questions.ts';
import { PLACES, type Place } from '../../telemetry/metric-labels.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { createProcessMetrics } from '../../telemetry/process-metrics.ts';
import { createScrape, exposed, type Scrape } from '../../telemetry/scrape.ts';
import type { MetricFamily } from '../../telemetry/series.ts';
import type { RuntimeTelemetry } from './telemetry.ts';

/** What is looked up at each scrape. The functions give what is active now. */
export interface ScrapeSources {
  readonly counters: RuntimeTelemetry;
  /** The features declare metrics of their own. */
  readonly features: { readonly families: readonly MetricFamily[] };
  readonly config: () => NvrConfig;
  readonly cameras: () => readonly CameraName[];
  /** PEM. Undefined without TLS. */
  readonly certificate: () => string | undefined;
  /** Password checks that wait for their turn. */
  readonly waitingPasswordChecks: () => number;
  /** Ended sessions that wait to be stored. */
  readonly heldRevocations: () => number;
  /** Counts the log lines that were dropped since the last time. */
  readonly countDroppedLines: () => void;
  readonly placesInUse: () => Readonly<Record<Place, number>>;
}

export function openScrape(sources: ScrapeSources): Scrape {
  const { cameras } = sources;
  const { metrics, sessions, watch } = sources.counters;
  const scrape = createScrape([...Object.values(metrics), ...sources.features.families]);
  const measurements = createProcessMetrics();
  const nameCameras = (): void => metrics.cameraDenials.setCameras(cameras());
  scrape.append(async (format) => exposed(await measurements.read(), format));
  scrape.onScrape(watch.countOpenSockets);
  scrape.onScrape(nameCameras);
  scrape.onScrape(() => metrics.activeSessions.setAll(sessions.countByRole(steadyNow())));
  scrape.onScrape(() => metrics.hashQueue.set(sources.waitingPasswordChecks()));
  scrape.onScrape(() => {
    const inUse = sources.placesInUse();
    for (const place of PLACES) metrics.placesInUse.set(inUse[place], place);
  });
  scrape.onScrape(() => metrics.heldRevocations.set(sources.heldRevocations()));
  scrape.onScrape(sources.countDroppedLines);
  scrape.onScrape(nvrProbe(sources.config, metrics));
  nameCameras();
  scrape.onScrape(certificateEnd(sources.certificate, metrics));
  return scrape;
}

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
