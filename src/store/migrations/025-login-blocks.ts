/** Migration 25: who must wait at the login, for the status page and the command line. `names` is the JSON of a list. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';

export const loginBlocks = ({ text }: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('login_blocks')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('names', text, (column) => column.notNull())
      .addColumn('since', 'double precision', (column) => column.notNull())
      .addColumn('until', 'double precision', (column) => column.notNull())
      .addColumn('shared_window', text)
      .addColumn('is_open', 'integer', (column) => column.notNull())
      .addColumn('lifted_at', 'double precision')
      .execute();
  },
});
