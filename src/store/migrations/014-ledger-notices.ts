/** Migration 14: notices of unusual viewing: sums tell tokens and links from the person, and what may be told once a day (SPEC 14). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const ledgerNotices = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('ledger_days')
      .addColumn('viewer', text, (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .createTable('ledger_told')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('day', text, (column) => column.notNull())
      .execute();
  },
});
