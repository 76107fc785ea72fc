/** The ledger: who watched what, and what was changed, in a chain of hashes; notices are records of it (SPEC 12, 14). */
import { randomUUID } from 'node:crypto';
import { faultMessage } from '../../domain/result.ts';
import type { CommandServices, FeatureParts, OpenForCommand } from '../feature.ts';
import { misfitSentences } from './chain.ts';
import { ledgerKeys, ledgerSection } from './keys.ts';
import { actRecord, isNotice, openLedger } from './ledger.ts';
import { LEDGER_ROUTES } from './ledger-routes.ts';
import { ledgerPart } from './ledger-store.ts';
import { NOTICE_ROUTES, sendNotices } from './notices.ts';
import type { LedgerEntry } from './records.ts';
import { subjectEntry } from './spans.ts';
import { type LedgerMetrics, ledgerMetrics } from './writer.ts';

export const ledger: FeatureParts<LedgerMetrics> = {
  keys: { ledger: ledgerSection },
  removedKeys: { 'ledger.enabled': 'ledger.retention: 0 turns the ledger off, and any other length turns it on' },
  routes: [...NOTICE_ROUTES, ...LEDGER_ROUTES],
  metrics: ledgerMetrics,
  open: openLedger,
  openForCommand: openCommandLedger,
};

/** What the command line does, in the ledger as well: written when the command ends (SPEC 14). */
function openCommandLedger({ store, settings, clock, messages, warn }: CommandServices): OpenForCommand {
  const isEnabled = ledgerKeys(settings).retention > 0;
  const entries: LedgerEntry[] = [];
  const now = (): number => clock.now() / 1000;
  return {
    note(act) {
      if (!isEnabled && !isNotice(act)) return;
      const at = now();
      const doing = actRecord(act, at);
      entries.push(doing.kind === 'once' ? doing.entry : subjectEntry(doing.subject, { from: at, to: at }));
    },
    async close() {
      if (entries.length === 0) return;
      try {
        const ended = entries.splice(0).map((entry) => ({ id: randomUUID(), ...entry }));
        const written = await store.part(ledgerPart).append({ ended, open: [] }, now());
        for (const sentence of misfitSentences(written)) warn(sentence);
        sendNotices(written, messages);
      } catch (fault) {
        warn(`the ledger has no record of it (${faultMessage(fault)}); it was done all the same`);
      }
    },
  };
}
