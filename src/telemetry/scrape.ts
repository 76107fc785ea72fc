/** One scrape: gauges are looked up within a time budget, then all metrics are written as text, Prometheus 0.0.4 or OpenMetrics 1.0 (SPEC 9). */
import { withTimeLimit } from '../domain/async.ts';
import type { MetricFamily } from './series.ts';

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
