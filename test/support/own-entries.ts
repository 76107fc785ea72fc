/** Entries of the ledger: one by ann, and entries as they are written, each with an id of its own (SPEC 14). */
import { randomUUID } from 'node:crypto';
import type { LedgerBatch, LedgerEntry, OwnEntry } from '../../src/features/ledger/records.ts';

export const batchOf = (entries: readonly LedgerEntry[], open: readonly OwnEntry[] = []): LedgerBatch => ({
  ended: entries.map((entry) => ({ id: randomUUID(), ...entry })),
  open,
});

/** A live viewing of five seconds by ann. */
export const liveAt = (from: number, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  kind: 'live',
  user: 'ann',
  credential: 'session',
  address: '192.0.2.1',
  camera: 'porch',
  from,
  to: from + 5,
  watchedFrom: null,
  watchedTo: null,
  detail: null,
  ...change,
});
