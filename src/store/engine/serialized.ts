/** Transactions on accounts, one after another whatever the engine: what one reads, no other changes before it commits. */
import type { Kysely, Transaction } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Tables } from './tables.ts';

export type Serialized = <Result>(act: (transaction: Transaction<Tables>) => Promise<Result>) => Promise<Result>;

export const serializedOn =
  (db: Kysely<Tables>, { lockAccounts }: Dialect): Serialized =>
  (act) =>
    db.transaction().execute(async (transaction) => {
      await lockAccounts(transaction);
      return act(transaction);
    });
