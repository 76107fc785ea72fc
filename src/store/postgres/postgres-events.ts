/** The events table in PostgreSQL: partitions by month, and the trigger that counts writes by day. */
import { sql } from 'kysely';
import type { EventTables } from '../engine/dialect.ts';
import { addEventColumns, addEventIndices } from '../events/events-schema.ts';
import { addMonthsOf, dropMonthsBefore } from './event-months.ts';

const WRITERS_LOCK = 0x706f7374; // "post"
const TEXT = sql`text collate "C"`;

export const postgresEventTables: EventTables = {
  prepareFor: addMonthsOf,
  dropBefore: dropMonthsBefore,

  async makeWay(ids, transaction) {
    // Writers that replace the same event wait for each other: else both would insert it.
    await sql`select pg_advisory_xact_lock(${sql.lit(WRITERS_LOCK)})`.execute(transaction);
    await sql`delete from events where id in (${sql.join(ids)})`.execute(transaction);
  },

  /** A unique index of a partitioned table holds its partition key: `makeWay` keeps ids unique. */
  async create(db) {
    const table = db.schema.createTable('events').addColumn('id', TEXT, (column) => column.notNull());
    await addEventColumns(table, TEXT)
      .addPrimaryKeyConstraint('events_key', ['id', 'start_time'])
      .modifyEnd(sql`partition by range (start_time)`)
      .execute();
    await sql`create table events_other partition of events default`.execute(db);
    await addEventIndices(db);
  },

  async countWrites(db) {
    await sql`create function postern_count_event_writes() returns trigger language plpgsql as $count$
      begin
        insert into event_writes (day, writes)
          select floor(start_time / 86400)::integer as day, count(*) from changed group by 1 order by 1
          on conflict (day) do update set writes = event_writes.writes + excluded.writes;
        return null;
      end $count$`.execute(db);
    await sql`create trigger events_insert after insert on events
      referencing new table as changed for each statement execute function postern_count_event_writes()`.execute(db);
    await sql`create trigger events_delete after delete on events
      referencing old table as changed for each statement execute function postern_count_event_writes()`.execute(db);
  },

  async sortWithIds(db) {
    for (const sorted of ['score', 'speed'])
      await sql`create index ${sql.ref(`events_${sorted}_id`)} on events (${sql.ref(sorted)} asc nulls first, id)`.execute(
        db,
      );
  },
};
