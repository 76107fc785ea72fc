/** Opens the ledger for the command line: to verify it, and to write it out. It is only read. */
import { loadConfig } from '../../config/load-config.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import type { ChainHead, ListedRecord } from '../../domain/ledger.ts';
import { recordIdOf } from '../../domain/ledger.ts';
import { CSV_HEAD, csvLine, shownRecord } from '../../ledger/shown-record.ts';
import { checkChain, type Misfit } from '../../ledger/verify.ts';
import type { CommandPlace } from './commands.ts';
import { storeBeside } from './explain.ts';

export interface LedgerReport {
  readonly chains: readonly (ChainHead & { readonly records: number; readonly forgotten: number })[];
  readonly misfits: readonly Misfit[];
}

export interface LedgerCommand {
  /** `noted`: heads from the log. `report` is told how many records are done, of how many. */
  verify(noted: readonly ChainHead[], report: (done: number, total: number) => void): Promise<LedgerReport>;
  /** In the order of each chain, without what still goes on. */
  export(
    format: 'ndjson' | 'csv',
    write: (text: string) => Promise<unknown>,
    report: (done: number, total: number) => void,
  ): Promise<number>;
  close(): Promise<void>;
}

const AT_ONCE = 1000;

/** Rejects with a sentence when there is no store. */
export async function openForLedger(place: CommandPlace): Promise<LedgerCommand> {
  const config = await loadConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'invalid')
    throw new Error(config.problems.map((problem) => formatProblem(config.file, problem)).join('\n'));
  const store = await storeBeside(config.settings);
  if (!store)
    throw new Error(`there is no store in ${place.directory}: name the directory of the service with --config-dir`);
  const { ledger } = store;

  const forgottenOf = async (chain: string): Promise<number> =>
    (await ledger.closings())
      .filter((closing) => closing.chain === chain)
      .reduce((most, { seq }) => Math.max(most, seq), 0);
  const totalOf = async (heads: readonly ChainHead[]): Promise<number> => {
    let total = 0;
    for (const { chain, seq } of heads) total += seq - (await forgottenOf(chain));
    return total;
  };
  async function* recordsOf(head: ChainHead) {
    let last = await forgottenOf(head.chain);
    // What is written meanwhile is not read: the head would not fit.
    while (last < head.seq) {
      const found = (await ledger.records(head.chain, last, AT_ONCE)).filter(({ seq }) => seq <= head.seq);
      yield* found;
      const end = found.at(-1);
      if (!end) return;
      last = end.seq;
    }
  }
  return {
    async verify(noted, report) {
      const heads = await ledger.heads();
      const [closings, total] = [await ledger.closings(), await totalOf(heads)];
      const misfits: Misfit[] = [];
      const chains: LedgerReport['chains'][number][] = [];
      let done = 0;
      for (const head of heads) {
        const check = checkChain({ chain: head.chain, closings, noted });
        const before = done;
        let misfit: Misfit | undefined;
        for await (const record of recordsOf(head)) {
          misfit = check.take(record);
          if (misfit) break;
          done += 1;
          report(done, total);
        }
        misfit ??= check.end(head);
        if (misfit) misfits.push(misfit);
        chains.push({ ...head, records: done - before, forgotten: await forgottenOf(head.chain) });
      }
      const unknown = noted.filter(({ chain }) => !heads.some((head) => head.chain === chain));
      for (const { chain, seq } of unknown)
        misfits.push({ chain, id: recordIdOf({ chain, seq }), why: 'was noted, and its chain is not there' });
      return { chains, misfits };
    },
    async export(format, write, report) {
      const heads = await ledger.heads();
      const total = await totalOf(heads);
      let done = 0;
      if (format === 'csv') await write(CSV_HEAD);
      for (const head of heads) {
        for await (const record of recordsOf(head)) {
          const listed: ListedRecord = { ...record, id: recordIdOf(record) };
          await write(format === 'csv' ? csvLine(listed) : `${JSON.stringify(shownRecord(listed))}\n`);
          done += 1;
          report(done, total);
        }
      }
      return done;
    },
    close: store.close,
  };
}
