/** Migration 4: how often the events of each day were written, so that what was counted of them can be kept (SPEC 7). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** Triggers that count the writes of a day, so that every writer counts. Days are those of UTC in which events begin. */
export const eventWrites = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('event_writes')
      .addColumn('day', 'integer', (column) => column.primaryKey().notNull())
      .addColumn('writes', 'bigint', (column) => column.notNull())
      .execute();
    await dialect.events.countWrites(db);
  },
});
