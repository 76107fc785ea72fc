/** What a typed text finds among names and in the rows of a table, and in which order it is shown. Pure. */

/** `value`: the value as the service names it. `name`: the name as people read it. */
export type Suggestion = { readonly value: string; readonly name: string };

const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

export function suggestionsFor(text: string, all: readonly Suggestion[]): readonly Suggestion[] {
  const wanted = fold(text.trim());
  const rankOf = ({ value, name }: Suggestion): number => {
    const places = [fold(name), fold(value)].map((one) => one.indexOf(wanted));
    return places.includes(0) ? 0 : places.some((place) => place > 0) ? 1 : 2;
  };
  const ranked = all.map((suggestion) => ({ suggestion, rank: rankOf(suggestion) })).filter(({ rank }) => rank < 2);
  return ranked.sort((one, other) => one.rank - other.rank).map(({ suggestion }) => suggestion);
}

/** What a typed text means: the suggestion of that name, whatever the case; else the text itself. */
export function meantBy(text: string, all: readonly Suggestion[]): string {
  const wanted = text.trim();
  const known = all.find(({ value }) => value === wanted);
  return (
    (known ?? all.find(({ value, name }) => [value, name].some((one) => fold(one) === fold(wanted))))?.value ?? wanted
  );
}

export const withToggled = (chosen: readonly string[], value: string): readonly string[] =>
  chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];

export type SortValue = string | number | undefined;

export type Sort = { readonly key: string; readonly isDescending: boolean };

export type Sortable<Row> = { readonly key: string; readonly sortBy?: (row: Row) => SortValue };

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
  columns: readonly Sortable<Row>[],
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
type PageOfRows<Row> = { readonly rows: readonly Row[]; readonly page: number; readonly pages: number };

export function pageOf<Row>(rows: readonly Row[], wanted: number): PageOfRows<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const page = Math.min(wanted, pages - 1);
  return { rows: rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), page, pages };
}

/** A second press on a head turns the order round. */
export const nextSort = (sort: Sort | undefined, key: string, isDescendingFirst: boolean): Sort =>
  sort?.key === key ? { key, isDescending: !sort.isDescending } : { key, isDescending: isDescendingFirst };
