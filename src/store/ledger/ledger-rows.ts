/** Rows of the ledger's tables as records, and back (SPEC 14). */
import type { LedgerDay, LedgerEntry, LedgerRecord, OpenSpan, StoredRecord } from '../../domain/ledger.ts';
import { recordIdOf } from '../../domain/ledger.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

export function asEntry(row: object): LedgerEntry {
  const { id: _, ...entry } = recordOf('ledger_open', row);
  return entry;
}

/** The number is that of the id; not a number where the id has none. */
export const asStored = (row: Tables['ledger_records']): StoredRecord => ({
  id: row.id,
  ...asEntry(row),
  chain: row.chain,
  seq: Number(row.id.slice(row.chain.length + 1)),
  hash: row.hash,
});

export const openRow = (span: OpenSpan, now: number): Tables['ledger_open'] => ({
  ...rowOf('ledger_open', span),
  seen_at: now,
});

export const recordRow = (record: LedgerRecord, ownId: string): Tables['ledger_records'] => ({
  ...rowOf('ledger_records', { ...record, id: recordIdOf(record) }),
  own_id: ownId,
});

export const dayRow = (sum: LedgerDay): Tables['ledger_days'] => {
  const { day, user, kind, camera, viewer } = sum;
  // The id of a person's is as it was before viewers were told apart.
  const id = JSON.stringify([day, user, kind, camera, ...(viewer === '' ? [] : [viewer])]);
  return { ...rowOf('ledger_days', sum), id };
};
