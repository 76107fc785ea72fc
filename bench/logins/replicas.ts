/** Replicas on PostgreSQL against one process: requests/s, memory, and how soon a revocation holds. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startPostgres, withoutPostgres } from '../../test/support/servers/postgres.ts';
import { startFastUpstream } from '../forward/fast-upstream.ts';
import { LOAD_TOOL, measure, showProgress } from '../load.ts';
import { processorSeconds, residentMegabytes } from '../machine.ts';
import { type StartedPostern, startPostern } from '../start-postern.ts';
import { startedTogether } from '../start-server.ts';
import { type Finding, median, printFindings, printTable, quantile } from '../table.ts';

const STARTS = 3;
const SECONDS = 3;
const CONNECTIONS = 32;
const REVOCATIONS = 40;
const ASKED = '/api/version';

interface Subject {
  readonly name: string;
  /** Starts it anew; all of its processes together are one subject. */
  start(upstream: string): Promise<readonly StartedPostern[]>;
}

interface Figures {
  readonly perSecond: number;
  readonly microseconds: number;
  readonly megabytes: number;
}

const ONE: Subject = { name: 'one process', start: async (upstream) => [await startPostern({ upstream })] };

export async function measureReplicas(): Promise<void> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  process.env['SERVICE_JWT_SECRET'] ??= randomBytes(48).toString('hex');
  const postgres = withoutPostgres ? undefined : await servers.keep(startPostgres());
  const replicas = (count: number): Subject => ({
    name: count === 1 ? 'one process on PostgreSQL' : `${count} replicas on PostgreSQL`,
    async start(nvr) {
      const store = { url: (await postgres?.newDatabase()) ?? '' };
      const first = await startPostern({ upstream: nvr, store });
      const others = Array.from({ length: count - 1 }, () => startPostern({ upstream: nvr, store, people: false }));
      return [first, ...(await Promise.all(others))];
    },
  });
  const subjects = [ONE, ...(postgres ? [replicas(1), replicas(2)] : [])];
  const figures = new Map(subjects.map(({ name }) => [name, [] as Figures[]]));
  const delays = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  for (let start = 1; start <= STARTS; start += 1)
    for (const subject of subjects) {
      showProgress(`start ${start} of ${STARTS}: ${subject.name}`);
      const started = await subject.start(upstream.url);
      try {
        figures.get(subject.name)?.push(await figuresOf(started));
        delays.get(subject.name)?.push(...(await revocationDelays(started)));
      } finally {
        await Promise.all(started.map((postern) => postern.stop()));
      }
    }
  showProgress('');
  print(figures, delays);
}

async function figuresOf(started: readonly StartedPostern[]): Promise<Figures> {
  const targets = started.map(({ url, viewer }) => ({ name: url, url: `${url}${ASKED}`, headers: viewer }));
  const each = CONNECTIONS / targets.length;
  const load = (seconds: number) => Promise.all(targets.map((target) => measure(target, seconds, each)));
  const processes = started.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
  const megabytes = sum(processes.map((pid) => residentMegabytes(pid)));
  await load(2);
  const before = sum(processes.map(used));
  const loads = await load(SECONDS);
  const perSecond = sum(loads.map(({ requestsPerSecond }) => requestsPerSecond));
  const seconds = sum(processes.map(used)) - before;
  return { perSecond, microseconds: (seconds / (perSecond * SECONDS)) * 1e6, megabytes };
}

/** Milliseconds from the answer to a logout until no new connection, at any of them, is let in with the session. */
async function revocationDelays(started: readonly StartedPostern[]): Promise<number[]> {
  const [first] = started;
  if (!first) return [];
  const delays: number[] = [];
  for (let round = 0; round < REVOCATIONS / STARTS; round += 1) {
    const cookie = await first.newSession();
    const statuses = (): Promise<number[]> =>
      Promise.all(started.flatMap(({ url }) => [ask(url, cookie), ask(url, cookie)]));
    await statuses(); // all of them remember the session
    await fetch(`${first.url}/logout`, {
      method: 'POST',
      headers: { ...cookie, connection: 'close' },
      redirect: 'manual',
    });
    const since = performance.now();
    let last = 0;
    while ((await statuses()).includes(200)) last = performance.now() - since;
    delays.push(last);
  }
  return delays;
}

/** On a connection of its own: the balancer may take another replica. */
async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(`${url}/api/profile`, { headers: { ...headers, connection: 'close' } });
  await response.arrayBuffer();
  return response.status;
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const used = (pid: number): number => processorSeconds(pid) ?? Number.NaN;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function print(figures: ReadonlyMap<string, readonly Figures[]>, delays: ReadonlyMap<string, readonly number[]>): void {
  const of = (name: string, figure: keyof Figures): number[] => (figures.get(name) ?? []).map((each) => each[figure]);
  const spread = (values: readonly number[]): string =>
    `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  console.log(
    `${ASKED}, ${CONNECTIONS} connections, ${STARTS} starts in turn, ${SECONDS} s each, load by ${LOAD_TOOL}`,
  );
  console.log(
    'The load and the NVR run on the same cores: on two cores the processor time of a request says more than the rate.\n',
  );
  printTable(
    [
      '',
      'requests/s',
      'spread',
      'processor µs/request',
      'spread',
      'idle MB, all processes',
      'revoked after ms, p50',
      'p99',
    ],
    [...figures.keys()].map((name) => [
      name,
      median(of(name, 'perSecond')).toFixed(0),
      spread(of(name, 'perSecond')),
      median(of(name, 'microseconds')).toFixed(0),
      spread(of(name, 'microseconds')),
      median(of(name, 'megabytes')).toFixed(0),
      median(delays.get(name) ?? []).toFixed(1),
      quantile(delays.get(name) ?? [], 0.99).toFixed(1),
    ]),
  );
  console.log();
  printFindings(findingsOf(of, delays));
}

function findingsOf(
  of: (name: string, figure: keyof Figures) => number[],
  delays: ReadonlyMap<string, readonly number[]>,
): Finding[] {
  const ratio = (name: string, to: string, figure: keyof Figures): number =>
    median(of(name, figure)) / median(of(to, figure));
  const p99 = (name: string): number => quantile(delays.get(name) ?? [], 0.99);
  const onPostgres = 'one process on PostgreSQL';
  return [
    {
      what: 'requests/s, 2 replicas / 1 on PostgreSQL',
      seen: ratio('2 replicas on PostgreSQL', onPostgres, 'perSecond'),
    },
    {
      what: 'a revocation, between 2 replicas, p99',
      seen: p99('2 replicas on PostgreSQL'),
      unit: 'ms',
      goal: { atMost: 500 },
    },
  ];
}
