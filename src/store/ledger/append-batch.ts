/** Adds a batch to a chain, in one transaction: records behind its head, spans that go on, and sums by day (SPEC 14). */
import { sql, type Transaction } from 'kysely';
import type { ChainHead, LedgerBatch, LedgerDay, LedgerRecord, LinkEntries, OpenSpan } from '../../domain/ledger.ts';
import type { Tables } from '../engine/tables.ts';
import { dayRow, openRow, recordRow } from './ledger-rows.ts';

export interface Addition {
  readonly chain: string;
  readonly batch: LedgerBatch;
  readonly days: readonly LedgerDay[];
  readonly now: number;
  readonly link: LinkEntries;
}

/** SQLite takes 32,766 values in a statement. */
const ROWS_AT_ONCE = 200;

export async function appendBatch(
  { chain, batch: { ended, open }, days, now, link }: Addition,
  transaction: Transaction<Tables>,
): Promise<readonly LedgerRecord[]> {
  const head = await lockedHead(chain, now, transaction);
  const records = link(
    head,
    ended.map(({ entry }) => entry),
  );
  await putRecords(records, transaction);
  const over = ended.flatMap(({ span }) => (span === undefined ? [] : [span]));
  for (const ids of chunks(over, ROWS_AT_ONCE))
    await transaction.deleteFrom('ledger_open').where('id', 'in', ids).execute();
  for (const spans of chunks(open, ROWS_AT_ONCE)) await putOpen(chain, spans, transaction);
  await addDays(days, transaction);
  return records;
}

/**
 * The row is locked until the transaction ends: two processes that write one chain take turns, and it stays whole.
 * `seenAt`: the chain is being written at this time; undefined for who does not write it.
 */
export async function lockedHead(
  chain: string,
  seenAt: number | undefined,
  transaction: Transaction<Tables>,
): Promise<ChainHead> {
  const change = seenAt === undefined ? { chain } : { seen_at: seenAt };
  const update = transaction.updateTable('ledger_chains').set(change).where('chain', '=', chain);
  return update.returning(['chain', 'seq', 'hash']).executeTakeFirstOrThrow();
}

/** Records of one chain, behind its head. */
export async function putRecords(records: readonly LedgerRecord[], transaction: Transaction<Tables>): Promise<void> {
  for (const rows of chunks(records.map(recordRow), ROWS_AT_ONCE))
    await transaction.insertInto('ledger_records').values(rows).execute();
  const last = records.at(-1);
  if (!last) return;
  const { chain, seq, hash } = last;
  await transaction.updateTable('ledger_chains').set({ seq, hash }).where('chain', '=', chain).execute();
}

async function putOpen(chain: string, spans: readonly OpenSpan[], transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto('ledger_open')
    .values(spans.map((span) => openRow(span, span.id, chain)))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        from_at: ref('excluded.from_at'),
        to_at: ref('excluded.to_at'),
        watched_from: ref('excluded.watched_from'),
        watched_to: ref('excluded.watched_to'),
        detail: ref('excluded.detail'),
      })),
    )
    .execute();
}

/**
 * Adds days in the order of their ids, so that two replicas that add to the same days do not wait for each other in a circle.
 */
async function addDays(days: readonly LedgerDay[], transaction: Transaction<Tables>): Promise<void> {
  const rows = days.map(dayRow).sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const some of chunks(rows, ROWS_AT_ONCE)) {
    await transaction
      .insertInto('ledger_days')
      .values(some)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(({ ref }) => ({
          seconds: sql<number>`${ref('ledger_days.seconds')} + ${ref('excluded.seconds')}`,
          records: sql<number>`${ref('ledger_days.records')} + ${ref('excluded.records')}`,
          hours: sql<number>`${ref('ledger_days.hours')} | ${ref('excluded.hours')}`,
        })),
      )
      .execute();
  }
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
