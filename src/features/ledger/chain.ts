/** The hash chain: each record's hash is over its own fields and the hash of the record before; and the records that tell of a chain (SPEC 14). */
import { createHash } from 'node:crypto';
import {
  type ChainClosing,
  type ChainHead,
  chainNamed,
  chainNumber,
  type Forgetting,
  type LedgerEntry,
  type LedgerRecord,
  ownAct,
  readDetail,
} from './records.ts';
import { hashedParts } from './tables.ts';

/** The hash before the first record of a chain. */
export const NO_HASH = '0'.repeat(64);

export const emptyHead = (chain: string): ChainHead => ({ chain, seq: 0, hash: NO_HASH });

/**
 * The text that is hashed: a JSON array without blanks. A program that has the record and the hash before can check it by hand.
 * The first number is its form: chains of former versions have form 1.
 */
export function canonicalText(entry: LedgerEntry, { chain, seq }: Omit<ChainHead, 'hash'>, before: string): string {
  const isFormer = chainNumber(chain) === 0;
  return JSON.stringify([isFormer ? 1 : 2, chain, seq, before, ...hashedParts(entry, isFormer)]);
}

export const hashEntry = (entry: LedgerEntry, place: Omit<ChainHead, 'hash'>, before: string): string =>
  createHash('sha256')
    .update(canonicalText(entry, place, before))
    .digest('hex');

/** The entries as records behind the head, in their order. */
export function linkEntries(head: ChainHead, entries: readonly LedgerEntry[]): readonly LedgerRecord[] {
  let { seq, hash } = head;
  return entries.map((entry) => {
    seq += 1;
    const place = { chain: head.chain, seq };
    hash = hashEntry(entry, place, hash);
    return { ...entry, ...place, hash };
  });
}

const FORGOTTEN = 'ledger-forgotten';
const BEGUN = 'ledger-begun';
const DAY = 86_400;

/** The record of a deletion, which says why: a deletion that no record tells is a forgery. */
export function deletionEntry(
  { chain, seq, hash, day, records }: ChainClosing,
  { at, before, retentionDays }: Forgetting,
): LedgerEntry {
  const numbers = { seq, records, before, retention: retentionDays };
  const texts = Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]));
  return ownAct(at, { what: FORGOTTEN, chain, hash, day, ...texts }, 'configuration');
}

export type ToldDeletion = NonNullable<ReturnType<typeof toldDeletion>>;

/**
 * Undefined for every other record. `at`: Unix seconds, when the record says that it was written. `isEarly`: the record itself says
 * that more was deleted than `ledger.retention` allowed.
 */
export function toldDeletion(entry: LedgerEntry) {
  const { kind, detail, from } = entry;
  if (kind !== 'change' || !detail?.includes(FORGOTTEN)) return undefined;
  const { what, chain, seq, hash, before, retention } = readDetail(entry);
  if (what !== FORGOTTEN || typeof chain !== 'string' || typeof hash !== 'string') return undefined;
  // Records of older versions do not tell the two.
  const isEarly = before !== undefined && !(Number(before) + Number(retention) * DAY <= from);
  return { chain, seq: Number(seq), hash, at: from, isEarly };
}

/** The first record of a chain behind others: it names their heads, and the one that does not fit any more. */
export function beginningEntry(chain: string, others: readonly ChainHead[], at: number): LedgerEntry {
  const misfit = chainNumber(chain) > 1 ? { misfit: chainNamed(chainNumber(chain) - 1) } : {};
  return ownAct(at, { what: BEGUN, ...misfit, heads: others.map(headText).join(' ') }, 'configuration');
}

/** `store1:42:8c1f…` */
export const headText = ({ chain, seq, hash }: ChainHead): string => `${chain}:${seq}:${hash}`;

const HEAD = /^(?<chain>[\w.:-]{1,96}):(?<seq>\d{1,12}):(?<hash>[0-9a-f]{64})$/;

export function readHead(text: string): ChainHead | undefined {
  const { chain, seq, hash } = HEAD.exec(text)?.groups ?? {};
  return chain === undefined || hash === undefined ? undefined : { chain, seq: Number(seq), hash };
}

/** Undefined for every other record. */
export function toldBeginning({ seq, chain, ...entry }: LedgerRecord) {
  const { what, misfit, heads } = seq === 1 && chainNumber(chain) > 0 ? readDetail(entry) : {};
  if (what !== BEGUN || typeof heads !== 'string') return undefined;
  return {
    heads: heads.split(' ').flatMap((text) => readHead(text) ?? []),
    /** The chain that does not fit any more, where that is the reason. */
    misfit: typeof misfit === 'string' ? misfit : undefined,
  };
}

/** What an operator is told of new records: a chain did not fit, and another one begins with them. */
export const misfitSentences = (written: readonly LedgerRecord[]): readonly string[] =>
  written.flatMap((record) => {
    const misfit = toldBeginning(record)?.misfit;
    return misfit === undefined
      ? []
      : [
          `the tables of the ledger were changed from outside: chain ${misfit} does not fit, and ${record.chain} was begun behind it; run "postern ledger verify", and find out who can write the store`,
        ];
  });
