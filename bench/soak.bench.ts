/** What holds in the long run and beside costly acts: `npm run bench -- soak`, or some of its rows alone: `npm run bench -- soak ledger`. */

import { faultMessage } from '../src/domain/result.ts';
import { besideFindings } from './soak/beside.ts';
import { COSTLY_ACTS } from './soak/costly-acts.ts';
import { leavingFindings } from './soak/leaving.ts';
import { slowDiskFindings } from './soak/slow-disk.ts';
import { type Finding, printFindings } from './table.ts';

export const benchmark = { title: 'what is held in the end, and what others feel beside costly acts', run };

const ROWS: ReadonlyMap<string, () => Promise<readonly Finding[]>> = new Map([
  ['leaving', leavingFindings],
  ['slow-disk', slowDiskFindings],
  ...[...COSTLY_ACTS.keys()].map((name) => [name, () => besideFindings(name)] as const),
]);

async function run(given: readonly string[]): Promise<void> {
  const unknown = given.filter((name) => !ROWS.has(name));
  if (unknown.length > 0) throw new Error(`soak has no row ${unknown.join(', ')}, only ${[...ROWS.keys()].join(', ')}`);
  for (const [name, findings] of ROWS) {
    if (given.length > 0 && !given.includes(name)) continue;
    try {
      printFindings(await findings());
    } catch (fault) {
      console.log(`${name} was not measured: ${faultMessage(fault)}`); // the other rows are
      process.exitCode = 1;
    }
    console.log();
  }
}
