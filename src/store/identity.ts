/** The id of a store, and whether anything is kept in it: a new store in the place of a lost one holds nothing yet. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from './engine/tables.ts';

export interface StoreIdentity {
  readonly id: string;
  /** Nobody and nothing is kept in it. */
  readonly isEmpty: boolean;
}

const KEPT = ['users', 'custom_roles', 'api_tokens', 'events', 'ledger_records'] as const;

export async function identityOf(db: Kysely<Tables>): Promise<StoreIdentity> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow();
  for (const table of KEPT) {
    const row = await db.selectFrom(table).select(sql`1`.as('one')).limit(1).executeTakeFirst();
    if (row) return { id, isEmpty: false };
  }
  return { id, isEmpty: true };
}
