/** Rows of the ledger's tables as records, and back (SPEC 14). */
import type {
  LedgerDay,
  LedgerEntry,
  LedgerKind,
  LedgerRecord,
  OpenSpan,
  StoredRecord,
  ViewingKind,
} from '../../domain/ledger.ts';
import { recordIdOf } from '../../domain/ledger.ts';
import type { LedgerDaysTable, LedgerOpenTable, LedgerRecordsTable } from '../engine/tables.ts';

export const asEntry = (row: LedgerOpenTable): LedgerEntry => ({
  kind: row.kind as LedgerKind,
  user: row.user_name,
  credential: row.credential,
  address: row.address,
  camera: row.camera,
  from: row.from_at,
  to: row.to_at,
  watchedFrom: row.watched_from,
  watchedTo: row.watched_to,
  detail: row.detail,
});

export const asOpenSpan = (row: LedgerOpenTable): OpenSpan => ({ id: row.id, ...asEntry(row) });

/** The number is that of the id; not a number where the id has none. */
export const asStored = (row: LedgerRecordsTable): StoredRecord => ({
  id: row.id,
  ...asEntry(row),
  chain: row.chain,
  seq: Number(row.id.slice(row.chain.length + 1)),
  hash: row.hash,
});

export const openRow = (entry: LedgerEntry, id: string, chain: string): LedgerOpenTable => ({
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

export const recordRow = (record: LedgerRecord): LedgerRecordsTable => ({
  ...openRow(record, recordIdOf(record), record.chain),
  hash: record.hash,
});

export const asDay = (row: LedgerDaysTable): LedgerDay => ({
  day: row.day,
  user: row.user_name,
  viewer: row.viewer,
  kind: row.kind as ViewingKind,
  camera: row.camera,
  seconds: row.seconds,
  records: row.records,
  hours: row.hours,
});

export const dayRow = ({ day, user, viewer, kind, camera, seconds, records, hours }: LedgerDay): LedgerDaysTable => ({
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
