/** Migration 29: sign-ins of guests whose accounts are gone, so that the next login makes no account without an end (SPEC 13). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** `id` is that of a sign-in. */
export const closedSignIns = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('closed_sign_ins')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('provider', text, (column) => column.notNull())
      .addColumn('known_until', 'double precision', (column) => column.notNull())
      .execute();
  },
});
