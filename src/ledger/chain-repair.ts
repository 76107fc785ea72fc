/** A store of the ledger that writes on when somebody changed its tables: what stands in the way is moved out of it (SPEC 14). */
import type { LedgerStore, Mended } from '../domain/ledger.ts';
import { storeFaultOf } from '../domain/store/store-fault.ts';

export type RepairingStore = Pick<LedgerStore, 'append' | 'forgetBefore'>;

/** `onMended` is told what others had changed. */
export function repairingStore(
  store: RepairingStore & Pick<LedgerStore, 'mend'>,
  onMended: (chain: string, mended: Mended) => void,
): RepairingStore {
  const again = async <Done>(chain: string, now: number, work: () => Promise<Done>): Promise<Done> => {
    try {
      return await work();
    } catch (fault) {
      // A store that is away, full or locked refuses whatever stands in it.
      if (storeFaultOf(fault) !== undefined) throw fault;
      const mended = await store.mend(chain, now);
      if (mended.rows === 0 && !mended.isHeadRestored) throw fault;
      onMended(chain, mended);
      return work();
    }
  };
  return {
    append: (chain, batch, days, now, link) => again(chain, now, () => store.append(chain, batch, days, now, link)),
    forgetBefore: (forgetting) => again(forgetting.chain, forgetting.now, () => store.forgetBefore(forgetting)),
  };
}

/** What an operator is told. */
export const repairedSentence = (chain: string, { rows, first, isHeadRestored }: Mended): string =>
  [
    `the tables of the ledger were changed by somebody else, and chain ${chain} could not be written:`,
    ...(isHeadRestored ? ['its head was gone and was made again from its last record;'] : []),
    ...(rows > 0
      ? [`${rows} forged rows stood where the next records belong, from ${first} on, and were moved away;`]
      : []),
    'run "postern ledger verify", and find out who can write the store',
  ].join(' ');
