/** Clients that leave at random before an NVR that breaks at random: what the gate holds in the end must be what it held before. `SOAK_MINUTES=10 SOAK_SEED=1 npm run bench -- soak leaving`. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CARL } from '../../test/support/people.ts';
import { showProgress } from '../load.ts';
import { openFiles, residentMegabytes } from '../machine.ts';
import { createRandom } from '../random.ts';
import { askResources, type Resources, TELLING } from '../resources.ts';
import { type StartedPostern, startPostern } from '../start-postern.ts';
import { startedTogether, startServer } from '../start-server.ts';
import type { Finding } from '../table.ts';
import {
  findingsOf,
  printOutcomes,
  printResources,
  printSamples,
  printSockets,
  type Sample,
  type Tally,
} from './report.ts';
import { type Outcome, VISITS, type Visitor } from './visits.ts';

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

export async function leavingFindings(): Promise<readonly Finding[]> {
  console.log(`${MINUTES} minutes of clients that leave and an NVR that breaks, seed ${SEED}\n`);
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('breaking-upstream', 1, String(SEED)));
  const nvr = { timeout_response: 3, timeout_idle: 4 };
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
  return findingsOf({ fresh, warm, end }, tally, faultsIn(postern.log()), isAlive);
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
    showProgress(`${left} s left, ${samples.at(-1)?.resident.toFixed(0)} MB`);
    await sleep(SAMPLE_MS);
  }
  showProgress('');
}

/** Log lines of the gate that say it did something wrong itself. */
const faultsIn = (log: string): string[] =>
  log.split('\n').filter((line) => line.startsWith('{') && /^(error|critical|fatal)$/.test(JSON.parse(line).level));
