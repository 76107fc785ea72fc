/** Migration 4: how often the events of each day were written, so that what was counted of them can be kept (SPEC 7). */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** By triggers: whichever process writes, and however. Days are those of UTC in which events begin. */
export const eventWrites: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('event_writes')
      .addColumn('day', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('writes', 'integer', (column) => column.notNull())
      .execute();
    await sql`insert into event_writes (day, writes)
      select ${dayOf('start_time')} as day, count(*) from events group by day`.execute(db);
    for (const [name, rows] of Object.entries(TRIGGERS)) {
      const counts = rows.map((row) => `${COUNT_DAY} (${dayText(`${row}.start_time`)}, 1) ${AGAIN};`).join(' ');
      await sql`${sql.raw(`create trigger events_${name} after ${name} on events begin ${counts} end`)}`.execute(db);
    }
  },
};

const TRIGGERS = { insert: ['new'], update: ['old', 'new'], delete: ['old'] };
const dayText = (time: string): string => `cast(${time} / 86400 as integer)`;
const dayOf = (column: string) => sql.raw(dayText(column));
const COUNT_DAY = 'insert into event_writes (day, writes) values';
const AGAIN = 'on conflict (day) do update set writes = writes + 1';
