/** Verifies all rows of the ledger: each is a record of a chain that fits, or is named (SPEC 14). Pure. */
import type { ChainClosing, ChainHead, StoredRecord } from '../domain/ledger.ts';
import { recordIdOf } from '../domain/ledger.ts';
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
    },
    end(headsNow) {
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

const NO_PLACE = 'has no place in a chain: Postern did not write it there';
