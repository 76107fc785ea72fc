/** Families as text, in the format that the scraper accepts: Prometheus 0.0.4 or OpenMetrics 1.0 (SPEC 9). */
import type { MetricFamily } from './series.ts';

export type ExpositionFormat = 'prometheus' | 'openmetrics';

export const MEDIA_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The last line of OpenMetrics, without which a text is cut. */
export const END = '# EOF\n';

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
