/**
 * Small requests: how many each proxy passes on, and how many decisions are made, with a cookie as a viewer has it. Every
 * process is started anew several times, for how fast one is differs more between starts than between rounds.
 */
import { type Figures, LOAD_TOOL, measure, medianFigures, showProgress, type Target } from '../load.ts';
import { untilCalm } from '../machine.ts';
import { HAS_NGINX, nginxAuthRequest, nginxProxy } from '../start-nginx.ts';
import { startPostern } from '../start-postern.ts';
import { type StartedServer, startedTogether, startServer } from '../start-server.ts';
import { type Finding, findingOf, median, printTable, quantile } from '../table.ts';
import { startFastUpstream } from './fast-upstream.ts';

const STARTS = Number(process.env['STARTS'] ?? 5);
const LOAD = { rounds: 3, seconds: 2 };
const COLD_SECONDS = 10;
const CONNECTIONS = 16;
const CALM_PATIENCE_MS = 10_000;
const SMALL = '/api/version';

/** What one start gave: each target's figures once it is warm, and Postern's from its first second on. */
interface Start {
  readonly warm: ReadonlyMap<string, Figures>;
  readonly cold: readonly Figures[];
}

export async function measureRequests(): Promise<Finding[]> {
  const starts: Start[] = [];
  let restless = 0;
  for (let start = 1; start <= STARTS; start += 1) {
    showProgress(`start ${start} of ${STARTS}: waiting until the machine is calm`);
    if (!(await untilCalm(CALM_PATIENCE_MS))) restless += 1;
    starts.push(await oneStart(start));
  }
  showProgress('');
  print(starts, restless);
  return findingsOf(starts);
}

async function oneStart(start: number): Promise<Start> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const auth = await servers.keep(startServer('bare-auth', 1));
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const target = { name: 'Postern', url: `${postern.url}${SMALL}`, headers: postern.viewer, pid: postern.pid };
  const cold: Figures[] = [];
  for (let second = 1; second <= COLD_SECONDS; second += 1) {
    showProgress(`start ${start} of ${STARTS}: second ${second} of Postern`);
    cold.push(await measure(target, 1, CONNECTIONS));
  }
  const small = (name: string, { url, pid }: StartedServer): Target => ({ name, url: `${url}${SMALL}`, pid });
  const logging = await servers.keep(startPostern({ upstream: upstream.url, logLevel: 'info' }));
  const targets: Target[] = [
    small('straight to the upstream', upstream),
    ...(HAS_NGINX
      ? [
          small('nginx proxy_pass', await servers.keep(nginxProxy(upstream.url))),
          small('nginx auth_request', await servers.keep(nginxAuthRequest(upstream.url, auth.url))),
        ]
      : []),
    small('http-proxy 1.18.1', await servers.keep(startServer('bare-proxy', 1, upstream.url, '1.18.1'))),
    small('http-proxy in use', await servers.keep(startServer('bare-proxy', 1, upstream.url))),
    small('undici pipe', await servers.keep(startServer('bare-undici', 1, upstream.url))),
    target,
    { ...small('Postern, with its access log', logging), headers: logging.viewer },
    { name: 'Node server, 202', url: `${auth.url}/auth`, pid: auth.pid },
    { name: 'Postern /auth', url: `${postern.url}/auth`, headers: postern.viewer, pid: postern.pid },
  ];
  return { cold, warm: await warmFigures(targets, `start ${start} of ${STARTS}`) };
}

/** Rounds there and back, so that no target always follows the same one; the first warms up. */
async function warmFigures(targets: readonly Target[], progress: string): Promise<ReadonlyMap<string, Figures>> {
  const all = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round <= LOAD.rounds; round += 1)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      showProgress(`${progress}: ${round === 0 ? 'warming up' : `round ${round} of ${LOAD.rounds}`}: ${target.name}`);
      const figures = await measure(target, LOAD.seconds, CONNECTIONS);
      if (round > 0) all.get(target.name)?.push(figures);
    }
  return new Map([...all].map(([name, figures]) => [name, medianFigures(figures)]));
}

function print(starts: readonly Start[], restless: number): void {
  console.log(
    `Small JSON and decisions: ${CONNECTIONS} connections of ${LOAD_TOOL}, ${STARTS} fresh starts, in each ${LOAD.rounds} rounds of ${LOAD.seconds} s in turn`,
  );
  if (restless > 0) console.log(`(${restless} of ${STARTS} starts began while others used the machine)`);
  if (!HAS_NGINX)
    console.log('nginx is not installed: what is measured against it is left out, and Node plays the upstream');
  console.log();
  const names = [...(starts[0]?.warm.keys() ?? [])];
  printTable(
    ['', 'requests/s', 'spread', 'p50 ms', 'p99 ms', 'processor µs/request', 'spread'],
    names.map((name) => {
      const of = (figure: keyof Figures): number[] => starts.map(({ warm }) => warm.get(name)?.[figure] ?? Number.NaN);
      const rates = of('requestsPerSecond');
      return [
        name,
        median(rates).toFixed(0),
        spread(rates),
        median(of('p50')).toFixed(2),
        median(of('p99')).toFixed(2),
        median(of('microseconds')).toFixed(0),
        spread(of('microseconds')),
      ];
    }),
  );
  console.log('\nPostern from its first second on, before anything else used it\n');
  const second = (at: number): Figures[] => starts.flatMap(({ cold }) => cold.slice(at - 1, at));
  printTable(
    ['second', 'requests/s', 'spread', 'p99 ms', 'spread'],
    [1, 2, 3, 5, COLD_SECONDS].map((at) => {
      const rates = second(at).map(({ requestsPerSecond }) => requestsPerSecond);
      const tails = second(at).map(({ p99 }) => p99);
      return [String(at), median(rates).toFixed(0), spread(rates), median(tails).toFixed(1), spread(tails, 1)];
    }),
  );
  console.log();
}

const spread = (values: readonly number[], digits = 0): string =>
  `${quantile(values, 0).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;

/** Each ratio is taken within one start; what is told is their median and their spread. */
function findingsOf(starts: readonly Start[]): Finding[] {
  const each = (of: (figures: Figures) => number, name: string, base: string): number[] =>
    starts.map(({ warm }) => {
      const [mine, theirs] = [warm.get(name), warm.get(base)];
      return mine && theirs ? of(mine) / of(theirs) : Number.NaN;
    });
  const rate = (what: string, name: string, base: string, atLeast?: number): Finding =>
    findingOf(
      what,
      each((figures) => figures.requestsPerSecond, name, base),
      atLeast === undefined ? undefined : { atLeast },
    );
  const cost = (what: string, base: string, name: string): Finding =>
    findingOf(
      what,
      each((figures) => figures.microseconds, base, name),
    );
  const ofTenth = starts.map(
    ({ cold }) => (cold[0]?.requestsPerSecond ?? Number.NaN) / (cold.at(-1)?.requestsPerSecond ?? Number.NaN),
  );
  const tails = each((figures) => figures.p99, 'Postern', 'undici pipe');
  return [
    rate('GET / nginx proxy_pass', 'Postern', 'nginx proxy_pass', 0.45),
    rate('GET / nginx auth_request', 'Postern', 'nginx auth_request', 0.8),
    rate('/auth / Node server, 202', 'Postern /auth', 'Node server, 202', 0.65),
    findingOf('rate of the first second / of the tenth', ofTenth, { atLeast: 0.7 }),
    findingOf('p99 of GET / of the undici pipe', tails, { atMost: 1.3 }),
    rate('GET / http-proxy 1.18.1', 'Postern', 'http-proxy 1.18.1'),
    rate('GET / http-proxy in use', 'Postern', 'http-proxy in use'),
    rate('GET / undici pipe', 'Postern', 'undici pipe'),
    // What others do on the machine meanwhile falls on rates, and hardly on these.
    cost('processor time of http-proxy 1.18.1 / GET', 'http-proxy 1.18.1', 'Postern'),
    cost('processor time of nginx proxy_pass / GET', 'nginx proxy_pass', 'Postern'),
    cost('processor time of Node server, 202 / /auth', 'Node server, 202', 'Postern /auth'),
    rate('GET with access log / without', 'Postern, with its access log', 'Postern'),
  ];
}
