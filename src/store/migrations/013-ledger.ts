/** Migration 13: the ledger: chained records, spans that go on, heads of chains, closing hashes of forgotten days, and sums by day (SPEC 14). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const ledger = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    const entries = (table: string) =>
      db.schema
        .createTable(table)
        .addColumn('id', text, (column) => column.primaryKey().notNull())
        .addColumn('chain', text, (column) => column.notNull())
        .addColumn('kind', text, (column) => column.notNull())
        .addColumn('user_name', text)
        .addColumn('credential', text)
        .addColumn('address', text)
        .addColumn('camera', text)
        .addColumn('from_at', 'double precision', (column) => column.notNull())
        .addColumn('to_at', 'double precision', (column) => column.notNull())
        .addColumn('watched_from', 'double precision')
        .addColumn('watched_to', 'double precision')
        .addColumn('detail', text);
    await entries('ledger_records')
      .addColumn('hash', text, (column) => column.notNull())
      .execute();
    for (const columns of [['from_at'], ['user_name', 'from_at'], ['camera', 'from_at'], ['kind', 'from_at']]) {
      await db.schema
        .createIndex(`ledger_records_${columns[0]}`)
        .on('ledger_records')
        .columns([...columns, 'id'])
        .execute();
    }
    await entries('ledger_open').execute();
    await db.schema
      .createTable('ledger_chains')
      .addColumn('chain', text, (column) => column.primaryKey().notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('seen_at', 'double precision', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('ledger_closings')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('chain', text, (column) => column.notNull())
      .addColumn('day', text, (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addColumn('records', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('ledger_days')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('day', text, (column) => column.notNull())
      .addColumn('user_name', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('camera', text, (column) => column.notNull())
      .addColumn('seconds', 'double precision', (column) => column.notNull())
      .addColumn('records', 'integer', (column) => column.notNull())
      .addColumn('hours', 'integer', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('ledger_days_user').on('ledger_days').columns(['user_name', 'day']).execute();
    await db.schema.createIndex('ledger_days_day').on('ledger_days').column('day').execute();
  },
});
