/** What the command line does, in the ledger as well: written when the command ends (SPEC 14). */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import type { LedgerEntry, LedgerRecord, LedgerStore } from '../../domain/ledger.ts';
import { misfitSentences } from '../../domain/ledger-chain.ts';
import { messageOf } from '../../domain/message-of.ts';
import { type AuditedAct, doingOf, entryOf, isNotice } from '../../ledger/audited-acts.ts';

export interface CommandLedger {
  note(act: AuditedAct): void;
  /** Never rejects: what was done is done. */
  close(): Promise<void>;
}

export interface CommandLedgerDeps {
  readonly ledger: Pick<LedgerStore, 'append'>;
  /** Whether `ledger.retention` is more than 0. */
  readonly isEnabled: boolean;
  readonly clock: Clock;
  readonly onWritten: (records: readonly LedgerRecord[]) => void;
  readonly warn: (sentence: string) => void;
}

export function openCommandLedger({ ledger, isEnabled, clock, onWritten, warn }: CommandLedgerDeps): CommandLedger {
  const entries: LedgerEntry[] = [];
  const now = (): number => clock.now() / 1000;
  return {
    note(act) {
      if (!isEnabled && !isNotice(act)) return;
      const doing = doingOf(act, now());
      entries.push(doing.kind === 'once' ? doing.entry : entryOf(doing.subject, now()));
    },
    async close() {
      if (entries.length === 0) return;
      try {
        const ended = entries.splice(0).map((entry) => ({ id: randomUUID(), entry }));
        const written = await ledger.append({ ended, open: [] }, now());
        for (const sentence of misfitSentences(written)) warn(sentence);
        onWritten(written);
      } catch (fault) {
        warn(`the ledger has no record of it (${messageOf(fault)}); it was done all the same`);
      }
    },
  };
}
