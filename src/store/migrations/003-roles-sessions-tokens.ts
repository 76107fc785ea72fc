/** Migration 3: roles made in the console, sessions as they were seen, and API tokens (SPEC 4.2 to 4.4). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** `cameras` is the JSON of a list; null in `api_tokens` where a token is not narrowed. */
export const rolesSessionsTokens = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('custom_roles')
      .addColumn('role', text, (column) => column.primaryKey().notNull())
      .addColumn('cameras', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('seen_sessions')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('since', 'double precision', (column) => column.notNull())
      .addColumn('last_seen', 'double precision', (column) => column.notNull())
      .addColumn('expires_at', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('seen_sessions_user_name').on('seen_sessions').column('user_name').execute();
    await db.schema.createIndex('seen_sessions_expires_at').on('seen_sessions').column('expires_at').execute();
    await db.schema
      .createTable('api_tokens')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('secret_hash', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('user_created_at', 'double precision')
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('cameras', text)
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .addColumn('expires_at', 'double precision')
      .addColumn('last_used_at', 'double precision')
      .addColumn('last_used_from', text)
      .execute();
    await db.schema.createIndex('api_tokens_user_name').on('api_tokens').column('user_name').execute();
  },
});
