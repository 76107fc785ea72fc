/** What forwarding costs, against yardsticks in the same run. `FORWARD=requests,bodies npm run bench forward` runs parts of it. */
import { measureBodies } from './forward/bodies.ts';
import { measureDelay } from './forward/delay.ts';
import { measureMemory } from './forward/memory.ts';
import { measureRequests } from './forward/requests.ts';
import { measureStart } from './forward/start.ts';
import { measureWebSockets } from './forward/websockets.ts';
import { type Finding, printFindings } from './table.ts';

export const benchmark = { title: 'the gate against nginx, http-proxy, undici and Node', run };

const PARTS: Readonly<Record<string, () => Promise<Finding[]>>> = {
  requests: measureRequests,
  bodies: measureBodies,
  delay: measureDelay,
  websockets: measureWebSockets,
  memory: measureMemory,
  start: measureStart,
};

async function run(): Promise<void> {
  const wanted = process.env['FORWARD']?.split(',') ?? Object.keys(PARTS);
  const findings: Finding[] = [];
  for (const name of wanted) {
    const measure = PARTS[name];
    if (measure === undefined) throw new Error(`FORWARD: there is no ${name}, only ${Object.keys(PARTS).join(', ')}`);
    findings.push(...(await measure()));
  }
  printFindings(findings);
}
