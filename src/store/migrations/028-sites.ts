/** Migration 28: sites, several services on one store, each with its NVR; a link and a screen are of one site (SPEC 20). `cameras` and `roles` are the JSON of lists. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const sites = ({ text, noticeRow }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('sites')
      .addColumn('site', text, (column) => column.primaryKey().notNull())
      .addColumn('cameras', text)
      .addColumn('roles', text, (column) => column.notNull())
      .addColumn('key_id', text, (column) => column.notNull())
      .addColumn('changed_at', 'double precision', (column) => column.notNull())
      .execute();
    // Empty: a service without a name, the only one of its store.
    for (const table of ['links', 'screens', 'screen_codes'])
      await db.schema
        .alterTable(table)
        .addColumn('site', text, (column) => column.notNull().defaultTo(''))
        .execute();
    await noticeRow(db, 'sites', 'site', 'insert or update or delete');
  },
});
