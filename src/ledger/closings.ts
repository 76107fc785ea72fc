/** The record of a deletion: it stands in the chain whose old end was deleted, and says why (SPEC 14). Pure. */
import type { ChainClosing, ChainHead, LedgerEntry } from '../domain/ledger.ts';
import { detailOf } from './detail.ts';

const WHAT = 'ledger-forgotten';
const DAY = 86_400;

/** Why records were deleted. Times are Unix seconds. */
export interface DeletionCause {
  readonly at: number;
  /** Records that ended before were deleted. */
  readonly before: number;
  /** `ledger.retention` at that time. */
  readonly retentionDays: number;
}

export function deletionEntry(
  { chain, seq, hash, day, records }: ChainClosing,
  { at, before, retentionDays }: DeletionCause,
): LedgerEntry {
  const numbers = { seq, records, before, retention: retentionDays };
  const texts = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]));
  return {
    kind: 'change',
    user: null,
    credential: null,
    address: 'configuration',
    camera: null,
    from: at,
    to: at,
    watchedFrom: null,
    watchedTo: null,
    detail: JSON.stringify({ what: WHAT, chain, hash, day, ...texts }),
  };
}

export interface ToldDeletion extends ChainHead {
  /** Unix seconds: when the record says that it was written. */
  readonly at: number;
  /** The record itself says that more was deleted than `ledger.retention` allowed. */
  readonly isEarly: boolean;
}

/** Undefined for every other record. */
export function toldDeletion(entry: LedgerEntry): ToldDeletion | undefined {
  const { kind, detail, from } = entry;
  if (kind !== 'change' || !detail?.includes(WHAT)) return undefined;
  const { what, chain, seq, hash, before, retention } = detailOf(entry);
  if (what !== WHAT || typeof chain !== 'string' || typeof hash !== 'string') return undefined;
  // Records of older versions do not tell the two.
  const isEarly = before !== undefined && !(Number(before) + Number(retention) * DAY <= from);
  return { chain, seq: Number(seq), hash, at: from, isEarly };
}

export const isOfDeletion = (entry: LedgerEntry): boolean => toldDeletion(entry) !== undefined;
