/** The hash chain: each record's hash is over its own fields and the hash of the record before (SPEC 14). Pure. */
import { createHash } from 'node:crypto';
import type { ChainHead, LedgerEntry, LedgerRecord } from '../domain/ledger.ts';

/** Raised when the fields of a record change, so that older records are still verified as they were written. */
const FORM = 1;

/** The hash before the first record of a chain. */
export const NO_HASH = '0'.repeat(64);

export const emptyHead = (chain: string): ChainHead => ({ chain, seq: 0, hash: NO_HASH });

/** The text that is hashed: a JSON array without blanks. A program that has the record and the hash before can check it by hand. */
export const canonicalText = (entry: LedgerEntry, { chain, seq }: Omit<ChainHead, 'hash'>, before: string): string =>
  JSON.stringify([
    FORM,
    chain,
    seq,
    before,
    entry.kind,
    entry.user,
    entry.credential,
    entry.address,
    entry.camera,
    entry.from,
    entry.to,
    entry.watchedFrom,
    entry.watchedTo,
    entry.detail,
  ]);

export const hashOf = (entry: LedgerEntry, place: Omit<ChainHead, 'hash'>, before: string): string =>
  createHash('sha256')
    .update(canonicalText(entry, place, before))
    .digest('hex');

/** The entries as records behind the head, in their order. */
export function linkEntries(head: ChainHead, entries: readonly LedgerEntry[]): readonly LedgerRecord[] {
  let { seq, hash } = head;
  return entries.map((entry) => {
    seq += 1;
    const place = { chain: head.chain, seq };
    hash = hashOf(entry, place, hash);
    return { ...entry, ...place, hash };
  });
}
