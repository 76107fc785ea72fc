/** Once a day: the heads of the chains go to the log, and days that are over their time are forgotten (SPEC 14). */
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeletionGuard } from '../../domain/deletion-guard.ts';
import { type ChainClosing, commandChainAt, type LedgerStore } from '../../domain/ledger.ts';
import { linkEntries } from '../../ledger/chain.ts';
import { deletionEntry, isOfDeletion } from '../../ledger/closings.ts';
import type { LocalTime } from '../../ledger/days.ts';
import type { LedgerWriter } from '../../ledger/writer.ts';

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
  readonly writer: Pick<LedgerWriter, 'chain'>;
  readonly localTime: (at: number) => LocalTime;
  /** The head of this process's chain, and of that of the command line, each day. */
  readonly onHead: (head: string) => void;
}

const DAY = 86_400;

export function openUpkeep(deps: UpkeepDeps): Upkeep {
  const { store, settings, clock, log, writer, localTime, onHead } = deps;
  let [toldFor, forgottenFor]: (string | undefined)[] = [];
  let running: Promise<void> = Promise.resolve();

  const tellHead = async (): Promise<void> => {
    const told = [writer.chain(), commandChainAt(settings().server.site ?? '')];
    const heads = (await store.heads()).filter(({ chain, seq }) => told.includes(chain) && seq > 0);
    for (const { chain, seq, hash } of heads) {
      const head = `${chain}:${seq}:${hash}`;
      log.info(
        { head },
        'head of the ledger: keep this line elsewhere, "postern ledger verify --head" checks that nothing was cut off',
      );
      onHead(head);
    }
  };
  const forget = async (today: number): Promise<void> => {
    const retentionDays = Math.ceil(settings().ledger.retention / DAY);
    const before = today - retentionDays * DAY;
    const { day } = localTime(before);
    const now = clock.now() / 1000;
    const recordOf = (closing: ChainClosing) => deletionEntry(closing, { at: now, before, retentionDays });
    for (const { chain } of await store.heads()) {
      await store.forgetBefore({ chain, before, day, now, recordOf, isOfDeletion, link: linkEntries });
    }
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
      if (writer.chain() === undefined) return;
      if (toldFor !== day && settings().ledger.enabled) {
        toldFor = day;
        await noted(tellHead(), 'the heads of the ledger could not be read: they are told again tomorrow');
      }
      if (forgottenFor === day || !mayDelete) return;
      forgottenFor = day;
      const today = Math.floor(now / DAY) * DAY;
      await noted(forget(today), 'old records of the ledger could not be deleted: the next attempt is tomorrow');
    },
    close: () => running,
  };
}
