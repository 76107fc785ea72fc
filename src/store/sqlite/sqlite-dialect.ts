/** What SQLite says in words of its own. */
import { type RawBuilder, sql } from 'kysely';
import { foldCase } from '../../domain/events/event-question.ts';
import type { Dialect, EventTables } from '../engine/dialect.ts';
import { addEventColumns, addEventIndices } from '../events/events-schema.ts';

const SECONDS_PER_DAY = 86_400;
/** Keeps the dividend positive for every year there ever was: SQLite's `%` rounds towards zero. */
const MANY_DAYS = SECONDS_PER_DAY * 1_000_000;

/** The events table in SQLite: its columns, its indices, and the triggers that count writes by day. */
const sqliteEventTables: EventTables = {
  prepareFor: async () => {},
  makeWay: undefined,
  dropBefore: async () => 0,

  async create(db) {
    const table = db.schema.createTable('events').addColumn('id', 'text', (column) => column.primaryKey().notNull());
    await addEventColumns(table, sql`text`).execute();
    await addEventIndices(db);
  },

  async countWrites(db) {
    await sql`insert into event_writes (day, writes)
      select ${dayOf('start_time')} as day, count(*) from events group by day`.execute(db);
    for (const [name, rows] of Object.entries(TRIGGERS)) {
      const counts = rows.map((row) => `${COUNT_DAY} (${dayText(`${row}.start_time`)}, 1) ${AGAIN};`).join(' ');
      await sql`${sql.raw(`create trigger events_${name} after ${name} on events begin ${counts} end`)}`.execute(db);
    }
  },

  async sortWithIds(db) {
    for (const sorted of ['score', 'speed'])
      await db.schema.createIndex(`events_${sorted}_id`).on('events').columns([sorted, 'id']).execute();
  },
};

const TRIGGERS = { insert: ['new'], update: ['old', 'new'], delete: ['old'] };
const dayText = (time: string): string => `cast(${time} / 86400 as integer)`;
const dayOf = (column: string): RawBuilder<unknown> => sql.raw(dayText(column));
const COUNT_DAY = 'insert into event_writes (day, writes) values';
const AGAIN = 'on conflict (day) do update set writes = writes + 1';

/** A power of two. */
const ROWS_PER_LOOK = 1024;

export const sqliteDialect: Dialect = {
  text: sql`text`,

  /** The column, but not as a way in: the planner shall walk in the order that is asked for. */
  unindexed: (column) => sql`+${column}`,

  /** SQLite has no way to interrupt a statement from its own thread but a function that throws. One row in so many
   *  asks: every row would cost more than all other conditions. */
  inTime: (deadline) => sql`(e.rowid & ${sql.lit(ROWS_PER_LOOK - 1)} <> 0 or in_time(${deadline}))`,

  within: (_, db, ask) => ask(db),

  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,

  hasElement: (jsonArray, values) =>
    sql`exists (select 1 from json_each(${jsonArray}) where value in (${sql.join(values)}))`,

  isEmptyArray: (jsonArray) => sql`json_array_length(${jsonArray}) = 0`,

  /** One of the texts is the value of a key, at any depth. */
  hasMemberText: (jsonObject, values) =>
    sql`exists (select 1 from json_tree(${jsonObject}) where type = 'text' and typeof(key) = 'text' and atom in (${sql.join(values)}))`,

  /** Most events have neither a sub-label nor a description: the function is called for the others. */
  hasWord: (subLabel, data, word) =>
    sql`((${subLabel} is not null or instr(${data}, '"description"') > 0) and has_word(${subLabel}, ${data}, ${foldCase(word)}))`,

  /** The second of the local day: whole seconds since midnight. */
  secondOfDay: (time, offset) => sql`((${time} + ${offset} + ${sql.lit(MANY_DAYS)}) % ${sql.lit(SECONDS_PER_DAY)})`,

  /** Days since 1 January 1970 on the local calendar. */
  dayNumber: (time, offset) =>
    sql`(cast((${time} + ${offset} + ${sql.lit(MANY_DAYS)}) / ${sql.lit(SECONDS_PER_DAY)} as integer) - 1000000)`,

  /** SQLite sorts absent values below all others. */
  ordered: (value, direction) => sql`${value} ${sql.raw(direction)}`,

  isPartitioned: false,

  events: sqliteEventTables,

  /** A transaction that writes holds the only write lock from its start. */
  lockAccounts: async () => {},

  /** SQLite's own `data_version` tells of the changes of other processes. */
  noticeChanges: async () => {},
  noticeTable: async () => {},
  noticeRow: async () => {},
  noticeRows: async () => {},
  nameRows: async () => {},
  countAttempts: async () => {}, // one process counts in memory
};
