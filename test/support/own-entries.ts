/** Entries of the ledger as they are written, each with an id of its own (SPEC 14). */
import { randomUUID } from 'node:crypto';
import type { LedgerBatch, LedgerEntry, OpenSpan } from '../../src/domain/ledger.ts';

export const batchOf = (entries: readonly LedgerEntry[], open: readonly OpenSpan[] = []): LedgerBatch => ({
  ended: entries.map((entry) => ({ id: randomUUID(), entry })),
  open,
});
