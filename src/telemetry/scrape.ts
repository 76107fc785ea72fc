/** One scrape: gauges are looked up within a time budget, then all metrics are written as text (SPEC 9). */
import { withTimeLimit } from '../domain/async.ts';
import { acceptedFormat, END, type ExpositionFormat, exposed, MEDIA_TYPES } from './exposition.ts';
import type { MetricFamily } from './series.ts';

export interface Exposition {
  readonly type: string;
  readonly body: string;
}

export interface Scrape {
  /** Called before each exposition, to set gauges. */
  onScrape(look: () => void | Promise<void>): void;
  /** Metric families from another source, as text without an end line. */
  append(tell: (format: ExpositionFormat) => Promise<string>): void;
  /** `accept` is the scraper's header. */
  expose(accept: string | undefined): Promise<Exposition>;
}

/** A scraper gives up after ten seconds; a slow part is left out long before. */
const BUDGET_MS = 250;

export function createScrape(families: readonly MetricFamily[]): Scrape {
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
    onScrape: (look) => void looks.push(look),
    append: (tell) => void parts.push(tell),
    async expose(accept) {
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
