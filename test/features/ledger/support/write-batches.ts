/** A replica that writes the ledger: `write-batches.ts URL NAME RECORDS MILLISECONDS`. A line before each batch, and one when it is written. */
import { setTimeout } from 'node:timers/promises';
import type { LedgerEntry } from '../../../../src/features/ledger/records.ts';
import { batchOf } from '../../../support/own-entries.ts';
import { openStore } from '../../../support/whole-store.ts';

const [url = '', name = '', records = '', pause = ''] = process.argv.slice(2);
const nothing = { credential: null, address: null, camera: null, watchedFrom: null, watchedTo: null };
const { ledger } = await openStore({ url });
for (let batch = 1; ; batch += 1) {
  const at = Date.now() / 1000;
  const entries = Array.from(
    { length: Number(records) },
    (): LedgerEntry => ({ ...nothing, kind: 'login', user: name, from: at, to: at, detail: `{"batch":"${batch}"}` }),
  );
  const wanted = batchOf(entries);
  process.stdout.write(`writes ${batch}\n`);
  const begun = performance.now();
  for (;;) {
    try {
      await ledger.append(wanted, at);
      break;
    } catch {} // as the service does: the batch is written again
  }
  process.stdout.write(`written ${batch} ${Math.round(performance.now() - begun)}\n`);
  if (Number(pause) > 0) await setTimeout(Number(pause));
}
