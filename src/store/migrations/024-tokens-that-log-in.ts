/** Migration 24: whether an API token may stand in the place of a password at the login. Tokens from before may not. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const tokensThatLogIn: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('api_tokens')
      .addColumn('logs_in', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
