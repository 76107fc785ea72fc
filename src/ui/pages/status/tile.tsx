/** A tile of the status page, and a list in it. */
import type { ComponentChildren } from 'preact';
import { words } from '../shared/words.ts';

interface TileProps {
  readonly title: string;
  readonly isTold: boolean;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

export const Tile = ({ title, isTold, isWide = false, children }: TileProps) => (
  <section class={isWide ? 'tile tile-wide' : 'tile'}>
    <h2 class="tile-title">{title}</h2>
    {isTold ? children : <p class="field-help">{words.status.notTold}</p>}
  </section>
);

interface ListedProps {
  readonly rows: readonly ComponentChildren[];
  readonly none: string;
  /** Short rows, beside each other where there is room. */
  readonly isGrid?: boolean;
}

export const Listed = ({ rows, none, isGrid = false }: ListedProps) =>
  rows.length === 0 ? (
    <p>{none}</p>
  ) : (
    <ul class={isGrid ? 'listed listed-grid' : 'listed'}>
      {rows.map((row, at) => (
        <li key={String(at)}>{row}</li>
      ))}
    </ul>
  );
