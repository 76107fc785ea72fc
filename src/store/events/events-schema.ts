/** The columns and indices of the events table that every engine has. */
import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';

/**
 * Bulky columns stand last: SQLite reads a row from its start, and a scan need not touch what lies behind. `score`,
 * `speed` and `plate` repeat what is in `data`; `sub_labels_folded` is `,bob,john,`.
 */
export const addEventColumns = <Table extends string, Columns extends string>(
  table: CreateTableBuilder<Table, Columns>,
  text: RawBuilder<unknown>,
) =>
  table
    .addColumn('camera', text, (column) => column.notNull())
    .addColumn('label', text, (column) => column.notNull())
    .addColumn('start_time', 'double precision', (column) => column.notNull())
    .addColumn('end_time', 'double precision')
    .addColumn('score', 'double precision')
    .addColumn('speed', 'double precision')
    .addColumn('has_clip', 'boolean', (column) => column.notNull())
    .addColumn('has_snapshot', 'boolean', (column) => column.notNull())
    .addColumn('retain_indefinitely', 'boolean', (column) => column.notNull())
    .addColumn('false_positive', 'boolean')
    .addColumn('plus_id', text)
    .addColumn('plate', text)
    .addColumn('sub_label', text)
    .addColumn('sub_labels_folded', text)
    .addColumn('zones', text, (column) => column.notNull())
    .addColumn('model_hash', text)
    .addColumn('detector_type', text)
    .addColumn('model_type', text)
    .addColumn('data', text, (column) => column.notNull())
    .addColumn('thumbnail', text);

export async function addEventIndices(db: Kysely<unknown>): Promise<void> {
  for (const columns of INDICES) {
    await db.schema
      .createIndex(`events_${columns.join('_')}`)
      .on('events')
      .columns(columns)
      .execute();
  }
  for (const name of RARE_NAMES) {
    const index = db.schema.createIndex(`events_camera_${name}`).on('events').columns(['camera', name]);
    await index.where(sql.ref(name), 'is not', null).execute();
  }
  for (const [name, rows] of Object.entries(RARE_EVENTS)) {
    const index = db.schema.createIndex(`events_${name}`).on('events').columns(['camera', 'start_time']);
    await index.where(rows).execute();
  }
}

/** Equal start times are put in order of id while walking: the id in every index would double its size. */
const INDICES: string[][] = [
  ['start_time'],
  ['camera', 'start_time'],
  ['label', 'start_time'],
  ['camera', 'label', 'start_time'],
];

/** Most events have neither. An index of the events that have one is small, and lists the names without reading events. */
const RARE_NAMES = ['sub_label', 'plate'];

/** Partial indices for flags that few events have, in order of time: other events cost nothing. */
const RARE_EVENTS = {
  in_progress: sql<boolean>`end_time is null`,
  retained: sql<boolean>`retain_indefinitely = true`,
  submitted: sql<boolean>`plus_id <> ''`,
};
