/** One scrape: gauges are looked up within a time budget, then all metrics are written as text for Prometheus (SPEC 9). */
import { withTimeLimit } from '../domain/async.ts';
import type { MetricFamily } from './series.ts';

/** A scraper gives up after ten seconds; a slow part is left out long before. */
const BUDGET_MS = 250;

/** `looks` are called before each exposition, to set gauges. `open`: begins what is kept elsewhere, at the first one, and gives its text. */
export function createScrape(
  families: readonly MetricFamily[],
  looks: readonly (() => unknown)[] = [],
  open: () => Promise<() => Promise<string>> = async () => async () => '',
): () => Promise<string> {
  const inTime = async <Value>(look: () => Value) =>
    withTimeLimit((async () => await look())(), BUDGET_MS, () => undefined).catch(() => undefined);
  let opened: ReturnType<typeof open> | undefined;
  return async () => {
    opened ??= open();
    const others = await opened.catch(() => {
      opened = undefined;
      return async () => '';
    });
    const [more = ''] = await Promise.all([inTime(others), ...looks.map(inTime)]);
    return exposed(families) + more;
  };
}

export function exposed(families: Iterable<MetricFamily>): string {
  let text = '';
  for (const { name, help, type, samples } of families) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { suffix, labels, value } of samples()) text += `${name}${suffix}${labels} ${value}\n`;
  }
  return text;
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

/** Node's own metrics of the process, as far as they are shown, as text for Prometheus. Without a scraper they would take 3 MB for nothing. */
export async function openProcessMetrics(): Promise<() => Promise<string>> {
  const { collectDefaultMetrics, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (!SHOWN.has(name)) registry.removeSingleMetric(name);
  const collections = registry.getSingleMetric(GC);
  if (collections instanceof Histogram) for (const kind of GC_KINDS) collections.zero({ kind });
  return async () => (await registry.metrics()).replaceAll('\n\n', '\n');
}
