/** Verifies a chain: names the first record that does not fit (SPEC 14). Pure. */
import type { ChainClosing, ChainHead, LedgerRecord } from '../domain/ledger.ts';
import { recordIdOf } from '../domain/ledger.ts';
import { emptyHead, hashOf } from './chain.ts';

export interface Misfit {
  readonly chain: string;
  /** Where the chain is broken. */
  readonly id: string;
  readonly why: string;
}

export interface ChainCheck {
  /** The first misfit ends the check. */
  take(record: LedgerRecord): Misfit | undefined;
  /** Behind the last record. `known`: heads that were noted elsewhere, such as in the log. */
  end(head: ChainHead): Misfit | undefined;
}

export interface CheckStart {
  readonly chain: string;
  readonly closings: readonly ChainClosing[];
  /** Heads that were noted elsewhere, such as the daily ones of the log. */
  readonly noted: readonly ChainHead[];
}

/** Records are taken in the order of their numbers, from the first that is kept. */
export function checkChain({ chain, closings, noted }: CheckStart): ChainCheck {
  const forgotten = closings.filter((closing) => closing.chain === chain).sort((one, other) => other.seq - one.seq)[0];
  const start: ChainHead = forgotten ?? emptyHead(chain);
  const expected = new Map(noted.filter((head) => head.chain === chain).map(({ seq, hash }) => [seq, hash]));
  let { seq, hash } = start;
  const misfit = (at: number, why: string): Misfit => ({ chain, id: recordIdOf({ chain, seq: at }), why });
  return {
    take(record) {
      const next = seq + 1;
      if (record.seq > next) return misfit(next, `is missing: the next one there is ${recordIdOf(record)}`);
      if (record.seq < next) return misfit(record.seq, 'stands twice, or should have been forgotten');
      if (hashOf(record, record, hash) !== record.hash)
        return misfit(next, 'does not fit its hash and the record before: it was changed, or the one before was');
      const asNoted = expected.get(next);
      if (asNoted !== undefined && asNoted !== record.hash)
        return misfit(next, `has another hash than was noted (${asNoted}): the chain was written anew`);
      seq = next;
      hash = record.hash;
      return undefined;
    },
    end(head) {
      if (head.seq > seq) return misfit(seq + 1, `is missing, and all behind it up to ${recordIdOf(head)}`);
      if (head.seq < seq || head.hash !== hash) return misfit(seq, 'is not the end that the table of chains names');
      const later = [...expected.keys()].filter((at) => at > seq).sort((one, other) => one - other)[0];
      return later === undefined ? undefined : misfit(later, 'was noted and is missing: the end of the chain was cut');
    },
  };
}
