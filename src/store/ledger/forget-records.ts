/** Deletes the old end of a chain, and adds a record to the chain that tells of it (SPEC 14). */
import { sql, type Transaction } from 'kysely';
import { type ChainClosing, type Forgetting, recordIdOf, type StoredRecord } from '../../domain/ledger.ts';
import type { Tables } from '../engine/tables.ts';
import { lockedHead, putRecords } from './append-batch.ts';
import { asStored } from './ledger-rows.ts';

/** The most records of one transaction: SQLite writes in the main thread. */
const FORGOTTEN_AT_ONCE = 1000;

/** The closing hash, the record of it and the deletion hold together or not at all. Undefined when nothing is as old. */
export async function forgetSome(
  { chain, before, day, recordOf, isOfDeletion, link }: Forgetting,
  transaction: Transaction<Tables>,
): Promise<ChainClosing | undefined> {
  const head = await lockedHead(chain, undefined, transaction);
  const last = await transaction
    .selectFrom('ledger_closings')
    .select('seq')
    .where('chain', '=', chain)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const over = await oldest(chain, last?.seq ?? 0, before, transaction);
  const end = over.at(-1);
  // Records of deletions are not deleted alone: each time a record of that would take their place.
  if (!end || over.every(isOfDeletion)) return undefined;
  const { seq, hash } = end;
  const closing = { chain, day, seq, hash, records: over.length };
  await transaction
    .insertInto('ledger_closings')
    .values({ id: `${chain}-${day}`, ...closing })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        seq,
        hash,
        records: sql<number>`${ref('ledger_closings.records')} + ${ref('excluded.records')}`,
      })),
    )
    .execute();
  await putRecords(link(head, [recordOf(closing)]), transaction);
  await transaction
    .deleteFrom('ledger_records')
    .where('id', '<=', recordIdOf({ chain, seq }))
    .where('id', '>', `${chain}-`)
    .execute();
  return closing;
}

/** The records that ended before, up to the first that did not. A row without a place in the chain goes with those around it. */
async function oldest(
  chain: string,
  behind: number,
  before: number,
  transaction: Transaction<Tables>,
): Promise<readonly StoredRecord[]> {
  const rows = await transaction
    .selectFrom('ledger_records')
    .selectAll()
    .where('id', '>', recordIdOf({ chain, seq: behind }))
    .where('id', '<', `${chain}.`)
    .orderBy('id')
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  const records = rows.map(asStored).filter((row) => row.id === recordIdOf(row));
  const kept = records.findIndex(({ to }) => to >= before);
  return kept < 0 ? records : records.slice(0, kept);
}
