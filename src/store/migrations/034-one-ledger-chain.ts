/** Migration 34: one chain of the ledger, whoever writes it: records and spans name their site, and have an id of their own (SPEC 14). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

interface Former {
  readonly ledger_chains: { readonly chain: string; readonly seq: number };
  readonly ledger_records: { readonly id: string; readonly site: string };
  readonly ledger_open: { readonly chain: string; readonly site: string };
}

export const oneLedgerChain = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<never>) {
    const tables = db as unknown as Kysely<Former>;
    for (const table of ['ledger_records', 'ledger_open'])
      await db.schema.alterTable(table).addColumn('site', text).execute();
    await db.schema.alterTable('ledger_records').addColumn('own_id', text).execute();
    await db.schema.createIndex('ledger_records_own_id').on('ledger_records').column('own_id').execute();
    await db.schema
      .alterTable('ledger_open')
      .addColumn('seen_at', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
    // The chains of a site were called `site:name`.
    for (const { chain } of await tables.selectFrom('ledger_chains').select('chain').execute()) {
      const site = chain.slice(0, Math.max(0, chain.indexOf(':')));
      if (site === '') continue;
      const records = tables.updateTable('ledger_records').set({ site });
      await records.where('id', '>', `${chain}-`).where('id', '<', `${chain}.`).execute();
      await tables.updateTable('ledger_open').set({ site }).where('chain', '=', chain).execute();
    }
    await tables.deleteFrom('ledger_chains').where('seq', '=', 0).execute();
    await db.schema.alterTable('ledger_open').dropColumn('chain').execute();
    for (const column of ['holder', 'seen_at'])
      await db.schema.alterTable('ledger_chains').dropColumn(column).execute();
  },
});
