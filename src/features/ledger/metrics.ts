/** The metrics of the ledger (SPEC 9). */
import { createCounter, createGauge } from '../../telemetry/series.ts';

export type LedgerMetrics = ReturnType<typeof ledgerMetrics>;

export function ledgerMetrics() {
  // biome-ignore format: a table
  const declared = {
    dropped: createCounter('postern_ledger_dropped_total', 'Records that the ledger lost because too many waited for the store.'),
    forged:  createCounter('postern_ledger_forged_rows_total', 'Chains of the ledger that were changed from outside, so that another one was begun.'),
    delay:   createGauge('max', 'postern_ledger_delay_seconds', 'How long the oldest record that waits to be written to the ledger has waited.'),
  };
  declared.delay.set(undefined); // left out until it is known
  return declared;
}
