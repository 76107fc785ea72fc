/** Migration 9: second factors, recovery codes, passkeys and invitations (SPEC 12). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** Secrets are sealed, codes and tokens are hashes; `transports` is the JSON of a list. */
export const secondFactor = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of ['has_factor', 'password_is_generated'])
      await db.schema
        .alterTable('users')
        .addColumn(column, 'integer', (added) => added.notNull().defaultTo(0))
        .execute();
    await db.schema.alterTable('users').addColumn('factor_epoch', text).execute();
    await db.schema
      .createTable('totp_secrets')
      .addColumn('user_name', text, (column) => column.primaryKey().notNull())
      .addColumn('secret', text)
      .addColumn('last_step', 'double precision')
      .addColumn('pending', text)
      .addColumn('pending_until', 'double precision')
      .execute();
    await db.schema
      .createTable('recovery_codes')
      .addColumn('code_hash', text, (column) => column.primaryKey().notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('recovery_codes_user_name').on('recovery_codes').column('user_name').execute();
    await db.schema
      .createTable('passkeys')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('user_handle', text, (column) => column.notNull())
      .addColumn('public_key', text, (column) => column.notNull())
      .addColumn('counter', 'double precision', (column) => column.notNull())
      .addColumn('transports', text, (column) => column.notNull())
      .addColumn('is_backup_eligible', 'integer', (column) => column.notNull())
      .addColumn('is_backed_up', 'integer', (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .addColumn('last_used_at', 'double precision')
      .execute();
    await db.schema.createIndex('passkeys_user_name').on('passkeys').column('user_name').execute();
    await db.schema
      .createTable('invitations')
      .addColumn('token_hash', text, (column) => column.primaryKey().notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('user_created_at', 'double precision', (column) => column.notNull())
      .addColumn('made_by', text, (column) => column.notNull())
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .addColumn('expires_at', 'double precision', (column) => column.notNull())
      .addColumn('used_at', 'double precision')
      .execute();
    await db.schema.createIndex('invitations_user_name').on('invitations').column('user_name').execute();
  },
});
