/** Migration 5: which key a session's tokens are signed with, for under another key it is over (SPEC 4.2). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

/** Sessions that were seen before this are noted anew when they are seen again. */
export const sessionKeys = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('seen_sessions')
      .addColumn('signed_with', text, (column) => column.notNull().defaultTo(''))
      .execute();
  },
});
