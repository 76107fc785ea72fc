/** One scrape: gauges are looked up within a time budget, then all metrics are written as text, Prometheus 0.0.4 or OpenMetrics 1.0 (SPEC 9). */
import { X509Certificate } from 'node:crypto';
import { collectDefaultMetrics, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { withTimeLimit } from '../domain/async.ts';
import { steadyNow } from '../domain/clock.ts';
import type { CameraName } from '../domain/names.ts';
import type { ActiveSessions } from './active-sessions.ts';
import { PLACES, type Place } from './metric-labels.ts';
import type { Metrics } from './metrics.ts';
import type { CheckResult } from './readiness.ts';
import { type FamilyType, type MetricFamily, type SeriesSample, withLabel } from './series.ts';

/** A scraper gives up after ten seconds; a slow part is left out long before. */
const BUDGET_MS = 250;

export type Scrape = ReturnType<typeof createScrape>;

export function createScrape(families: readonly MetricFamily[]) {
  const looks: (() => void | Promise<void>)[] = [];
  const parts: ((format: ExpositionFormat) => Promise<string>)[] = [];
  const gathered = async (work: () => Promise<string>): Promise<string> => {
    return (await withTimeLimit(work(), BUDGET_MS, () => undefined).catch(() => undefined)) ?? '';
  };
  const looked = (look: () => void | Promise<void>) => async (): Promise<string> => {
    await look();
    return '';
  };
  return {
    /** Called before each exposition, to set gauges. */
    onScrape: (look: () => void | Promise<void>) => void looks.push(look),
    /** Metric families from another source, as text without an end line. */
    append: (tell: (format: ExpositionFormat) => Promise<string>) => void parts.push(tell),
    /** `accept` is the scraper's header. */
    async expose(accept: string | undefined) {
      const format = acceptedFormat(accept);
      const [told] = await Promise.all([
        Promise.all(parts.map((tell) => gathered(() => tell(format)))),
        Promise.all(looks.map((look) => gathered(looked(look)))),
      ]);
      const end = format === 'openmetrics' ? END : '';
      return { type: MEDIA_TYPES[format], body: `${exposed(families, format)}${told.join('')}${end}` };
    },
  };
}

export type ExpositionFormat = 'prometheus' | 'openmetrics';

const MEDIA_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The last line of OpenMetrics, without which a text is cut. */
const END = '# EOF\n';

const OPENMETRICS = 'application/openmetrics-text';

/** OpenMetrics only for those who ask for it, and not with `q=0`. */
export function acceptedFormat(accept: string | undefined): ExpositionFormat {
  const range = accept?.split(',').find((entry) => entry.trim().toLowerCase().startsWith(OPENMETRICS));
  return range === undefined || /;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range) ? 'prometheus' : 'openmetrics';
}

/** The text without the end line, so that another text can follow. */
export function exposed(families: Iterable<MetricFamily>, format: ExpositionFormat): string {
  let text = '';
  for (const family of families) {
    const { name, help, type } = family;
    const shown = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
    text += `# HELP ${shown} ${help}\n# TYPE ${shown} ${type}\n`;
    for (const { suffix, labels, value } of family.samples())
      text += `${name}${suffix}${labels} ${numberText(value)}\n`;
  }
  return text;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

/** What is looked up at each scrape. The functions give what is active now. */
interface ScrapeSources {
  readonly counters: {
    readonly metrics: Metrics;
    readonly sessions: ActiveSessions;
    readonly watch: { countOpenSockets(): void };
  };
  /** The features declare metrics of their own. */
  readonly features: { readonly families: readonly MetricFamily[] };
  /** Asks the NVR; absent without one. */
  readonly askNvr: () => (() => Promise<CheckResult>) | undefined;
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
  scrape.onScrape(nvrProbe(sources.askNvr, metrics));
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
function nvrProbe(active: ScrapeSources['askNvr'], metrics: Metrics): () => void {
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const ask = active();
    if (!ask) return metrics.upstreamUp.set(undefined);
    if (steadyNow() - askedAt < PROBE_MS) return;
    askedAt = steadyNow();
    void ask().then(({ kind }) => metrics.upstreamUp.set(kind === 'ok' ? 1 : 0));
  };
}

// biome-ignore format: a table
const SHOWN: ReadonlySet<string> = new Set([
  'process_cpu_user_seconds_total', 'process_cpu_system_seconds_total', 'process_cpu_seconds_total', 'process_start_time_seconds',
  'process_resident_memory_bytes', 'process_open_fds', 'process_max_fds',
  'nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_mean_seconds', 'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_eventloop_lag_max_seconds',
  'nodejs_heap_size_total_bytes', 'nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes', 'nodejs_gc_duration_seconds',
]);

const GC = 'nodejs_gc_duration_seconds';
/** There from the start, as all other series are. */
const GC_KINDS: readonly string[] = ['major', 'minor', 'incremental', 'weakcb'];

function createProcessMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (!SHOWN.has(name)) registry.removeSingleMetric(name);
  const collections = registry.getSingleMetric(GC);
  if (collections instanceof Histogram) for (const kind of GC_KINDS) collections.zero({ kind });
  return { read: async (): Promise<readonly MetricFamily[]> => (await registry.getMetricsAsJSON()).map(toFamily) };
}

type ProcessMetric = MetricObjectWithValues<MetricValue<string>>;

const toFamily = ({ name, help, type, values }: ProcessMetric): MetricFamily => ({
  name,
  help,
  type: String(type) as FamilyType,
  samples: () => values.map((value) => toSample(name, value)),
});

function toSample(name: string, { labels, value, ...rest }: MetricValue<string>): SeriesSample {
  const { metricName = name } = rest as { readonly metricName?: string };
  return {
    suffix: metricName.slice(name.length) as SeriesSample['suffix'],
    labels: Object.entries(labels).reduce((text, [label, of]) => withLabel(text, label, String(of)), ''),
    value,
  };
}
