/** What other requests wait beside one long answer of each streaming route: the ledger, events and a backup. `LEDGER_RECORDS=2000000 npm run bench streaming`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLE } from '../src/build-server.ts';
import type { LedgerEntry } from '../src/domain/ledger.ts';
import type { CameraName } from '../src/domain/names.ts';
import { generateSampleEvents } from '../src/events/sample/sample-events.ts';
import { linkEntries } from '../src/ledger/chain.ts';
import { openStore } from '../src/store/open-store.ts';
import { openLoop } from './open-loop.ts';
import { type StartedPostern, startPostern } from './start-postern.ts';
import { startedTogether, startServer, stopProcess } from './start-server.ts';
import { type Finding, median, printFindings, quantile } from './table.ts';

export const benchmark = { title: 'the longest that another request waits beside one long answer', run };

const RECORDS = Number(process.env['LEDGER_RECORDS'] ?? 400_000);
const EVENTS = 20_000;
const AT_ONCE = 1000;
const NOW = Math.floor(Date.now() / 1000);
const LOAD = { perSecond: 100, seconds: 5 };
/** Goal of the longest wait, in milliseconds. */
const LONGEST = 50;

interface Company {
  readonly name: string;
  /** Gives what ends it, and tells its megabytes. */
  readonly start: (postern: StartedPostern, scratch: string) => () => Promise<number>;
}

const COMPANIES: readonly Company[] = [
  { name: 'alone', start: () => async () => 0 },
  { name: 'beside the ledger as CSV', start: (postern) => downloads(`${postern.url}/api/ledger?format=csv`, postern) },
  { name: 'beside 10,000 events', start: (postern) => downloads(`${postern.url}/api/events?limit=10000`, postern) },
  { name: 'beside a backup', start: backups },
];

async function run(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const url = `sqlite:${join(scratch, 'postern.db')}`;
  await fill(url);
  {
    await using servers = startedTogether();
    const upstream = await servers.keep(startServer('upstream', 1));
    const options = { upstream: `http://127.0.0.1:${upstream.lines[0]}`, events: { source: 'store' }, store: { url } };
    const postern = await servers.keep(startPostern(options));
    const findings: Finding[] = [];
    for (const { name, start } of COMPANIES) {
      const end = start(postern, scratch);
      const { answered } = await openLoop({ url: `${postern.url}/api/version`, headers: postern.viewer }, LOAD);
      const megabytes = await end();
      findings.push({ what: `p50 ms ${name}`, seen: median(answered) });
      findings.push({ what: `longest ms ${name}`, seen: quantile(answered, 1), goal: { atMost: LONGEST } });
      if (megabytes > 0) findings.push({ what: `megabytes sent meanwhile, ${name}`, seen: megabytes });
    }
    printFindings(findings);
  }
  rmSync(scratch, { recursive: true, force: true });
}

async function fill(url: string): Promise<void> {
  const store = await openStore({ url });
  const { chain } = await store.ledger.claimChain('bench', NOW);
  for (let at = 0; at < RECORDS; at += AT_ONCE) {
    const ended = Array.from({ length: AT_ONCE }, (_, more) => ({ entry: sample(at + more) }));
    await store.ledger.append(chain, { ended, open: [] }, [], NOW, linkEntries);
  }
  await store.writeEvents([
    ...generateSampleEvents({ count: EVENTS, cameras: ['cam1', 'cam2'] as CameraName[], seed: 7, until: NOW }),
  ]);
  await store.close();
}

const sample = (at: number): LedgerEntry => ({
  kind: 'live',
  user: `user${at % 40}`,
  credential: 'session',
  address: '192.0.2.1',
  camera: `cam${at % 16}`,
  from: NOW - 80 * 86_400 + at * 10,
  to: NOW - 80 * 86_400 + at * 10 + 5,
  watchedFrom: null,
  watchedTo: null,
  detail: null,
});

/** One after the other, each read as fast as it comes, by the admin. */
function downloads(url: string, { admin }: StartedPostern): () => Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let bytes = 0;
  let isOver = false;
  const once = (): Promise<void> =>
    new Promise((resolve) => {
      get(url, { headers: admin, agent }, (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (isOver) response.destroy();
        });
        response.once('close', resolve);
      }).once('error', () => resolve());
    });
  const running = (async () => {
    while (!isOver) await once();
  })();
  return async () => {
    isOver = true;
    await running;
    agent.destroy();
    return bytes / 1e6;
  };
}

function backups({ directory }: StartedPostern, scratch: string): () => Promise<number> {
  const target = join(scratch, 'backup.tar.gz');
  const child = spawn(process.execPath, [join(BUNDLE, 'main.js'), '--config-dir', directory, 'backup', target], {
    stdio: 'ignore',
  });
  return async () => {
    await stopProcess(child);
    return 0;
  };
}
