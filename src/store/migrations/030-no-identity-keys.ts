/** Migration 30: the keys of signed identities, which are gone. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const noIdentityKeys: Migration = {
  up: (db: Kysely<unknown>) => db.schema.dropTable('identity_keys').ifExists().execute(),
};
