/** Migration 23: the keys that sign identities for the NVR, sealed (SPEC 17). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const identityKeys = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('identity_keys')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('sealed', text, (column) => column.notNull())
      .addColumn('created_at', 'double precision', (column) => column.notNull())
      .execute();
  },
});
