/** A page of records: its head, what was done just now, the table of them once they are there, and one dialog over it. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { type FetchedAgain, sendToApi } from './api.ts';
import { type FieldProps, TextField } from './fields.tsx';
import { type Act, Acts, DialogsContext, FormDialog, type FormDialogProps, usePageDialogs } from './forms.tsx';
import { Problem, Skeleton, Trouble } from './parts.tsx';
import { type Column, RecordTable, type RecordTableProps } from './record-table.tsx';
import { words } from './words.ts';

interface PageProps<Value> {
  readonly title: string;
  readonly lead: string;
  /** What stands beside the title. */
  readonly beside?: ComponentChildren;
  /** What the page shows, and how it is read anew; a page without it shows its children at once. */
  readonly fetched?: FetchedAgain<Value> | undefined;
  /** The dialog that is open at once. */
  readonly first?: ComponentChild;
  readonly children: (value: Value, page: ReturnType<typeof usePageDialogs>['page']) => ComponentChildren;
}

const NOTHING_FETCHED: FetchedAgain<never> = [{ kind: 'ready', value: undefined as never }, () => {}];

export function RecordsPage<Value>({ title, lead, beside, first, children, ...props }: PageProps<Value>) {
  const [fetched, again] = props.fetched ?? NOTHING_FETCHED;
  const { page, said, dialog } = usePageDialogs(again, first);
  return (
    <DialogsContext.Provider value={page}>
      <section class="records-page">
        <header class="page-head">
          <div>
            <h1>{title}</h1>
            <p class="page-lead">{lead}</p>
          </div>
          {fetched.kind !== 'failed' && beside}
        </header>
        {/* Always there, so that a screen reader hears what comes into it. */}
        <div class="notice" role="status">
          {!said.isProblem && said.text && <bdi>{said.text}</bdi>}
        </div>
        <Problem text={said.isProblem ? said.text : ''} />
        {fetched.kind === 'loading' && <Skeleton text={words.ui.common.loading} rows={2} />}
        {fetched.kind === 'failed' && (
          <Trouble title={words.settings.cannotLoad} message={fetched.problem} onRetry={again} isPart />
        )}
        {fetched.kind === 'ready' && children(fetched.value, page)}
        {fetched.kind === 'ready' && dialog}
      </section>
    </DialogsContext.Provider>
  );
}

interface ResourcePageProps<Row>
  extends Pick<PageProps<readonly Row[]>, 'title' | 'lead' | 'fetched' | 'first'>,
    Omit<RecordTableProps<Row>, 'caption' | 'rows'> {
  /** What can be done with them all. */
  readonly pageActs?: readonly Act[];
  /** What follows the table. */
  readonly children?: ComponentChildren;
}

/** The page of one kind of record: what is listed of them, and what can be done with them all and with each. */
export function ResourcePage<Row>(props: ResourcePageProps<Row>) {
  const { title, lead, fetched, first, pageActs, children, ...table } = props;
  return (
    <RecordsPage {...{ title, lead, fetched, first }} beside={pageActs && <Acts acts={pageActs} />}>
      {(rows) => (
        <>
          <RecordTable caption={title} rows={rows} {...table} />
          {children}
        </>
      )}
    </RecordsPage>
  );
}

/** A second table on a page, below a heading of its own; without rows there is none. */
export const MoreRecords = <Row,>({ lead, ...table }: RecordTableProps<Row> & { lead: ComponentChildren }) =>
  table.rows.length > 0 && (
    <section class="more-records" aria-label={table.caption}>
      <h2>{table.caption}</h2>
      <p class="page-lead">{lead}</p>
      <RecordTable {...table} />
    </section>
  );

export const Badge = ({ text, kind = 'plain' }: { text: string; kind?: 'plain' | 'strong' }) => (
  <bdi class={`badge badge-${kind}`}>{text}</bdi>
);

/** The path of one record in a list of the API, or of what it has. */
export const pathTo = (list: string, id: string, more = ''): string => `${list}/${encodeURIComponent(id)}${more}`;

/** The act that gives a record another name, or takes it away where that may be. */
export const renaming = (
  path: string,
  first: string,
  dialog: Pick<FormDialogProps<{ name: string }>, 'title' | 'done'>,
  field: Pick<FieldProps, 'help'> & { isOptional?: boolean } = {},
): Act => ({
  text: words.passkeys.rename,
  icon: 'pen',
  dialog: () => (
    <FormDialog
      {...dialog}
      first={{ name: first }}
      onSubmit={({ name }) => sendToApi('PATCH', path, { name: name.trim() })}
    >
      {(form) => <TextField label={words.tokens.name} {...field} {...form.field('name')} />}
    </FormDialog>
  ),
});

/** Whose a record is. */
export const userColumn = <Row extends { readonly user: string }>(title = words.ui.common.user): Column<Row> => ({
  title,
  text: ({ user }) => user,
});

/** When a secret was used last, and from where. */
export const lastUseColumn = <Row,>(useOf: (row: Row) => { at: number | null; from: string | null }): Column<Row> => ({
  title: words.tokens.lastUsed,
  at: (row) => useOf(row).at,
  none: words.tokens.notYet,
  note: (row) => {
    const { from: address } = useOf(row);
    return address && words.tokens.from({ address });
  },
});
