/** Looks through a chain for what was deleted: whether a record tells of it, and whether it was before its time (SPEC 14). Pure. */
import type { ChainHead, LedgerRecord } from '../../domain/ledger.ts';
import { recordIdOf } from '../../domain/ledger.ts';
import { type ToldDeletion, toldDeletion } from '../../domain/ledger-chain.ts';

export interface DeletionWatch {
  /** A record that fits. */
  take(record: LedgerRecord): void;
  /** A record of another chain tells of it. */
  told(deletion: ToldDeletion): void;
  /** Whether a record tells that the chain begins where it does. */
  isTold(): boolean;
  /** Records that tell of a deletion before its time, by their numbers. */
  early(): readonly EarlyDeletion[];
}

export interface EarlyDeletion {
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
export function watchDeletions(start: ChainHead, now: number): DeletionWatch {
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
