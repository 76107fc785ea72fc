/** Migration 1: built-in users, and the session tokens that were ended before their time (interface 2.1, 5.1). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const accounts = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('users')
      .addColumn('name', text, (column) => column.primaryKey().notNull())
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('password_hash', text, (column) => column.notNull())
      .addColumn('password_changed_at', 'double precision')
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('revoked_tokens')
      .addColumn('token_id', text, (column) => column.primaryKey().notNull())
      .addColumn('expires_at', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('revoked_tokens_expires_at').on('revoked_tokens').column('expires_at').execute();
  },
});
