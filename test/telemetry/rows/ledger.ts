/** The ledger: what is written is counted by kind; what waits, for how long, and what was lost is told (SPEC 9, 14). */
import { describe, it } from 'node:test';
import type { HoldingStore } from '../../../src/accounts/sessions/store-grace.ts';
import type { Settings } from '../../../src/config/schema/schema.ts';
import { storeFault } from '../../../src/domain/store/store-fault.ts';
import { beginningEntry, emptyHead, linkEntries } from '../../../src/features/ledger/chain.ts';
import { openLedger } from '../../../src/features/ledger/ledger.ts';
import type { LedgerStore } from '../../../src/features/ledger/ledger-store.ts';
import type { LedgerBatch } from '../../../src/features/ledger/records.ts';
import { ledgerMetrics } from '../../../src/features/ledger/writer.ts';
import { createLogs } from '../../../src/telemetry/logs/log.ts';
import { movableClock } from '../../support/clock.ts';
import { until } from '../../support/until.ts';
import { noteDriven } from '../support/driven.ts';

const SETTINGS = {
  server: {},
  ledger: { retention: 90 * 86_400, visible_to_viewers: false },
  auth: { timezone: null },
} as unknown as Settings;

/** Records are held up to 10,000 of them. */
const MORE_THAN_WAIT = 10_001;

describe('The ledger', () => {
  it('counts how long records wait while the store fails, what was lost, and a chain that does not fit', async (t) => {
    const metrics = ledgerMetrics();
    const clock = movableClock();
    let isBroken = true;
    let refused = 0;
    let isForged = false;
    const ledger = {
      async append({ ended }: LedgerBatch) {
        if (isBroken) refused += 1;
        if (isBroken) throw storeFault('full', 'the disk is full', undefined);
        const first = isForged ? [beginningEntry('store2', [], 1)] : [];
        return linkEntries(emptyHead('store2'), [...first, ...ended]);
      },
      left: async () => [],
      heads: async () => [],
      forgetDaysBefore: async () => {},
    } as unknown as LedgerStore;
    const logs = createLogs({ rules: { default: 'info', logs: new Map() }, destination: { write() {} }, clock });
    const opened = openLedger(
      {
        settings: SETTINGS,
        activeSettings: () => SETTINGS,
        store: { part: () => ledger } as unknown as HoldingStore,
        clock,
        logs,
        mayDelete: () => true,
        messages: { send() {}, onMessage() {} },
      },
      metrics,
    );
    t.after(opened.close);
    const value = (name: string, labels = ''): number | undefined =>
      [
        ...(Object.values(metrics)
          .find((family) => family.name === name)
          ?.samples() ?? []),
      ].find((sample) => sample.labels === labels)?.value;
    const change = () => opened.note({ what: 'user-created', verdict: 'allowed' });
    change();
    await until('they could not be written', () => refused > 0);
    clock.advance(7);
    await until('the delay is told', () => (value('postern_ledger_delay_seconds') ?? 0) >= 7);
    isBroken = false;
    await until('nothing waits', () => value('postern_ledger_delay_seconds') === 0);
    isForged = true;
    change();
    await until('a chain that does not fit is told', () => value('postern_ledger_forged_rows_total') === 1);
    noteDriven('ledger_forged_rows_total');
    isBroken = true;
    for (let more = 0; more < MORE_THAN_WAIT; more++) change();
    await until('some are dropped', () => (value('postern_ledger_dropped_total') ?? 0) > 0);
    for (const name of ['ledger_delay_seconds', 'ledger_dropped_total']) noteDriven(name);
  });
});
