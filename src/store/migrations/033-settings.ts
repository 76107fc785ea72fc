/** Migration 33: settings of the house, which the page Security sets (SPEC 8). `id` is the key; that of `server.public_url` has the site behind it. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const settings = ({ text, noticeRow }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('settings')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('value', text, (column) => column.notNull())
      .execute();
    await noticeRow(db, 'settings', 'id', 'insert or update or delete');
  },
});
