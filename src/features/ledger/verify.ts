/** Verifies one chain: names the first record that does not fit, and what was deleted without a record or before its time (SPEC 14). Pure. */
import { type ChainClosing, type ChainHead, type LedgerRecord, recordIdOf } from '../../domain/ledger.ts';
import { emptyHead, hashOf, type ToldDeletion, toldDeletion } from '../../domain/ledger-chain.ts';

export interface Misfit {
  readonly chain: string;
  /** Where the chain is broken. */
  readonly id: string;
  readonly why: string;
}

export interface ChainCheck {
  /** The first misfit ends the check of the records. */
  take(record: LedgerRecord): Misfit | undefined;
  /** A deletion of its records that a record of another chain tells. */
  told(deletion: ToldDeletion): void;
  /** The last record that fits, or the last that was deleted; undefined where one does not fit. */
  last(): Omit<ChainHead, 'chain'> | undefined;
  /** What else is wrong. `head`: as it is behind the last record; undefined where the table of chains has none. */
  end(head: ChainHead | undefined): readonly Misfit[];
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
export function checkChain({ chain, closings, noted, head: before, now }: CheckStart): ChainCheck {
  const closing = closings.filter((one) => one.chain === chain).sort((one, other) => other.seq - one.seq)[0];
  const start: ChainHead = closing ?? emptyHead(chain);
  const expected = new Map(noted.filter((head) => head.chain === chain).map(({ seq, hash }) => [seq, hash]));
  const deletions = watchDeletions(start, now);
  let { seq, hash } = start;
  let isBroken = false;
  const misfit = (at: number, why: string): Misfit => ({ chain, id: recordIdOf({ chain, seq: at }), why });

  const faultOf = (record: LedgerRecord): Misfit | undefined => {
    const next = seq + 1;
    if (record.seq > next) return misfit(next, `is missing: the next one there is ${recordIdOf(record)}`);
    if (record.seq < next) return misfit(record.seq, 'stands twice, or should have been deleted');
    if (hashOf(record, record, hash) !== record.hash)
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
    if (head.seq < seq) return misfit(head.seq + 1, `stands behind ${recordIdOf(head)}, the end of its chain`);
    // What was written since the first record was read is not missing.
    if ((before ?? head).seq > seq) return misfit(seq + 1, `is missing, and all behind it up to ${recordIdOf(head)}`);
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
          : misfit(at, `was noted, and cannot be verified: the records up to ${recordIdOf(start)} were deleted`),
      );
  return {
    take(record) {
      if (isBroken) return undefined;
      const fault = faultOf(record);
      isBroken = fault !== undefined;
      if (fault) return fault;
      ({ seq, hash } = record);
      deletions.take(record);
      return undefined;
    },
    told: deletions.told,
    last: () => (isBroken ? undefined : { seq, hash }),
    end(head) {
      const early = deletions.early().map(({ at, why }) => misfit(at, why));
      const ofRecords = isBroken ? [] : [deletions.isTold() ? undefined : misfit(start.seq, UNTOLD), endFault(head)];
      return [...ofDeleted(), ...ofRecords, ...early].filter((one) => one !== undefined);
    },
  };
}

const UNTOLD =
  'was deleted with all before it, and no record behind it says so: the table of closings was changed, and records were taken out';

/** Looks through a chain for what was deleted: whether a record tells of it, and whether it was before its time (SPEC 14). Pure. */
interface DeletionWatch {
  /** A record that fits. */
  take(record: LedgerRecord): void;
  /** A record of another chain tells of it. */
  told(deletion: ToldDeletion): void;
  /** Whether a record tells that the chain begins where it does. */
  isTold(): boolean;
  /** Records that tell of a deletion before its time, by their numbers. */
  early(): readonly EarlyDeletion[];
}

interface EarlyDeletion {
  readonly at: number;
  readonly why: string;
}

interface Deletion extends ToldDeletion {
  /** The number of the record that tells of it. */
  readonly by: number;
}

/** What is written later has ended at most so long before: by more the clock was ahead when the records were deleted. */
const LATEST_SECONDS = 3600;

/** `start`: the last record that was deleted. `now` is in Unix seconds. */
function watchDeletions(start: ChainHead, now: number): DeletionWatch {
  const early: EarlyDeletion[] = [];
  let isTold = start.seq === 0;
  /** Those whose time nothing has contradicted yet. */
  let open: Deletion[] = [];
  let latest = Number.NEGATIVE_INFINITY;

  const contradict = (time: number, by: string): void => {
    if (time + LATEST_SECONDS >= latest) return;
    for (const deletion of open.filter(({ at }) => time + LATEST_SECONDS < at)) early.push(ahead(deletion, by));
    open = open.filter(({ at }) => time + LATEST_SECONDS >= at);
    latest = Math.max(Number.NEGATIVE_INFINITY, ...open.map(({ at }) => at));
  };
  const told = ({ seq, hash }: ToldDeletion): void => {
    isTold ||= seq === start.seq && hash === start.hash;
  };
  return {
    told,
    take(record) {
      contradict(record.to, `${recordIdOf(record)} behind it ended at ${text(record.to)}`);
      const deletion = toldDeletion(record);
      if (!deletion) return;
      if (deletion.chain === record.chain) told(deletion);
      if (deletion.isEarly) early.push({ at: record.seq, why: `${deleted(deletion)} before their time: ${BY_ITSELF}` });
      else open.push({ ...deletion, by: record.seq });
      latest = Math.max(latest, deletion.isEarly ? latest : deletion.at);
    },
    isTold: () => isTold,
    early() {
      contradict(now, `it is ${text(now)} now`);
      return early;
    },
  };
}

const BY_ITSELF = 'it says itself that they were not as old as ledger.retention';

const ahead = (deletion: Deletion, by: string): EarlyDeletion => ({
  at: deletion.by,
  why: `${deleted(deletion)} before their time: it is of ${text(deletion.at)}, and ${by}, so the clock was ahead`,
});

const deleted = (told: ToldDeletion): string => `tells that the records up to ${recordIdOf(told)} were deleted`;

const LATEST_DATE = 8.64e12;
const text = (at: number): string => (Math.abs(at) > LATEST_DATE ? String(at) : new Date(at * 1000).toISOString());
