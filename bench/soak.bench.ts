/** Clients that leave at random before an NVR that breaks at random: what the gate holds in the end must be what it held before. `SOAK_MINUTES=10 SOAK_SEED=1 npm run bench soak`. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CARL } from '../test/support/people.ts';
import { openFiles, residentMegabytes, tcpSockets } from './machine.ts';
import { createRandom } from './random.ts';
import { askResources, type Resources, TELLING } from './resources.ts';
import { type Outcome, VISITS, type Visitor } from './soak/visits.ts';
import { type StartedPostern, startPostern } from './start-postern.ts';
import { type StartedServer, startedTogether, startServer } from './start-server.ts';
import { type Finding, printFindings, printTable, sparkline } from './table.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const CLIENTS = 32;
/** What is made once, at first use, is no leak: memory is compared from here on. */
const WARM_UP_PART = 0.1;
const SAMPLE_MS = 2_000;
const PAUSE_MS = 100;
/** So long a client of Node's own keeps a connection that nobody uses, and more. */
const KEPT_BY_CLIENTS_MS = 8_000;
/** Longer than any time-out of the gate below, and than two of its pings of a silent WebSocket. */
const SETTLE_MS = 75_000;

export const benchmark = {
  title: `${MINUTES} minutes of clients that leave and an NVR that breaks, seed ${SEED}`,
  run,
};

interface Sample {
  readonly resident: number;
  readonly files: number;
}

type Tally = Map<string, Map<Outcome, number>>;

async function run(): Promise<void> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('breaking-upstream', 1, String(SEED)));
  const nvr = { timeout_connect: 2, timeout_response: 3, timeout_idle: 4 };
  const postern = await servers.keep(startPostern({ upstream: upstream.url, nvr, nodeFlags: TELLING }));
  await sleep(KEPT_BY_CLIENTS_MS); // the connections of the logins
  const fresh = await askResources(postern);
  const seconds = MINUTES * 60;
  const tally: Tally = new Map();
  await soak(postern, seconds * WARM_UP_PART, SEED, new Map());
  await settle(postern, fresh);
  const warm = await askResources(postern);
  const samples = await soak(postern, seconds * (1 - WARM_UP_PART), SEED + CLIENTS, tally);
  await settle(postern, fresh);
  const end = await askResources(postern);
  printOutcomes(tally);
  printSamples(samples);
  printResources({ fresh, warm, end });
  printSockets(postern, upstream);
  const isAlive = await fetch(`${postern.telemetryUrl}/healthz`).then(({ ok }) => ok);
  printFindings(findingsOf({ fresh, warm, end }, tally, faultsIn(postern.log()), isAlive));
}

/** Until no more is open than in the beginning, or patience ends: what is open then is a finding. */
async function settle(postern: StartedPostern, { sockets }: Resources): Promise<void> {
  for (const until = Date.now() + SETTLE_MS; Date.now() < until; await sleep(SAMPLE_MS)) {
    if ((openFiles(postern.pid)['socket'] ?? 0) <= sockets) return;
  }
}

async function soak(postern: StartedPostern, seconds: number, seed: number, tally: Tally): Promise<Sample[]> {
  const until = Date.now() + seconds * 1000;
  const samples: Sample[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const restricted = await postern.cookieOf(CARL);
  const clients = Array.from({ length: CLIENTS }, (_, at) =>
    visitUntil(until, { ...postern, restricted, agent, random: createRandom(seed + at) }, tally),
  );
  const sampling = sampleUntil(until, postern, samples);
  await Promise.all([...clients, sampling]);
  agent.destroy();
  return samples;
}

async function visitUntil(until: number, visitor: Visitor, tally: Tally): Promise<void> {
  while (Date.now() < until) {
    const visit = visitor.random.pick(VISITS);
    const outcome = await visit.pay(visitor);
    const outcomes = tally.get(visit.name) ?? new Map<Outcome, number>();
    tally.set(visit.name, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    await sleep(visitor.random.below(PAUSE_MS));
  }
}

async function sampleUntil(until: number, { pid }: StartedPostern, samples: Sample[]): Promise<void> {
  while (Date.now() < until) {
    const files = Object.values(openFiles(pid)).reduce((sum, count) => sum + count, 0);
    samples.push({ resident: residentMegabytes(pid), files });
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    if (process.stdout.isTTY)
      process.stdout.write(`\r\u001b[K  ${left} s left, ${samples.at(-1)?.resident.toFixed(0)} MB `);
    await sleep(SAMPLE_MS);
  }
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
}

/** Log lines of the gate that say it did something wrong itself. */
const faultsIn = (log: string): string[] =>
  log.split('\n').filter((line) => line.startsWith('{') && /^(error|critical|fatal)$/.test(JSON.parse(line).level));

function printOutcomes(tally: Tally): void {
  const kinds = [...new Set([...tally.values()].flatMap((outcomes) => [...outcomes.keys()]))].sort();
  printTable(
    ['what clients did', ...kinds.map(String)],
    [...tally].sort().map(([name, outcomes]) => [name, ...kinds.map((kind) => String(outcomes.get(kind) ?? ''))]),
  );
  console.log();
}

function printSamples(samples: readonly Sample[]): void {
  const line = (name: string, values: readonly number[]): string =>
    `${name} ${sparkline(values)}  ${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  console.log(
    line(
      'resident MB',
      samples.map(({ resident }) => resident),
    ),
  );
  console.log(
    line(
      'open files ',
      samples.map(({ files }) => files),
    ),
  );
  console.log();
}

interface Stages {
  readonly fresh: Resources;
  readonly warm: Resources;
  readonly end: Resources;
}

function printResources({ fresh, warm, end }: Stages): void {
  const stages = [fresh, warm, end];
  const types = [...new Set(stages.flatMap(({ byType }) => Object.keys(byType)))].sort();
  const row = (name: string, of: (stage: Resources) => number): string[] => [
    name,
    ...stages.map((stage) => of(stage).toFixed(0)),
  ];
  printTable(
    ['what the gate holds, at rest', 'started', 'warmed up', 'at the end'],
    [
      row('resident MB', ({ residentMegabytes: megabytes }) => megabytes),
      row('heap MB', ({ heapMegabytes }) => heapMegabytes),
      row('external MB', ({ externalMegabytes }) => externalMegabytes),
      row('sockets', ({ sockets }) => sockets),
      row('open files', ({ files }) => files),
      ...types.map((type) => row(type, ({ byType }) => byType[type] ?? 0)),
    ],
  );
  console.log();
}

/** Those that are nobody's any more: whose they were says where to look. */
function printSockets({ pid, url }: StartedPostern, upstream: StartedServer): void {
  const [own, nvr] = [Number(new URL(url).port), Number(new URL(upstream.url).port)];
  const left = tcpSockets(pid).filter(({ state }) => state !== 'listening');
  if (left.length === 0) return;
  const sideOf = ({ localPort, remotePort }: (typeof left)[number]): string => {
    if (remotePort === nvr) return 'to the NVR';
    return localPort === own ? 'from a client' : `${localPort} to ${remotePort}`;
  };
  const counts = new Map<string, number>();
  for (const socket of left) {
    const name = `${sideOf(socket)}, ${socket.state}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  printTable(
    ['sockets left', ''],
    [...counts].map(([name, count]) => [name, String(count)]),
  );
  console.log();
}

function findingsOf(
  { fresh, warm, end }: Stages,
  tally: Tally,
  faults: readonly string[],
  isAlive: boolean,
): Finding[] {
  const types = new Set([...Object.keys(fresh.byType), ...Object.keys(end.byType)]);
  const moreHandles = [...types].map((type) => (end.byType[type] ?? 0) - (fresh.byType[type] ?? 0));
  const lookedWhole = [...tally.values()].reduce((sum, outcomes) => sum + (outcomes.get('looked whole') ?? 0), 0);
  for (const fault of faults.slice(0, 5)) console.log(fault);
  return [
    { what: 'more sockets than when started', seen: end.sockets - fresh.sockets, goal: { atMost: 0 } },
    { what: 'more open files than when started', seen: end.files - fresh.files, goal: { atMost: 0 } },
    { what: 'more handles of any one kind', seen: Math.max(0, ...moreHandles), goal: { atMost: 0 } },
    { what: 'more heap than warmed up', seen: end.heapMegabytes - warm.heapMegabytes, unit: 'MB', goal: { atMost: 3 } },
    {
      what: 'more resident than warmed up',
      seen: end.residentMegabytes - warm.residentMegabytes,
      unit: 'MB',
      goal: { atMost: 20 },
    },
    { what: 'cut answers that looked whole', seen: lookedWhole, goal: { atMost: 0 } },
    { what: 'faults in the log', seen: faults.length, goal: { atMost: 0 } },
    { what: 'is alive in the end', seen: Number(isAlive), goal: { atLeast: 1 } },
  ];
}
