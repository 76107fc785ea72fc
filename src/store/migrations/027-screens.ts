/** Migration 27: screens, and the codes that pair them (SPEC 18). Secrets are digests; `cameras` is the JSON of a list. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** Last uses stand in columns that no replica needs to hear of. */
export const screens = ({ text, noticeRow }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('screens')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('secret_hash', text, (column) => column.unique())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('user_created_at', 'double precision', (column) => column.notNull())
      .addColumn('cameras', text)
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .addColumn('ends_at', 'double precision')
      .addColumn('last_seen_at', 'double precision')
      .addColumn('last_seen_from', text)
      .addColumn('agent', text)
      .execute();
    await db.schema.createIndex('screens_user_name').on('screens').column('user_name').execute();
    await db.schema
      .createTable('screen_codes')
      .addColumn('device_hash', text, (column) => column.primaryKey().notNull())
      .addColumn('user_hash', text, (column) => column.notNull().unique())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('agent', text)
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .addColumn('expires_at', 'double precision', (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('screen_id', text)
      .addColumn('polled_at', 'double precision')
      .execute();
    await noticeRow(db, 'screens', 'id', 'insert or delete or update of secret_hash, name, cameras');
  },
});
