/** Migration 16: the store has an id of its own, by which a lost store is told from a first one (SPEC 10). */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const storeIdentity = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<{ store_identity: { id: string } }>) {
    await db.schema
      .createTable('store_identity')
      .ifNotExists()
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .execute();
    if (await db.selectFrom('store_identity').select('id').executeTakeFirst()) return;
    await db.insertInto('store_identity').values({ id: randomUUID() }).execute();
  },
});
