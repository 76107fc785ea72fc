/** A table of records: heads that sort, a search and pages; without room for columns each row is a card, or two lines (SPEC 8). */
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { locale, words } from '../words.ts';
import { matching, nextSort, pageOf, type Sort, type SortValue, sorted } from './table-rows.ts';
import { Pager, TableTools } from './table-tools.tsx';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
  /** What the head sorts by; a column without it does not sort. */
  readonly sortBy?: (row: Row) => SortValue;
  /** The first press on the head: the latest, or the most, first. */
  readonly isDescendingFirst?: boolean;
  /** A moment, or another short text: in one line. */
  readonly isShort?: boolean;
}

export interface RecordTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The first one names the record. */
  readonly columns: readonly Column<Row>[];
  readonly actions?: (row: Row) => ComponentChild;
  /** What a search looks through. */
  readonly searchText: (row: Row) => string;
  /** The order at first; without it that of the rows. */
  readonly firstSort?: Sort;
  /** A row where there is no room for columns: a card with a line a fact, or its first three columns in two lines. */
  readonly narrow?: 'card' | 'two-lines';
  /** Said when there are no rows at all. */
  readonly none?: string;
}

/** So few rows are seen at a glance: there is nothing to search. */
const FEW_ROWS = 8;

export function RecordTable<Row>(props: RecordTableProps<Row>) {
  const { caption, rows, keyOf, columns, actions, searchText, firstSort, narrow = 'card', none } = props;
  const [query, setQuery] = useState('');
  const [sort, setSort] = useState<Sort | undefined>(firstSort);
  const [wanted, setWanted] = useState(0);
  if (rows.length === 0) return none === undefined ? null : <p class="blank">{none}</p>;
  const found = matching(rows, query, searchText);
  const shown = pageOf(sorted(found, columns, sort, locale), wanted);
  const sortAs = (next: Sort | undefined): void => {
    setSort(next);
    setWanted(0);
  };
  const search = (text: string): void => {
    setQuery(text);
    setWanted(0);
  };
  const searches = rows.length > FEW_ROWS ? { query, search } : undefined;
  return (
    <div class="table-box">
      <TableTools {...{ caption, columns, sort, sortAs, searches }} found={found.length} all={rows.length} />
      {found.length === 0 ? (
        <p class="blank">{words.ui.table.noMatch}</p>
      ) : (
        <table class={`table narrow-${narrow}`}>
          <caption class="out-of-sight">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.key} {...{ column, sort, sortAs }} />
              ))}
              {actions && (
                <th scope="col">
                  <span class="out-of-sight">{words.ui.table.actions}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.rows.map((row) => (
              <tr key={keyOf(row)} class="record">
                {columns.map((column, at) => (
                  <Cell key={column.key} title={column.title} isShort={column.isShort} isHead={at === 0}>
                    {column.cell(row)}
                  </Cell>
                ))}
                {actions && <td class="record-actions">{actions(row)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager {...shown} count={found.length} onPage={setWanted} />
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly sortAs: (sort: Sort) => void;
}

function Head<Row>({ column: { key, title, sortBy, isDescendingFirst = false }, sort, sortAs }: HeadProps<Row>) {
  if (!sortBy) return <th scope="col">{title}</th>;
  const order = sort?.key === key ? (sort.isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <th scope="col" aria-sort={order}>
      <button class="sort" type="button" onClick={() => sortAs(nextSort(sort, key, isDescendingFirst))}>
        {title}
        <Icon name={order === 'ascending' ? 'previous' : 'chevron'} />
      </button>
    </th>
  );
}

interface CellProps {
  readonly title: string;
  readonly isShort: boolean | undefined;
  readonly isHead: boolean;
  readonly children: ComponentChild;
}

const Cell = ({ title, isShort, isHead, children }: CellProps) =>
  isHead ? (
    <th scope="row" class="record-name">
      {children}
    </th>
  ) : (
    <td data-title={title} class={isShort ? 'short' : undefined}>
      <div>{children}</div>
    </td>
  );
