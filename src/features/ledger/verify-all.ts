/** Verifies all rows of the ledger: each is a record of a chain that fits, or is named (SPEC 14). Pure. */
import { type ChainClosing, type ChainHead, chainNumber, recordIdOf, type StoredRecord } from '../../domain/ledger.ts';
import { type ToldDeletion, toldBeginning, toldDeletion } from '../../domain/ledger-chain.ts';
import { type ChainCheck, checkChain, type Misfit } from './verify.ts';

export interface LedgerCheck {
  /** Takes a row; rows come in the order of their ids. */
  take(row: StoredRecord): void;
  /** Ends behind the last row. `heads`: as they are now. */
  end(heads: readonly ChainHead[]): readonly Misfit[];
  /** Rows of a chain so far. */
  recordsOf(chain: string): number;
}

export interface AllStart {
  readonly heads: readonly ChainHead[];
  readonly closings: readonly ChainClosing[];
  readonly noted: readonly ChainHead[];
  /** Unix seconds. */
  readonly now: number;
}

/** Rows that are no records are named one by one, up to so many. */
const MOST_NAMED = 100;

export function checkLedger({ heads, closings, noted, now }: AllStart): LedgerCheck {
  const chains = new Map<string, { readonly check: ChainCheck; records: number }>();
  const misfits: Misfit[] = [];
  /** What the chains of this version tell of others: their ends when the chain began, and what was deleted of them since. */
  const ends: { readonly by: string; readonly head: ChainHead }[] = [];
  const deletions: ToldDeletion[] = [];
  let strays = 0;
  const checkOf = (chain: string) => {
    const known = chains.get(chain);
    if (known) return known;
    const head = heads.find((one) => one.chain === chain);
    const made = { check: checkChain({ chain, closings, noted, head, now }), records: 0 };
    chains.set(chain, made);
    return made;
  };
  for (const { chain } of [...heads, ...closings]) checkOf(chain);
  /** Nothing is written behind it: it is the end of what is there, or all was deleted by a step that told of it. */
  const isKept = (head: ChainHead): boolean => {
    const known = chains.get(head.chain);
    const last = known ? known.check.last() : deletions.findLast(({ chain }) => chain === head.chain);
    return (known && !last) || (last?.seq === head.seq && last.hash === head.hash); // what does not fit is named itself
  };
  return {
    take(row) {
      if (row.id !== recordIdOf(row)) {
        strays += 1;
        if (strays <= MOST_NAMED) misfits.push({ chain: row.chain, id: row.id, why: NO_PLACE });
        return;
      }
      const of = checkOf(row.chain);
      of.records += 1;
      const misfit = of.check.take(row);
      if (misfit) misfits.push(misfit);
      const deletion = misfit || chainNumber(row.chain) === 0 ? undefined : toldDeletion(row);
      if (deletion) deletions.push(deletion);
      for (const head of toldBeginning(row)?.heads ?? []) ends.push({ by: row.id, head });
    },
    end(headsNow) {
      for (const deletion of deletions) chains.get(deletion.chain)?.check.told(deletion);
      for (const { by, head } of ends) if (!isKept(head)) misfits.push(cutOff(head, by));
      const more = strays - MOST_NAMED;
      if (more > 0) misfits.push({ chain: '', id: `and ${more} more`, why: NO_PLACE });
      for (const [chain, { check }] of chains)
        for (const misfit of check.end(headsNow.find((head) => head.chain === chain))) misfits.push(misfit);
      for (const { chain, seq } of noted)
        if (!chains.has(chain) && !headsNow.some((head) => head.chain === chain))
          misfits.push({ chain, id: recordIdOf({ chain, seq }), why: 'was noted, and its chain is not there' });
      return misfits;
    },
    recordsOf: (chain) => chains.get(chain)?.records ?? 0,
  };
}

const cutOff = (head: ChainHead, by: string): Misfit => ({
  chain: head.chain,
  id: recordIdOf(head),
  why: `is not the end of its chain, as ${by} names it`,
});

const NO_PLACE = 'has no place in a chain: Postern did not write it there';
