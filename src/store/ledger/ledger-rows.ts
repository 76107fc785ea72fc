/** Rows of the ledger's tables as records, and back (SPEC 14). */
import type { LedgerDay, LedgerEntry, LedgerRecord, OpenSpan, StoredRecord } from '../../domain/ledger.ts';
import { recordIdOf } from '../../domain/ledger.ts';
import { recordOf, type Tables } from '../engine/tables.ts';

export const asEntry = (row: object): LedgerEntry => {
  const { id: _, chain: __, ...entry } = recordOf('ledger_open', row);
  return entry as LedgerEntry;
};

export const asOpenSpan = (row: Tables['ledger_open']): OpenSpan => ({ id: row.id, ...asEntry(row) });

/** The number is that of the id; not a number where the id has none. */
export const asStored = (row: Tables['ledger_records']): StoredRecord => ({
  id: row.id,
  ...asEntry(row),
  chain: row.chain,
  seq: Number(row.id.slice(row.chain.length + 1)),
  hash: row.hash,
});

export const openRow = (entry: LedgerEntry, id: string, chain: string): Tables['ledger_open'] => ({
  id,
  chain,
  kind: entry.kind,
  user_name: entry.user,
  credential: entry.credential,
  address: entry.address,
  camera: entry.camera,
  from_at: entry.from,
  to_at: entry.to,
  watched_from: entry.watchedFrom,
  watched_to: entry.watchedTo,
  detail: entry.detail,
});

export const recordRow = (record: LedgerRecord): Tables['ledger_records'] => ({
  ...openRow(record, recordIdOf(record), record.chain),
  hash: record.hash,
});

export const asDay = (row: object): LedgerDay => recordOf('ledger_days', row) as LedgerDay;

export const dayRow = ({
  day,
  user,
  viewer,
  kind,
  camera,
  seconds,
  records,
  hours,
}: LedgerDay): Tables['ledger_days'] => ({
  // Of a person as it was before viewers were told apart.
  id: JSON.stringify([day, user, kind, camera, ...(viewer === '' ? [] : [viewer])]),
  day,
  user_name: user,
  viewer,
  kind,
  camera,
  seconds,
  records,
  hours,
});
