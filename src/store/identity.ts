/** The id of a store, and whether anything is kept in it: a new store in the place of a lost one holds nothing yet. */
import { type Kysely, sql } from 'kysely';
import { storeFault } from '../domain/store/store-fault.ts';
import type { Tables } from './engine/tables.ts';

export interface StoreIdentity {
  readonly id: string;
  /** Whether it holds no account and no record. */
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

/** The text before the id of a store that `postern store copy` is filling. */
const UNFINISHED = 'unfinished copy ';

/** Marks a store that is not to be put into service, until `markFinished`. */
export async function markUnfinished(db: Kysely<Tables>): Promise<void> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow();
  if (!id.startsWith(UNFINISHED))
    await db
      .updateTable('store_identity')
      .set({ id: `${UNFINISHED}${id}` })
      .execute();
}

export async function markFinished(db: Kysely<Tables>): Promise<void> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow();
  if (id.startsWith(UNFINISHED))
    await db
      .updateTable('store_identity')
      .set({ id: id.slice(UNFINISHED.length) })
      .execute();
}

/** Throws a fault of the store with the next step. `name` is the store's, for messages. */
export async function assertFinished(db: Kysely<Tables>, name: string): Promise<void> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow();
  if (id.startsWith(UNFINISHED))
    throw storeFault(
      'missing',
      `${name} holds half of a copy: "postern store copy" was interrupted. Run it again with --continue, or with --replace to begin anew`,
      undefined,
    );
}
