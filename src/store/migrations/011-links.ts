/** Migration 11: links, and who opened them (SPEC 13). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** The secret and the PIN are digests; `thing` is JSON. What changes with each use stands in columns that no replica needs to hear of. */
export const links = ({ text, noticeTable }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('links')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('secret_hash', text, (column) => column.notNull().unique())
      .addColumn('thing', text, (column) => column.notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('user_created_at', 'double precision')
      .addColumn('token_id', text)
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('name', text)
      .addColumn('uses', 'integer')
      .addColumn('pin_hash', text)
      .addColumn('notifies_on_open', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .addColumn('expires_at', 'double precision', (column) => column.notNull())
      .addColumn('revoked_at', 'double precision')
      .addColumn('opened', 'integer', (column) => column.notNull())
      .addColumn('wrong_pins', 'integer', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('links_user_name').on('links').column('user_name').execute();
    await db.schema
      .createTable('link_openings')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('link_id', text, (column) => column.notNull())
      .addColumn('viewer', text)
      .addColumn('client', text, (column) => column.notNull())
      .addColumn('at', 'double precision', (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('agent', text)
      .execute();
    await db.schema.createIndex('link_openings_link_id').on('link_openings').columns(['link_id', 'at']).execute();
    await noticeTable(db, 'links', 'insert or delete or update of revoked_at');
  },
});
