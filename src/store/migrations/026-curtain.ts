/** Migration 26: the curtain, with API tokens that were made for it (SPEC 19). `roles` is the JSON of a list; null: all but admin. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const curtain = ({ text, noticeRow }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('curtain')
      .addColumn('camera', text, (column) => column.primaryKey().notNull())
      .addColumn('until', 'double precision')
      .addColumn('roles', text)
      .addColumn('drawn_by', text, (column) => column.notNull())
      .addColumn('drawn_at', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema
      .alterTable('api_tokens')
      .addColumn('is_for_curtain', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await noticeRow(db, 'curtain', 'camera', 'insert or update or delete');
  },
});
