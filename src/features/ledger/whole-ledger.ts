/** Opens the ledger for the command line: to verify it, and to write it out. It is only read. */
import { openStoreReadOnly } from '../../accounts/sites/own-store.ts';
import { type CommandPlace, loadConfig } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { CSV_HEAD, csvLine, recordJson } from './ledger-query.ts';
import { ledgerPart } from './ledger-store.ts';
import type { ChainClosing, ChainHead, StoredRecord } from './records.ts';
import { checkLedger } from './verify.ts';

/** Is told how many records are done, of how many. */
type ReportProgress = (done: number, total: number) => void;

export type LedgerCommand = Awaited<ReturnType<typeof openForLedger>>;

const AT_ONCE = 1000;

/** Rejects with a sentence when there is no store. */
export async function openForLedger(place: CommandPlace) {
  const config = await loadConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'invalid') throw new Error(formatProblems(config.file, config.problems));
  const store = await openStoreReadOnly(config.settings);
  if (!store)
    throw new Error(`there is no store in ${place.directory}: name the directory of the service with --config-dir`);
  const ledger = store.part(ledgerPart);

  async function* allRows(): AsyncGenerator<StoredRecord> {
    for (let behind = ''; ; ) {
      const rows = await ledger.rows(behind, AT_ONCE);
      yield* rows;
      if (rows.length < AT_ONCE) return;
      behind = rows.at(-1)?.id ?? '';
    }
  }
  /** Undefined: records were deleted meanwhile, so that what was read does not belong together. */
  const verifyOnce = async (noted: readonly ChainHead[], report: ReportProgress) => {
    const [heads, closings] = [await ledger.heads(), await ledger.closings()];
    const total = countRecords(heads, closings);
    const check = checkLedger({ heads, closings, noted, now: place.clock.now() / 1000 });
    let done = 0;
    for await (const row of allRows()) {
      check.take(row);
      done += 1;
      report(Math.min(done, total), total);
    }
    const misfits = check.end(await ledger.heads());
    if (misfits.length > 0 && JSON.stringify(await ledger.closings()) !== JSON.stringify(closings)) return undefined;
    const chains = heads.map((head) => ({
      ...head,
      records: check.recordsOf(head.chain),
      forgotten: countDeleted(head.chain, closings),
    }));
    return { chains, misfits };
  };
  return {
    /** `noted`: heads from the log. */
    async verify(noted: readonly ChainHead[], report: ReportProgress) {
      for (;;) {
        const found = await verifyOnce(noted, report);
        if (found) return found;
      }
    },
    /** Writes the records in the order of each chain, without open spans. */
    async export(
      format: 'ndjson' | 'csv',
      write: (text: string) => Promise<unknown>,
      report: ReportProgress,
    ): Promise<number> {
      const total = countRecords(await ledger.heads(), await ledger.closings());
      let done = 0;
      if (format === 'csv') await write(CSV_HEAD);
      for await (const row of allRows()) {
        await write(format === 'csv' ? csvLine(row) : `${JSON.stringify(recordJson(row))}\n`);
        done += 1;
        report(Math.min(done, total), total);
      }
      return done;
    },
    close: store.close,
  };
}

const countDeleted = (chain: string, closings: readonly ChainClosing[]): number =>
  Math.max(0, ...closings.filter((closing) => closing.chain === chain).map(({ seq }) => seq));

const countRecords = (heads: readonly ChainHead[], closings: readonly ChainClosing[]): number =>
  heads.reduce((sum, { chain, seq }) => sum + seq - countDeleted(chain, closings), 0);
