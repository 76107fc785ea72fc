/** A table of records: heads that sort, a search and pages; without room for columns each row is a card, or two lines (SPEC 8). */

import { type ComponentChild, type ComponentProps, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type FieldProps, SelectField } from './fields.tsx';
import { type Act, ActButton, Acts } from './forms.tsx';
import { closeMenu, Menu } from './menu.tsx';
import { Button, Icon, PressChip } from './parts.tsx';
import { withToggled } from './spelling.ts';
import { matching, nextSort, PAGE_ROWS, pageOf, type Sort, type SortValue, sorted } from './table-rows.ts';
import { entryName, formatShortMoment, locale, words } from './words.ts';

/** Its cell is one of four: words, a moment, cameras, or what `cell` makes. */
export interface Column<Row> {
  readonly title: string;
  /** Words: shown, searched, and sorted by. */
  readonly text?: (row: Row) => string | null | undefined;
  /** Unix seconds: shown in one line, and sorted by. */
  readonly at?: (row: Row) => number | null | undefined;
  /** Names of cameras, and patterns: shown as people call them, and searched. */
  readonly cameras?: (row: Row) => readonly string[] | null | undefined;
  /** What stands where there is none of these; `–` without it. */
  readonly none?: string | ((row: Row) => string);
  /** Shown in the place of these. */
  readonly cell?: (row: Row) => ComponentChild;
  /** What follows them, such as a badge. */
  readonly more?: (row: Row) => ComponentChild;
  /** Words below them in small letters: searched, too. */
  readonly note?: (row: Row) => string | null | undefined;
  /** What the head sorts by where it is something else; a column without anything does not sort. */
  readonly sortBy?: (row: Row) => SortValue;
}

export interface RecordTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly caption: string;
  readonly rows: readonly Row[];
  /** Its `id` without this. */
  readonly keyOf?: (row: Row) => string;
  /** The first one names the record; false: not for this person. One in which no row says anything is left out. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly acts?: (row: Row) => readonly Act[];
  /** What can be done with several at once, which are chosen by a box in the place of their acts. */
  readonly several?: (rows: readonly Row[]) => readonly Act[];
  /** Cannot be among several. */
  readonly isAlone?: (row: Row) => boolean;
  /** Kinds of rows, a chip each: of the chips that are pressed, a row is of each kind. */
  readonly kinds?: readonly { readonly text: string; readonly holds: (row: Row) => boolean }[];
  /** Rows of one group stand below its name, whatever they are sorted by. */
  readonly groupOf?: ((row: Row) => string) | undefined;
  /** The acts stand in a menu; what the row itself has no room for on a narrow screen is told there. */
  readonly menuNote?: (row: Row) => ComponentChild;
  /** What is looked for, where the field for it stands elsewhere. */
  readonly query?: string;
  /** What a search looks through; else the words, notes and cameras of all columns. */
  readonly searchText?: (row: Row) => string;
  /** The order at first; without it that of the rows. */
  readonly firstSort?: Sort;
  /** What the rows are in order of as they come. */
  readonly rowOrder?: string;
  /** A row where there is no room for columns: a card with a line a fact, its first three columns in two lines, all in a text, or its first two columns beside its acts. */
  readonly narrow?: 'card' | 'two-lines' | 'text' | 'line';
  /** Said when there are no rows at all. */
  readonly none?: ComponentChild;
}

/** So few rows are seen at a glance: there is nothing to search. */
const FEW_ROWS = 8;

export function RecordTable<Row>(props: RecordTableProps<Row>) {
  const { caption, rows, acts, several, isAlone, kinds = [], firstSort, groupOf, narrow = 'card', none } = props;
  const columns = props.columns
    .filter((column) => column !== false)
    .filter((one) => one.none ?? one.more ?? rows.some((row) => [saidIn(one, row)].flat().some(Boolean)))
    .map(completed);
  const { searchText = wordsIn(columns, groupOf), keyOf = idOf } = props;
  /** The buttons of its acts have it. */
  const nameOf = (row: Row): string => [columns[0]?.text?.(row) ?? '', groupOf?.(row)].filter(Boolean).join(', ');
  const text = words.ui.table;
  const [typed, setQuery] = useState('');
  const { query = typed } = props;
  const [sort, setSort] = useState<Sort | undefined>(firstSort);
  const [wanted, setWanted] = useState(0);
  const [pressed, setPressed] = useState<readonly string[]>([]);
  /** Keys; undefined while rows have their acts. */
  const [chosen, setChosen] = useState<readonly string[]>();
  if (rows.length === 0) return none === undefined ? null : <div class="blank">{none}</div>;
  const held = kinds.filter(({ text }) => pressed.includes(text));
  const found = matching(
    rows.filter((row) => held.every(({ holds }) => holds(row))),
    query,
    searchText,
  );
  const together = isAlone ? found.filter((row) => !isAlone(row)) : found;
  const choice = together.filter((row) => chosen?.includes(keyOf(row)));
  const choose = (those: readonly Row[], isOn: boolean): void => {
    const keys = those.map(keyOf);
    setChosen([...choice.map(keyOf).filter((key) => !keys.includes(key)), ...(isOn ? keys : [])]);
  };
  const inOrder = sorted(found, columns, sort, locale);
  // Groups stand in the order of their first rows.
  const grouped = groupOf ? [...Map.groupBy(inOrder, groupOf).values()].flat() : inOrder;
  const { rows: shown, page, pages } = pageOf(grouped, wanted);
  /** The first press on a head: the latest, or the most, first. */
  const sortAs = (key: string): void => {
    const column = columns.find((one) => one.key === key);
    const isOfNumbers = rows.some((row) => typeof column?.sortBy?.(row) === 'number');
    setSort(column && nextSort(sort, key, isOfNumbers));
    setWanted(0);
  };
  const head = ({ key, title, sortBy }: CompletedColumn<Row>) => {
    if (!sortBy) return <th scope="col">{title}</th>;
    const order = sort?.key === key ? (sort.isDescending ? 'descending' : 'ascending') : 'none';
    return (
      <th scope="col" aria-sort={order}>
        <button class="sort" type="button" onClick={() => sortAs(key)}>
          {title}
          <Icon name={order === 'ascending' ? 'previous' : 'chevron'} />
        </button>
      </th>
    );
  };
  const step = (to: number, name: string) => (
    <Button kind="small" disabled={to < 0 || to >= pages} onPress={() => setWanted(to)}>
      {name}
    </Button>
  );
  const first = page * PAGE_ROWS + 1;
  return (
    <div class="table-box">
      {rows.length > FEW_ROWS && props.query === undefined && (
        <div class="row table-tools">
          <search>
            <SearchBox
              label={text.searchIn({ what: caption })}
              placeholder={text.search}
              value={query}
              onChange={(typed) => {
                setQuery(typed);
                setWanted(0);
              }}
            />
          </search>
          {/* There are no heads on narrow screens. */}
          <div class="table-order">
            <SelectField
              label={text.sortBy}
              value={sort?.key ?? ''}
              onChange={sortAs}
              options={[
                ['', props.rowOrder ?? '–'],
                ...columns.flatMap(({ key, title, sortBy }) => (sortBy ? [[key, title] as const] : [])),
              ]}
            />
          </div>
          <p class="table-count" role="status">
            {found.length === rows.length
              ? text.entries({ all: rows.length })
              : text.found({ found: found.length, all: rows.length })}
          </p>
        </div>
      )}
      {several && rows.length > 1 && (
        <div class="row table-kinds">
          {kinds.map(({ text: kind, holds }) => (
            <PressChip
              key={kind}
              text={kind}
              number={rows.filter(holds).length}
              isOn={pressed.includes(kind)}
              onPress={() => {
                setPressed(withToggled(pressed, kind));
                setWanted(0);
              }}
            />
          ))}
          <Button kind="small" aria-pressed={chosen !== undefined} onPress={() => setChosen(chosen ? undefined : [])}>
            {text.choose}
          </Button>
        </div>
      )}
      {several && chosen && (
        <div class="row table-choice">
          <strong role="status">{text.chosen({ number: choice.length })}</strong>
          <label class="row">
            <input
              type="checkbox"
              checked={choice.length > 0 && choice.length === together.length}
              onChange={({ currentTarget }) => choose(together, currentTarget.checked)}
            />
            {text.chooseAll}
          </label>
          {choice.length > 0 && <Acts acts={several(choice)} />}
        </div>
      )}
      {found.length === 0 ? (
        <p class="blank">{text.noMatch}</p>
      ) : (
        <table class={`table narrow-${narrow}`}>
          <caption class="out-of-sight">{caption}</caption>
          <thead>
            <tr>
              {columns.map(head)}
              {acts && (
                <th scope="col">
                  <span class="out-of-sight">{text.actions}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, place) => {
              const group = groupOf?.(row);
              const above = shown[place - 1];
              return (
                <Fragment key={keyOf(row)}>
                  {group !== undefined && (above === undefined || groupOf?.(above) !== group) && (
                    <tr class="record-group">
                      <th scope="rowgroup" colSpan={columns.length + Number(acts !== undefined)}>
                        <bdi>{group}</bdi>
                      </th>
                    </tr>
                  )}
                  <tr class="record">
                    {columns.map((column, at) => (
                      <Cell key={column.key} {...{ column, row }} isHead={at === 0} />
                    ))}
                    {acts && (
                      <td class="record-actions">
                        {several && chosen ? (
                          <input
                            type="checkbox"
                            aria-label={text.chooseOne({ name: nameOf(row) })}
                            checked={choice.includes(row)}
                            disabled={!together.includes(row)}
                            onChange={({ currentTarget }) => choose([row], currentTarget.checked)}
                          />
                        ) : (
                          <RowActs acts={acts(row)} name={nameOf(row)} note={props.menuNote?.(row)} />
                        )}
                      </td>
                    )}
                  </tr>
                </Fragment>
              );
            })}
          </tbody>
        </table>
      )}
      {pages > 1 && (
        <nav class="row pager" aria-label={text.pages}>
          {step(page - 1, text.previous)}
          <span>{text.range({ first, last: Math.min(first + PAGE_ROWS - 1, found.length), all: found.length })}</span>
          {step(page + 1, text.next)}
        </nav>
      )}
    </div>
  );
}

const idOf = (row: unknown): string => Object(row).id;

type CompletedColumn<Row> = Column<Row> & { readonly key: string };

/** Sorts by what it shows. */
const completed = <Row,>(column: Column<Row>): CompletedColumn<Row> => {
  const { title: key, text, at, sortBy } = column;
  const value = sortBy ?? text ?? at;
  return { ...column, key, ...(value && { sortBy: (row) => value(row) ?? undefined }) };
};

const wordsIn =
  <Row,>(columns: readonly Column<Row>[], groupOf: RecordTableProps<Row>['groupOf']) =>
  (row: Row): string =>
    columns
      .flatMap(({ text, note, cameras }) => [
        text?.(row),
        note?.(row),
        ...(cameras?.(row) ?? []).flatMap((name) => [name, entryName(name)]),
      ])
      .concat(groupOf?.(row))
      .join(' ');

/** False, '' or an empty list: nothing. */
function saidIn<Row>({ cell, cameras, text, at }: Column<Row>, row: Row): ComponentChild {
  if (cell) return cell(row);
  const [names, moment] = [cameras?.(row), at?.(row)];
  if (names) return <FewNames names={names.map(entryName)} none={words.ui.common.noCameras} />;
  const said = typeof moment === 'number' ? formatShortMoment(moment) : text?.(row);
  return said && <bdi>{said}</bdi>;
}

function Cell<Row>({ column, row, isHead }: { column: Column<Row>; row: Row; isHead: boolean }) {
  const { title, at, cell, more } = column;
  const none = typeof column.none === 'function' ? column.none(row) : (column.none ?? '–');
  const note = column.note?.(row);
  const content = (
    <>
      {saidIn(column, row) || (!cell && none)}
      {more && <> {more(row)}</>}
      {note && <bdi class="fact-more">{note}</bdi>}
    </>
  );
  return isHead ? (
    <th scope="row" class="record-name">
      {content}
    </th>
  ) : (
    <td data-title={title} class={at && 'short'}>
      <div>{content}</div>
    </td>
  );
}

/** `note`: what the row itself has no room for on a narrow screen; its acts stand in a menu then. */
function RowActs({ acts, name, note }: { acts: readonly Act[]; name: string; note: ComponentChild }) {
  const shown = acts.map((act) => <ActButton key={act.text} {...{ ...act, name }} />);
  if (note === undefined) return shown;
  const label = (
    <>
      <Icon name="more" />
      <span class="out-of-sight">{words.ui.table.actionsOf({ name })}</span>
    </>
  );
  return (
    <Menu class="row-menu" align="end" label={label}>
      <p class="menu-note narrow-only">{note}</p>
      <div class="row-acts" onClickCapture={closeMenu}>
        {shown}
      </div>
    </Menu>
  );
}

const SHOWN = 3;

export function FewNames({ names, none }: { names: readonly string[]; none: string }) {
  const [isWhole, setIsWhole] = useState(false);
  if (names.length === 0) return <>{none}</>;
  // A button for one name is no shorter than the name.
  const shown = isWhole || names.length <= SHOWN + 1 ? names : names.slice(0, SHOWN);
  return (
    <span class={isWhole ? 'chips' : 'chips chips-few'}>
      {shown.map((name) => (
        <bdi key={name} class="chip one-line" title={name}>
          {name}
        </bdi>
      ))}
      {names.length > SHOWN + 1 && (
        <button class="chip chip-button" type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? '−' : `+${names.length - SHOWN}`}
          <span class="out-of-sight">
            {' '}
            {isWhole ? words.ui.table.showFewer : words.ui.table.showAll({ number: names.length })}
          </span>
        </button>
      )}
    </span>
  );
}

type SearchBoxProps = Pick<FieldProps, 'label' | 'value' | 'onChange'> &
  Pick<ComponentProps<'input'>, 'id' | 'placeholder'>;

/** Looks for what is typed in it, while it is typed. Enter sends no form around it. While it is empty, it says its label. */
export const SearchBox = ({ id, label, placeholder = label, value, onChange }: SearchBoxProps) => (
  <input
    {...{ id }}
    type="search"
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onInput={(event) => onChange(event.currentTarget.value)}
    onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
  />
);
