/** Migration 19: what may be told once a day was kept for notices of unusual viewing, which are gone. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const noUnusualViewing: Migration = {
  up: (db: Kysely<unknown>) => db.schema.dropTable('ledger_told').ifExists().execute(),
};
