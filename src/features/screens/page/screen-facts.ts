/** What the server writes into the page of a screen, its grid, and its hours of the night. Pure. */
import type { Templates, Texts } from '../../../locales/texts.ts';
import type { PageFacts } from '../../../ui/pages/shared/page-facts.ts';

/** What the page's script reads from `<body data-facts>`; the sentences are in the browser's language. */
export interface ScreenFacts extends Pick<PageFacts, 'still' | 'live'> {
  /** The prefix of all paths; '' for none. */
  readonly basePath: string;
  readonly words: Templates<Texts['screens']['page']>;
}

type Grid = { readonly columns: number; readonly rows: number };

/** Most cameras send pictures of this shape. */
const SHAPE = 16 / 9;

/** What is no difference. */
const HALF_A_POINT = 0.5;

/** `width` and `height` of the display in pixels. Of two grids that are as good, the wider one. */
export function bestGrid(count: number, width: number, height: number): Grid {
  let best = { columns: 1, rows: Math.max(1, count) };
  let widest = 0;
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const tile = Math.min(width / columns, (height / rows) * SHAPE);
    if (tile > widest - HALF_A_POINT) {
      best = { columns, rows };
      widest = tile;
    }
  }
  return best;
}

/** Hours of the night in `?dim=22-7`, as `[22, 7]`; undefined for none. */
export function dimHours(search: string): readonly [from: number, to: number] | undefined {
  const found = /[?&]dim=(\d{1,2})-(\d{1,2})(?:&|$)/.exec(search);
  if (!found) return undefined;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from < 24 && to < 24 && from !== to ? [from, to] : undefined;
}

export function isDim(hours: readonly [from: number, to: number] | undefined, hour: number): boolean {
  if (!hours) return false;
  const [from, to] = hours;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
