/** Migration 8: whether an API token was made to manage accounts (SPEC 4.4). Tokens from before may not. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const accountManagingTokens: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('api_tokens')
      .addColumn('manages_accounts', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
