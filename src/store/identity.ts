/** The id of a store, and whether anything is kept in it: a new store in the place of a lost one holds nothing yet. */
import type { Kysely } from 'kysely';
import { storeFault } from '../domain/store/store-fault.ts';
import { findRecord, hasRow, updateRows } from './engine/rows.ts';
import { type Tables, tablesWhere } from './engine/tables.ts';

async function readId(db: Kysely<Tables>): Promise<string> {
  const identity = await findRecord(db, 'store_identity', {});
  if (!identity) throw new Error('the table store_identity of the store is empty: restore a backup');
  return identity.id;
}

/** `isEmpty`: it holds no account and no record. */
export async function readIdentity(db: Kysely<Tables>) {
  let isEmpty = true;
  for (const [table] of tablesWhere(({ isKept }) => isKept)) isEmpty &&= !(await hasRow(db, table, {}));
  return { id: await readId(db), isEmpty };
}

/** The text before the id of a store that `postern store copy` is filling. */
const UNFINISHED = 'unfinished copy ';

/** Marks a store that is not to be put into service, until `markFinished`. */
export async function markUnfinished(db: Kysely<Tables>): Promise<void> {
  const id = await readId(db);
  if (!id.startsWith(UNFINISHED)) await updateRows(db, 'store_identity', {}, { id: `${UNFINISHED}${id}` });
}

export async function markFinished(db: Kysely<Tables>): Promise<void> {
  const id = await readId(db);
  if (id.startsWith(UNFINISHED)) await updateRows(db, 'store_identity', {}, { id: id.slice(UNFINISHED.length) });
}

/** Throws a fault of the store with the next step. `name` is the store's, for messages. */
export async function assertFinished(db: Kysely<Tables>, name: string): Promise<void> {
  if (!(await readId(db)).startsWith(UNFINISHED)) return;
  const message = `${name} holds half of a copy: "postern store copy" was interrupted. Run it again with --continue, or with --replace to begin anew`;
  throw storeFault('missing', message);
}
