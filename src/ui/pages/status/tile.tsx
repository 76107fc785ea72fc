/** A tile of the status page, a list in it, and what came of an act there. */
import type { ComponentChildren } from 'preact';
import { words } from '../shared/words.ts';

interface TileProps {
  readonly title: string;
  readonly isTold?: boolean;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export const Tile = ({ title, isTold = true, isWide = false, children }: TileProps) => (
  <section class={isWide ? 'tile tile-wide' : 'tile'}>
    <h2 class="tile-title">{title}</h2>
    {isTold ? children : <p class="field-help">{words.status.notTold}</p>}
  </section>
);

interface ListedProps<Row> {
  readonly rows: readonly Row[];
  readonly none: string;
  /** Short rows, beside each other where there is room. */
  readonly isGrid?: boolean;
  readonly row: (row: Row) => ComponentChildren;
}

export const Listed = <Row,>({ rows, none, isGrid = false, row }: ListedProps<Row>) =>
  rows.length === 0 ? (
    <p>{none}</p>
  ) : (
    <ul class={isGrid ? 'listed listed-grid' : 'listed'}>
      {rows.map((one, at) => (
        <li key={String(at)}>{row(one)}</li>
      ))}
    </ul>
  );

/** Always there, so that a screen reader hears what comes into it. */
export const Problem = ({ text }: { text: string }) => (
  <div class="notice notice-bad" role="alert">
    {text !== '' && <bdi>{text}</bdi>}
  </div>
);
