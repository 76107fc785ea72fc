/** Migration 22: accounts connected to identity providers, whose role an account has, and sessions that began by a provider (SPEC 16). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** The id of a sign-in is the issuer, a blank and the subject: an issuer is a URL and has no blank. Accounts of before count as having a password that a person knows. */
export const signIns = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('role_source', text).execute();
    await db.schema.alterTable('users').addColumn('other_roles', text).execute();
    await db.schema
      .alterTable('users')
      .addColumn('has_password', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await db.schema
      .createTable('sign_ins')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('provider', text, (column) => column.notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('connected_at', 'double precision', (column) => column.notNull())
      .addColumn('last_used_at', 'double precision', (column) => column.notNull())
      .addUniqueConstraint('sign_ins_user_provider', ['user_name', 'provider'])
      .execute();
    await db.schema
      .createTable('oidc_sessions')
      .addColumn('session_id', text, (column) => column.primaryKey().notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('sid', text)
      .addColumn('expires_at', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('oidc_sessions_subject').on('oidc_sessions').columns(['issuer', 'subject']).execute();
  },
});
