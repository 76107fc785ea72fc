/** What is said otherwise by each engine, in SQLite's words: JSON, arithmetic, and hints to the planner. */
import { type RawBuilder, sql } from 'kysely';

type Expression = RawBuilder<unknown>;
type Condition = RawBuilder<boolean>;

const SECONDS_PER_DAY = 86_400;
/** Keeps the dividend positive for every year there ever was: SQLite's `%` rounds towards zero. */
const MANY_DAYS = SECONDS_PER_DAY * 1_000_000;

/** A power of two. */
const ROWS_PER_LOOK = 1024;

export const sqliteDialect = {
  /** The column, but not as a way in: the planner shall walk in the order that is asked for. */
  unindexed: (column: Expression): Expression => sql`+${column}`,

  /** SQLite has no way to interrupt a statement from its own thread but a function that throws. One row in so many
   *  asks: every row would cost more than all other conditions. */
  inTime: (rowNumber: Expression, deadline: number): Condition =>
    sql`(${rowNumber} & ${sql.lit(ROWS_PER_LOOK - 1)} <> 0 or in_time(${deadline}))`,

  contains: (text: Expression, part: string): Condition => sql`instr(${text}, ${part}) > 0`,

  hasElement: (jsonArray: Expression, values: readonly string[]): Condition =>
    sql`exists (select 1 from json_each(${jsonArray}) where value in (${sql.join(values)}))`,

  isEmptyArray: (jsonArray: Expression): Condition => sql`json_array_length(${jsonArray}) = 0`,

  /** One of the texts is the value of a key, at any depth. */
  hasMemberText: (jsonObject: Expression, values: readonly string[]): Condition =>
    sql`exists (select 1 from json_tree(${jsonObject}) where type = 'text' and typeof(key) = 'text' and atom in (${sql.join(values)}))`,

  /** Of the local clock: whole seconds since midnight. */
  secondOfDay: (time: Expression, offset: Expression): Expression =>
    sql`((${time} + ${offset} + ${sql.lit(MANY_DAYS)}) % ${sql.lit(SECONDS_PER_DAY)})`,

  /** Days since 1 January 1970 on the local calendar. */
  dayNumber: (time: Expression, offset: Expression): Expression =>
    sql`(cast((${time} + ${offset} + ${sql.lit(MANY_DAYS)}) / ${sql.lit(SECONDS_PER_DAY)} as integer) - 1000000)`,
};

/** PostgreSQL has its own of these. */
export type Dialect = typeof sqliteDialect;
