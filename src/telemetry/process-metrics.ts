/** CPU, memory, file descriptors and event loop of the process, as prom-client measures them (SPEC 9). */
import { collectDefaultMetrics, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { type FamilyType, type MetricFamily, type SeriesSample, withLabel } from './series.ts';

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

export function createProcessMetrics() {
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
