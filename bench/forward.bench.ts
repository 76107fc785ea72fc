/**
 * What forwarding costs, against yardsticks in the same run: in under nine minutes the parts that have goals.
 * `FORWARD=websockets,memory,start npm run bench forward` runs the others.
 */
import { measureDelay } from './forward/delay.ts';
import { measureIdle, measureMemory } from './forward/memory.ts';
import { measureRequests } from './forward/requests.ts';
import { measureStart } from './forward/start.ts';
import { measureTls } from './forward/tls.ts';
import { measureWebSockets } from './forward/websockets.ts';
import { type Finding, printFindings } from './table.ts';

export const benchmark = { title: 'the gate against nginx, http-proxy and Node', run };

const WITH_GOALS: readonly string[] = ['requests', 'tls', 'delay', 'idle'];
const PARTS: Readonly<Record<string, () => Promise<Finding[]>>> = {
  requests: measureRequests,
  tls: measureTls,
  delay: measureDelay,
  idle: measureIdle,
  websockets: measureWebSockets,
  memory: measureMemory,
  start: measureStart,
};

async function run(): Promise<void> {
  const wanted = process.env['FORWARD']?.split(',') ?? WITH_GOALS;
  const findings: Finding[] = [];
  for (const name of wanted) {
    const measure = PARTS[name];
    if (measure === undefined) throw new Error(`FORWARD: there is no ${name}, only ${Object.keys(PARTS).join(', ')}`);
    findings.push(...(await measure()));
  }
  printFindings(findings);
}
