/** Migration 10: what people are told of their accounts, and the devices and networks of their logins (SPEC 12). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const accountNotices = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('account_notices')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('at', 'double precision', (column) => column.notNull())
      .addColumn('done_by', text)
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('agent', text)
      .addColumn('detail', text)
      .execute();
    await db.schema
      .createIndex('account_notices_user_name')
      .on('account_notices')
      .columns(['user_name', 'at'])
      .execute();
    await db.schema
      .createTable('known_clients')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('last_seen', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('known_clients_user_name').on('known_clients').column('user_name').execute();
  },
});
