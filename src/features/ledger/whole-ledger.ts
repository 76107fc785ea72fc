/** The whole ledger for the command line, only read: written out; and verified: the first record of each chain that does not fit is named, rows without a place, and what was deleted without a record or before its time (SPEC 14). */
import { openStoreReadOnly } from '../../accounts/store/own-store.ts';
import { type CommandPlace, loadConfig } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { emptyHead, hashEntry, type ToldDeletion, toldBeginning, toldDeletion } from './chain.ts';
import { CSV_HEAD, csvLine, recordJson } from './ledger-query.ts';
import { ledgerPart } from './ledger-store.ts';
import {
  type ChainClosing,
  type ChainHead,
  chainNumber,
  type LedgerRecord,
  recordId,
  type StoredRecord,
} from './records.ts';

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

export interface Misfit {
  readonly chain: string;
  /** Where the chain is broken. */
  readonly id: string;
  readonly why: string;
}

export interface CheckStart {
  readonly chain: string;
  readonly closings: readonly ChainClosing[];
  /** Heads that were noted elsewhere, such as the daily ones of the log. */
  readonly noted: readonly ChainHead[];
  /** The head before the first record was read, where records are written meanwhile. */
  readonly head?: ChainHead | undefined;
  /** Unix seconds. */
  readonly now: number;
}

/** Records are taken in the order of their numbers, from the first that is kept. */
export function checkChain({ chain, closings, noted, head: before, now }: CheckStart) {
  const closing = closings.filter((one) => one.chain === chain).sort((one, other) => other.seq - one.seq)[0];
  const start: ChainHead = closing ?? emptyHead(chain);
  const expected = new Map(noted.filter((head) => head.chain === chain).map(({ seq, hash }) => [seq, hash]));
  let { seq, hash } = start;
  let isBroken = false;
  const misfit = (at: number, why: string): Misfit => ({ chain, id: recordId({ chain, seq: at }), why });
  const deletions = watchDeletions(start, now, misfit);

  const faultOf = (record: LedgerRecord): Misfit | undefined => {
    const next = seq + 1;
    if (record.seq > next) return misfit(next, `is missing: the next one there is ${recordId(record)}`);
    if (record.seq < next) return misfit(record.seq, 'stands twice, or should have been deleted');
    if (hashEntry(record, record, hash) !== record.hash)
      return misfit(next, 'does not fit its hash and the record before: it was changed, or the one before was');
    if (before?.seq === next && before.hash !== record.hash)
      return misfit(next, 'is not the end that the table of chains names');
    return hasOtherHash(next, record.hash);
  };
  const hasOtherHash = (at: number, found: string): Misfit | undefined => {
    const asNoted = expected.get(at);
    if (asNoted === undefined || asNoted === found) return undefined;
    return misfit(at, `has another hash than was noted (${asNoted}): the chain was written anew`);
  };
  const endFault = (head: ChainHead | undefined): Misfit | undefined => {
    if (!head) return misfit(start.seq + 1, 'and all behind it stand in no chain that the table of chains names');
    if (head.seq < seq) return misfit(head.seq + 1, `stands behind ${recordId(head)}, the end of its chain`);
    // What was written since the first record was read is not missing.
    if ((before ?? head).seq > seq) return misfit(seq + 1, `is missing, and all behind it up to ${recordId(head)}`);
    if (head.seq === seq && head.hash !== hash) return misfit(seq, 'is not the end that the table of chains names');
    const later = [...expected.keys()].filter((at) => at > head.seq).sort((one, other) => one - other)[0];
    return later === undefined ? undefined : misfit(later, 'was noted and is missing: the end of the chain was cut');
  };
  const ofDeleted = (): (Misfit | undefined)[] =>
    [...expected.keys()]
      .filter((at) => at <= start.seq && at > 0)
      .map((at) =>
        at === start.seq
          ? hasOtherHash(at, start.hash)
          : misfit(at, `was noted, and cannot be verified: the records up to ${recordId(start)} were deleted`),
      );
  return {
    /** The first misfit ends the check of the records. */
    take(record: LedgerRecord): Misfit | undefined {
      if (isBroken) return undefined;
      const fault = faultOf(record);
      isBroken = fault !== undefined;
      if (fault) return fault;
      ({ seq, hash } = record);
      deletions.take(record);
      return undefined;
    },
    /** A deletion of its records that a record of another chain tells. */
    told: deletions.told,
    /** The last record that fits, or the last that was deleted; undefined where one does not fit. */
    last: (): Omit<ChainHead, 'chain'> | undefined => (isBroken ? undefined : { seq, hash }),
    /** What else is wrong. `head`: as it is behind the last record; undefined where the table of chains has none. */
    end(head: ChainHead | undefined): readonly Misfit[] {
      const ofRecords = isBroken ? [] : [deletions.isTold() ? undefined : misfit(start.seq, UNTOLD), endFault(head)];
      return [...ofDeleted(), ...ofRecords, ...deletions.early()].filter((one) => one !== undefined);
    },
  };
}

const UNTOLD =
  'was deleted with all before it, and no record behind it says so: the table of closings was changed, and records were taken out';

interface Deletion extends ToldDeletion {
  /** The number of the record that tells of it. */
  readonly by: number;
}

/** What is written later has ended at most so long before: by more the clock was ahead when the records were deleted. */
const LATEST_SECONDS = 3600;

/**
 * Looks through a chain for what was deleted: whether a record tells of it, and whether it was before its time. `start`: the
 * last record that was deleted. `now` is in Unix seconds.
 */
function watchDeletions(start: ChainHead, now: number, misfit: (at: number, why: string) => Misfit) {
  const early: Misfit[] = [];
  let isTold = start.seq === 0;
  /** Those whose time nothing has contradicted yet. */
  let open: Deletion[] = [];
  let latest = Number.NEGATIVE_INFINITY;

  const contradict = (time: number, by: string): void => {
    if (time + LATEST_SECONDS >= latest) return;
    for (const deletion of open.filter(({ at }) => time + LATEST_SECONDS < at))
      early.push(misfit(deletion.by, ahead(deletion, by)));
    open = open.filter(({ at }) => time + LATEST_SECONDS >= at);
    latest = Math.max(Number.NEGATIVE_INFINITY, ...open.map(({ at }) => at));
  };
  const told = ({ seq, hash }: ToldDeletion): void => {
    isTold ||= seq === start.seq && hash === start.hash;
  };
  return {
    /** A record of another chain tells of it. */
    told,
    /** A record that fits. */
    take(record: LedgerRecord): void {
      contradict(record.to, `${recordId(record)} behind it ended at ${text(record.to)}`);
      const deletion = toldDeletion(record);
      if (!deletion) return;
      if (deletion.chain === record.chain) told(deletion);
      if (deletion.isEarly) early.push(misfit(record.seq, `${deleted(deletion)} before their time: ${BY_ITSELF}`));
      else open.push({ ...deletion, by: record.seq });
      latest = Math.max(latest, deletion.isEarly ? latest : deletion.at);
    },
    /** Whether a record tells that the chain begins where it does. */
    isTold: () => isTold,
    /** Records that tell of a deletion before its time, by their numbers. */
    early(): readonly Misfit[] {
      contradict(now, `it is ${text(now)} now`);
      return early;
    },
  };
}

const BY_ITSELF = 'it says itself that they were not as old as ledger.retention';

const ahead = (deletion: Deletion, by: string): string =>
  `${deleted(deletion)} before their time: it is of ${text(deletion.at)}, and ${by}, so the clock was ahead`;

const deleted = (told: ToldDeletion): string => `tells that the records up to ${recordId(told)} were deleted`;

const LATEST_DATE = 8.64e12;
const text = (at: number): string => (Math.abs(at) > LATEST_DATE ? String(at) : new Date(at * 1000).toISOString());

/** Rows that are no records are named one by one, up to so many. */
const MOST_NAMED = 100;

/** Checks all rows of the ledger: each is a record of a chain that fits, or is named. */
export function checkLedger({
  heads,
  closings,
  noted,
  now,
}: Omit<CheckStart, 'chain' | 'head'> & { readonly heads: readonly ChainHead[] }) {
  const chains = new Map<string, { readonly check: ReturnType<typeof checkChain>; records: number }>();
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
    /** Takes a row; rows come in the order of their ids. */
    take(row: StoredRecord): void {
      if (row.id !== recordId(row)) {
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
    /** Ends behind the last row. `headsNow`: as they are then. */
    end(headsNow: readonly ChainHead[]): readonly Misfit[] {
      for (const deletion of deletions) chains.get(deletion.chain)?.check.told(deletion);
      for (const { by, head } of ends) if (!isKept(head)) misfits.push(cutOff(head, by));
      const more = strays - MOST_NAMED;
      if (more > 0) misfits.push({ chain: '', id: `and ${more} more`, why: NO_PLACE });
      for (const [chain, { check }] of chains)
        for (const misfit of check.end(headsNow.find((head) => head.chain === chain))) misfits.push(misfit);
      for (const { chain, seq } of noted)
        if (!chains.has(chain) && !headsNow.some((head) => head.chain === chain))
          misfits.push({ chain, id: recordId({ chain, seq }), why: 'was noted, and its chain is not there' });
      return misfits;
    },
    /** Rows of a chain so far. */
    recordsOf: (chain: string): number => chains.get(chain)?.records ?? 0,
  };
}

const cutOff = (head: ChainHead, by: string): Misfit => ({
  chain: head.chain,
  id: recordId(head),
  why: `is not the end of its chain, as ${by} names it`,
});

const NO_PLACE = 'has no place in a chain: Postern did not write it there';
