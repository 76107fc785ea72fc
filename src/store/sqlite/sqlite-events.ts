/** The events table in SQLite: its columns, its indices, and the triggers that count writes by day. */
import { type RawBuilder, sql } from 'kysely';
import type { EventTables } from '../engine/dialect.ts';
import { addEventColumns, addEventIndices } from '../events/events-schema.ts';

export const sqliteEventTables: EventTables = {
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
