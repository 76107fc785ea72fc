/** The table that events are read from: the store's own, or a view of the NVR's with the same columns. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TaskQueue } from '../../domain/async.ts';
import { type Deadline, isPast, outOfTime } from '../../domain/events/event-question.ts';
import { allOf, type Condition, type Dialect, isOneOf } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';

/** `e` is the table's alias in every query; it has the columns of the store's own. */
export interface EventShape {
  readonly table: RawBuilder<unknown>;
  /** Whether an index gives the events of one camera, or of one label, in order of time. */
  readonly inOrderBy: { readonly camera: boolean; readonly label: boolean };
  /** Whether writes are counted by day. */
  readonly countsWrites: boolean;
}

/** Where events are looked for: a database, how its table is laid out, and what its engine is told. */
export interface EventsPlace {
  readonly db: Kysely<Tables>;
  readonly shape: EventShape;
  readonly words: Dialect;
  readonly walks: TaskQueue['enter'];
  readonly deadline?: Deadline | undefined;
  /** Events are walked by time, whatever order they are asked for in. */
  readonly isByTime?: boolean;
}

/**
 * Looked at while rows are walked, before any other condition: it ends a statement that walks for too long. Where the
 * server ends long statements, none begins after the deadline: throws `outOfTime`.
 */
export function inTime({ words, deadline }: EventsPlace): RawBuilder<boolean>[] {
  if (deadline === undefined) return [];
  if (words.inTime) return [words.inTime(deadline.at)];
  if (isPast(deadline)) throw outOfTime();
  return [];
}

/** The events `e` that fulfil all of these. */
export async function selectEvents<Row>(
  columns: RawBuilder<unknown>,
  where: readonly Condition[],
  { db, shape }: EventsPlace,
  behind = sql``,
): Promise<Row[]> {
  const statement = sql<Row>`select ${columns} from ${shape.table} as e where ${allOf(where)} ${behind}`;
  return (await statement.execute(db)).rows;
}

/** Null: of all cameras. No way into the table. */
export const ofCameras = (cameras: readonly string[] | null, { words }: EventsPlace): readonly Condition[] =>
  cameras ? [isOneOf(words.unindexed(sql`e.camera`), cameras)] : [];

export const STORE_SHAPE: EventShape = {
  table: sql`events`,
  inOrderBy: { camera: true, label: true },
  countsWrites: true,
};

/**
 * Columns that an older NVR's table lacks, and columns that only the store has, are computed here. SQLite looks
 * through such a view: the NVR's own indices are used.
 */
export function nvrShape(columns: ReadonlySet<string>): EventShape {
  const given = (name: string, absent: RawBuilder<unknown>) =>
    columns.has(name) ? sql`${sql.ref(name)}` : sql`${absent} as ${sql.ref(name)}`;
  const own = [
    ...['rowid', 'id', 'camera', 'label', 'start_time', 'has_clip', 'has_snapshot'].map(
      (name) => sql`${sql.ref(name)}`,
    ),
    ...NULLABLE.map((name) => given(name, sql`null`)),
    given('retain_indefinitely', sql`0`),
  ];
  const data = columns.has('data') ? sql`data` : sql`'{}'`;
  const made = [
    sql`${readable(sql`zones`, 'array')} as zones`,
    sql`${readable(data, 'object')} as data`,
    sql`${inData(data, '$.score', NUMBERS)} as score`,
    sql`${inData(data, '$.average_estimated_speed', NUMBERS)} as speed`,
    sql`${inData(data, '$.recognized_license_plate', ['text'])} as plate`,
    sql`fold_sub_labels(${columns.has('sub_label') ? sql`sub_label` : sql`null`}) as sub_labels_folded`,
  ];
  return {
    table: sql`(select ${sql.join([...own, ...made])} from event)`,
    // There is no index on (camera, start_time), and a reader cannot make one.
    inOrderBy: { camera: false, label: columns.has('label') },
    countsWrites: false,
  };
}

// biome-ignore format: a table
const NULLABLE = ['end_time', 'false_positive', 'thumbnail', 'sub_label', 'plus_id', 'model_hash', 'detector_type', 'model_type'];

/** Flag 2 accepts NaN, which is null; a text that is no JSON at all would make the whole answer fail. */
const isOf = (types: readonly string[], json: RawBuilder<unknown>, path: string): RawBuilder<unknown> =>
  sql`json_valid(${json}, 2) and json_type(${json}, ${sql.lit(path)}) in (${sql.join(types.map((type) => sql.lit(type)))})`;

const readable = (json: RawBuilder<unknown>, type: string): RawBuilder<unknown> =>
  sql`case when ${isOf([type], json, '$')} then ${json} else 'null' end`;

const NUMBERS = ['integer', 'real'];

/** A value of another type reads as absent, as in the store's own columns. */
const inData = (data: RawBuilder<unknown>, path: string, types: readonly string[]): RawBuilder<unknown> =>
  sql`case when ${isOf(types, data, path)} then json_extract(${data}, ${sql.lit(path)}) end`;
