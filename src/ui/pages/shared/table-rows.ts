/** Which rows of a table are shown, and in which order: search, sorting and pages. Pure. */

export type SortValue = string | number | undefined;

export type Sort = { readonly key: string; readonly isDescending: boolean };

export const PAGE_ROWS = 25;

/** Rows that hold every word of the search, in upper or lower case. */
export function matching<Row>(rows: readonly Row[], query: string, textOf: (row: Row) => string): readonly Row[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Rows without a value come last, in both directions; rows of the same value stay in their order. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly { readonly key: string; readonly sortBy?: (row: Row) => SortValue }[],
  sort: Sort | undefined,
  locale?: string,
): readonly Row[] {
  const sortBy = columns.find(({ key }) => key === sort?.key)?.sortBy;
  if (!sort || !sortBy) return rows;
  const { compare } = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const direction = sort.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [left, right] = [sortBy(one), sortBy(other)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    const order =
      typeof left === 'number' && typeof right === 'number' ? left - right : compare(String(left), String(right));
    return direction * order;
  });
}

/** `page`: the page, from 0: the wanted one, or the last there is. */
export function pageOf<Row>(rows: readonly Row[], wanted: number) {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const page = Math.min(wanted, pages - 1);
  return { rows: rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), page, pages };
}

/** A second press on a head turns the order round. */
export const nextSort = (sort: Sort | undefined, key: string, isDescendingFirst: boolean): Sort =>
  sort?.key === key ? { key, isDescending: !sort.isDescending } : { key, isDescending: isDescendingFirst };
