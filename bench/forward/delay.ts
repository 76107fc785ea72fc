/** What the gate adds to the time of a request when it is not pressed: 500 requests a second, in a steady step. */
import type { HttpTarget } from '../kept-connection.ts';
import { roundsOf } from '../load.ts';
import { openLoop } from '../open-loop.ts';
import { HAS_NGINX, nginxProxy } from '../start-nginx.ts';
import { startPostern } from '../start-postern.ts';
import { startedTogether, startServer } from '../start-server.ts';
import { type Finding, median, printTable, quantile } from '../table.ts';
import { startFastUpstream } from './fast-upstream.ts';

const ROUNDS = 5;
const LOAD = { perSecond: 500, seconds: 3 };
const WARM_UP = { perSecond: 1000, seconds: 3 };
const SMALL = '/api/version';

type Subject = HttpTarget & { readonly name: string };

interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly late: number;
}

export async function measureDelay(): Promise<Finding[]> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const subjects: Subject[] = [
    { name: 'straight to the upstream', url: `${upstream.url}${SMALL}` },
    ...(HAS_NGINX
      ? [{ name: 'nginx proxy_pass', url: `${(await servers.keep(nginxProxy(upstream.url))).url}${SMALL}` }]
      : []),
    // What any program on Node adds, which decides nothing.
    { name: 'Node pipe', url: `${(await servers.keep(startServer('bare-pipe', 1, upstream.url))).url}${SMALL}` },
    { name: 'Postern', url: `${postern.url}${SMALL}`, headers: postern.viewer },
  ];
  const rounds = await roundsOf(subjects, ROUNDS, (subject, isWarmUp) => oneRound(subject, isWarmUp));
  const figures = new Map([...rounds].map(([name, each]) => [name, medians(each)]));
  print(figures);
  const added = (figure: 'p50' | 'p99', name: string): number =>
    (figures.get(name)?.[figure] ?? Number.NaN) - (figures.get('straight to the upstream')?.[figure] ?? Number.NaN);
  const each = (rounds.get('Postern') ?? []).map(
    ({ p99 }, round) => p99 - (rounds.get('straight to the upstream')?.[round]?.p99 ?? Number.NaN),
  );
  return [
    {
      what: `added p99 at 500 requests/s, worst of ${ROUNDS} rounds`,
      seen: Math.max(...each),
      spread: [Math.min(...each), Math.max(...each)],
      unit: 'ms',
      goal: { atMost: 1 },
    },
    { what: 'the same, median of the rounds', seen: added('p99', 'Postern'), unit: 'ms' },
    { what: 'added p50 at 500 requests/s', seen: added('p50', 'Postern'), unit: 'ms' },
    { what: 'the same p99 with a pipe on Node', seen: added('p99', 'Node pipe'), unit: 'ms' },
    { what: 'the same p99 with nginx proxy_pass', seen: added('p99', 'nginx proxy_pass'), unit: 'ms' },
  ];
}

async function oneRound(subject: Subject, isWarmUp: boolean): Promise<Figures> {
  const { answered, late } = await openLoop(subject, isWarmUp ? WARM_UP : LOAD);
  return {
    p50: median(answered),
    p99: quantile(answered, 0.99),
    most: quantile(answered, 1),
    late: quantile(late, 0.99),
  };
}

const medians = (rounds: readonly Figures[]): Figures => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
  most: median(rounds.map(({ most }) => most)),
  late: median(rounds.map(({ late }) => late)),
});

function print(figures: ReadonlyMap<string, Figures>): void {
  console.log(
    `Delay at ${LOAD.perSecond} requests/s, due at fixed times, ${ROUNDS} rounds of ${LOAD.seconds} s in turn, medians\n`,
  );
  printTable(
    ['', 'p50 ms', 'p99 ms', 'most ms', 'sent late p99 ms'],
    [...figures].map(([name, { p50, p99, most, late }]) => [
      name,
      ...[p50, p99, most, late].map((figure) => figure.toFixed(2)),
    ]),
  );
  console.log();
}
