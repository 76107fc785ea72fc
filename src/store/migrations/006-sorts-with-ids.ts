/** Migration 6: events of one score, or of one speed, lie in order of id: many have none, and a page must not sort them all (SPEC 7). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const sortsWithIds = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const sorted of ['score', 'speed']) await db.schema.dropIndex(`events_${sorted}`).ifExists().execute();
    await dialect.events.sortWithIds(db);
  },
});
