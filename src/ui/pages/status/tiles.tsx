/** Lists in tiles of the status page. */
import type { ComponentChildren } from 'preact';

type ListedProps<Row> = { rows: readonly Row[]; none: string; row: (row: Row) => ComponentChildren };

export const Listed = <Row,>({ rows, none, row }: ListedProps<Row>) =>
  rows.length === 0 ? (
    <p>{none}</p>
  ) : (
    <ul class="listed">
      {rows.map((one, at) => (
        <li key={String(at)}>{row(one)}</li>
      ))}
    </ul>
  );
