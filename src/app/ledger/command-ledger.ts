/** What the command line does, in the ledger as well: written when the command ends, to a chain of its own (SPEC 14). */
import type { Clock } from '../../domain/clock.ts';
import type { LedgerEntry, LedgerRecord, LedgerStore } from '../../domain/ledger.ts';
import { messageOf } from '../../domain/message-of.ts';
import { type AuditedAct, doingOf, entryOf, isNotice } from '../../ledger/audited-acts.ts';
import { linkEntries } from '../../ledger/chain.ts';
import { repairedSentence, repairingStore } from '../../ledger/chain-repair.ts';

export interface CommandLedger {
  note(act: AuditedAct): void;
  /** Never rejects: what was done is done. */
  close(): Promise<void>;
}

export interface CommandLedgerDeps {
  readonly ledger: Pick<LedgerStore, 'commandChain' | 'append' | 'forgetBefore' | 'mend'>;
  /** `ledger.enabled`. */
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
        const chain = await ledger.commandChain(now());
        const ended = entries.splice(0).map((entry) => ({ entry }));
        const mending = repairingStore(ledger, (...changed) => warn(repairedSentence(...changed)));
        onWritten(await mending.append(chain, { ended, open: [] }, [], now(), linkEntries));
      } catch (fault) {
        warn(`the ledger has no record of it (${messageOf(fault)}); it was done all the same`);
      }
    },
  };
}
