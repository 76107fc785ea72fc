/** Migration 18: an index has the zones of each camera, which are few: a question about others ends there (SPEC 7). */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const zonesByCamera = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    // A partitioned table is walked by days, and has its zones found so.
    if (dialect.isPartitioned) return;
    const index = db.schema.createIndex('events_camera_zones').ifNotExists().on('events').columns(['camera', 'zones']);
    await index.where(sql<boolean>`zones <> '[]'`).execute();
  },
});
