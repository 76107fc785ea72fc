/** What others feel while one caller does the most expensive thing that a caller can: the delays of small requests, with Postern and without it. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CARL } from '../../test/support/people.ts';
import { showProgress } from '../load.ts';
import { openLoop } from '../open-loop.ts';
import { startPostern } from '../start-postern.ts';
import { startedTogether, startServer } from '../start-server.ts';
import { type Finding, quantile } from '../table.ts';
import { type ActPlace, COSTLY_ACTS, type CostlyAct, SOCKET_PATHS } from './costly-acts.ts';

const SMALL = '/api/version';
const PER_SECOND = 200;
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 8);
const SETTLE_MS = 1_000;
/** Milliseconds that are never too long. */
const P99_MS = 50;
const LONGEST_MS = 150;
/** Times the same without Postern: what the machine costs beside such an act is not the gate's. */
const OF_CONTROL = 2;

/** The control is measured before and behind, as long in all, so that both longest ones are of as many requests. */
export async function besideFindings(name: string): Promise<readonly Finding[]> {
  const costly = COSTLY_ACTS.get(name);
  if (!costly) throw new Error(`there is no costly act ${name}`);
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', SOCKET_PATHS.length, String(SOCKET_PATHS.length)));
  const [nvr = '', ...others] = upstream.lines.map((port) => `http://127.0.0.1:${port}`);
  const options = {
    upstream: nvr,
    auth: { trusted_proxies: ['127.0.0.1'] }, // all clients here have one address
    nvr: {
      cameras: others.map((_, at) => `cam${at + 1}`),
      routes: Object.fromEntries(others.map((url, at) => [SOCKET_PATHS[at + 1], url])),
    },
  };
  const keep = servers.keep;
  showProgress(`${costly.what}: preparing`);
  const started = await keep(startPostern(options));
  const { postern = started, sessions = [] } = (await costly.prepare?.({ postern: started, keep })) ?? {};
  const { url, directory, viewer, admin } = postern;
  const restricted = await postern.cookieOf(CARL);
  const gate: ActPlace = { urls: [url], directory, viewer, admin, restricted, sessions };
  const straight: ActPlace = { ...gate, urls: [nvr, ...others] };
  const control = () => delaysBeside(name, costly.isOwn ? gate : straight, `${nvr}${SMALL}`, SECONDS / 2, {});
  await openLoop({ url: `${url}${SMALL}`, headers: viewer }, { perSecond: PER_SECOND, seconds: 1 });
  showProgress(`${costly.what}: without Postern`);
  const before = await control();
  showProgress(`${costly.what}: with Postern`);
  const felt = await delaysBeside(name, gate, `${url}${SMALL}`, SECONDS, viewer);
  showProgress(`${costly.what}: without Postern again`);
  const without = [...before, ...(await control())];
  showProgress('');
  return [
    finding(costly, 'p99', P99_MS, quantile(felt, 0.99), quantile(without, 0.99)),
    finding(costly, 'longest', LONGEST_MS, quantile(felt, 1), quantile(without, 1)),
  ];
}

const finding = ({ what }: CostlyAct, figure: string, most: number, seen: number, without: number): Finding => ({
  what: `beside ${what}: ${figure} (without Postern ${without.toFixed(1)} ms)`,
  seen,
  unit: 'ms',
  goal: { atMost: Math.max(most, OF_CONTROL * without) },
});

/** The act has a thread of its own, so that it does not hold up the clock of the others. */
async function delaysBeside(
  name: string,
  place: ActPlace,
  url: string,
  seconds: number,
  headers: Readonly<Record<string, string>>,
): Promise<readonly number[]> {
  const thread = new Worker(new URL('./act-thread.ts', import.meta.url), { workerData: { name, place } });
  try {
    await once(thread, 'message'); // it is about to begin
    const failed = once(thread, 'exit').then(() => Promise.reject(new Error(`the act ${name} ended too early`)));
    const { answered } = await Promise.race([
      openLoop({ url, headers }, { perSecond: PER_SECOND, seconds, turning: 0 }),
      failed,
    ]);
    return answered;
  } finally {
    thread.removeAllListeners('exit');
    await thread.terminate();
    await sleep(SETTLE_MS);
  }
}
