/** The tools above and below a table: search, order on narrow screens, how many rows there are, and the pages. */

import { useId } from 'preact/hooks';
import { SearchBox } from '../forms/form-fields.tsx';
import { words } from '../words.ts';
import { PAGE_ROWS, type Sort, type Sortable } from './table-rows.ts';

interface ToolsProps<Row> {
  readonly caption: string;
  readonly columns: readonly (Sortable<Row> & { readonly title: string; readonly isDescendingFirst?: boolean })[];
  readonly sort: Sort | undefined;
  readonly sortAs: (sort: Sort | undefined) => void;
  /** Undefined: too few rows to search. */
  readonly searches: { readonly query: string; readonly search: (query: string) => void } | undefined;
  readonly found: number;
  readonly all: number;
}

export function TableTools<Row>({ caption, columns, sort, sortAs, searches, found, all }: ToolsProps<Row>) {
  const id = useId();
  if (!searches) return null;
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  const choose = (key: string): void => {
    const column = sortable.find((known) => known.key === key);
    sortAs(column && { key, isDescending: column.isDescendingFirst === true });
  };
  return (
    <div class="table-tools">
      <search>
        <SearchBox
          label={words.ui.table.searchIn({ what: caption })}
          placeholder={words.ui.table.search}
          value={searches.query}
          onChange={searches.search}
        />
      </search>
      {/* There are no heads on narrow screens. */}
      <p class="table-order">
        <label for={id}>{words.ui.table.sortBy}</label>
        <select id={id} value={sort?.key ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">–</option>
          {sortable.map(({ key, title }) => (
            <option key={key} value={key} selected={sort?.key === key}>
              {title}
            </option>
          ))}
        </select>
      </p>
      <p class="table-count" role="status">
        {found === all ? words.ui.table.entries({ all }) : words.ui.table.found({ found, all })}
      </p>
    </div>
  );
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  /** The number of rows on all pages together. */
  readonly count: number;
  readonly onPage: (page: number) => void;
}

export function Pager({ page, pages, count, onPage }: PagerProps) {
  if (pages < 2) return null;
  const first = page * PAGE_ROWS + 1;
  const step = (to: number, text: string) => (
    <button class="button button-small" type="button" disabled={to < 0 || to >= pages} onClick={() => onPage(to)}>
      {text}
    </button>
  );
  return (
    <nav class="pager" aria-label={words.ui.table.pages}>
      {step(page - 1, words.ui.table.previous)}
      <span>{words.ui.table.range({ first, last: Math.min(first + PAGE_ROWS - 1, count), all: count })}</span>
      {step(page + 1, words.ui.table.next)}
    </nav>
  );
}
