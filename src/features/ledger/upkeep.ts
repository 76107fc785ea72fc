/** Once a day: the head of the chain goes to the log, and days that are over their time are forgotten (SPEC 14). */
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeletionGuard } from '../../domain/deletion-guard.ts';
import { currentHead, type LedgerStore } from '../../domain/ledger.ts';
import { headText } from '../../domain/ledger-chain.ts';
import type { LocalTime } from './days.ts';

export interface Upkeep {
  look(): Promise<void>;
  close(): Promise<void>;
}

export interface UpkeepDeps {
  readonly store: Pick<LedgerStore, 'heads' | 'forgetBefore' | 'forgetDaysBefore'>;
  readonly settings: () => Settings;
  readonly clock: Clock;
  readonly mayDelete: DeletionGuard;
  readonly log: Logger;
  readonly localTime: (at: number) => LocalTime;
  /** The head of the chain, each day. */
  readonly onHead: (head: string) => void;
}

const DAY = 86_400;
/** What people are told of their accounts is kept so long where nothing else is recorded. */
const NOTICE_DAYS = 90;

export function openUpkeep(deps: UpkeepDeps): Upkeep {
  const { store, settings, clock, log, localTime, onHead } = deps;
  let [toldFor, forgottenFor]: (string | undefined)[] = [];
  let running: Promise<void> = Promise.resolve();

  const tellHead = async (): Promise<void> => {
    const known = currentHead(await store.heads());
    if (!known || known.seq === 0) {
      toldFor = undefined; // there is none yet
      return;
    }
    const head = headText(known);
    log.info(
      { head },
      'head of the ledger: keep this line elsewhere, "postern ledger verify --head" checks that nothing was cut off',
    );
    onHead(head);
  };
  const forget = async (today: number): Promise<void> => {
    const retentionDays = Math.ceil(settings().ledger.retention / DAY) || NOTICE_DAYS;
    const before = today - retentionDays * DAY;
    const { day } = localTime(before);
    await store.forgetBefore({ at: clock.now() / 1000, before, day, retentionDays });
    await store.forgetDaysBefore(day);
  };
  const noted = (work: Promise<void>, sentence: string): Promise<void> => {
    running = work.catch((fault: unknown) => log.warn({ err: fault }, sentence));
    return running;
  };
  return {
    async look() {
      const now = clock.now() / 1000;
      const { day } = localTime(now);
      // Asked each time, so that a step of the clock is seen when it happens.
      const mayDelete = deps.mayDelete();
      if (toldFor !== day && settings().ledger.retention > 0) {
        toldFor = day;
        await noted(tellHead(), 'the head of the ledger could not be read: it is told again tomorrow');
      }
      if (forgottenFor === day || !mayDelete) return;
      forgottenFor = day;
      const today = Math.floor(now / DAY) * DAY;
      await noted(forget(today), 'old records of the ledger could not be deleted: the next attempt is tomorrow');
    },
    close: () => running,
  };
}
