/** Looks through a chain for what was deleted of it: whether a record tells of it, and whether it was before its time (SPEC 14). Pure. */
import type { ChainHead, LedgerRecord } from '../domain/ledger.ts';
import { recordIdOf } from '../domain/ledger.ts';
import { type ToldDeletion, toldDeletion } from './closings.ts';

export interface DeletionWatch {
  /** A record that fits. */
  take(record: LedgerRecord): void;
  /** Whether a record of the chain tells that it begins where it does. */
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
  return {
    take(record) {
      contradict(record.to, `${recordIdOf(record)} behind it ended at ${text(record.to)}`);
      const told = toldDeletion(record);
      if (!told || told.chain !== record.chain) return;
      isTold ||= told.seq === start.seq && told.hash === start.hash;
      if (told.isEarly) early.push({ at: record.seq, why: `${deleted(told)} before their time: ${BY_ITSELF}` });
      else open.push({ ...told, by: record.seq });
      latest = Math.max(latest, told.isEarly ? latest : told.at);
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
