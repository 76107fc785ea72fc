/** What came of the starts: tables, and the ratios that have goals. */
import { type Figures, LOAD_TOOL } from '../load.ts';
import { HAS_NGINX } from '../start-nginx.ts';
import { type Finding, findingOf, median, printTable, quantile } from '../table.ts';

export const STARTS = Number(process.env['STARTS'] ?? 5);
export const CONNECTIONS = 16;
export const MANY: readonly number[] = [64, 256];
/** Behind the name of a target, for its long bodies. */
export const BODIES = ', bodies';

/** What one start gave: each target's figures once it is warm, and Postern's from its first second on. */
export interface Start {
  readonly warm: ReadonlyMap<string, Figures>;
  readonly cold: readonly Figures[];
}

export function printStarts(
  starts: readonly Start[],
  restless: number,
  load: { readonly rounds: number; readonly seconds: number },
): void {
  console.log(
    `Small JSON and decisions: ${CONNECTIONS} connections of ${LOAD_TOOL}, ${STARTS} fresh starts, in each ${load.rounds} rounds of ${load.seconds} s in turn`,
  );
  if (restless > 0) console.log(`(${restless} of ${STARTS} starts began while others used the machine)`);
  if (!HAS_NGINX)
    console.log('nginx is not installed: what is measured against it is left out, and Node plays the upstream');
  console.log();
  const names = [...(starts[0]?.warm.keys() ?? [])];
  const isOfBodies = (name: string): boolean => name.endsWith(BODIES);
  printTable(
    ['', 'requests/s', 'spread', 'p50 ms', 'p99 ms', 'processor µs/request', 'spread'],
    names
      .filter((name) => !isOfBodies(name))
      .map((name) => {
        const of = (figure: keyof Figures): number[] => figuresOf(starts, name, figure);
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
  console.log('\nBodies of 100 MB, four at a time\n');
  printTable(
    ['', 'MB/s', 'spread', 'processor s/GB', 'spread'],
    names.filter(isOfBodies).map((name) => {
      const of = (figure: keyof Figures): number[] => figuresOf(starts, name, figure);
      const rates = of('bytesPerSecond').map((bytes) => bytes / 1e6);
      const costs = of('secondsPerGigabyte');
      return [name, median(rates).toFixed(0), spread(rates), median(costs).toFixed(2), spread(costs, 2)];
    }),
  );
  console.log('\nPostern from its first second on, before anything else used it\n');
  const second = (at: number): Figures[] => starts.flatMap(({ cold }) => cold.slice(at - 1, at));
  printTable(
    ['second', 'requests/s', 'spread', 'p99 ms', 'spread'],
    [1, 2, 3, 5, 10].map((at) => {
      const rates = second(at).map(({ requestsPerSecond }) => requestsPerSecond);
      const tails = second(at).map(({ p99 }) => p99);
      return [String(at), median(rates).toFixed(0), spread(rates), median(tails).toFixed(1), spread(tails, 1)];
    }),
  );
  console.log();
}

const spread = (values: readonly number[], digits = 0): string =>
  `${quantile(values, 0).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;

/** Of the starts that have it. */
const figuresOf = (starts: readonly Start[], name: string, figure: keyof Figures): number[] =>
  starts.flatMap(({ warm }) => warm.get(name)?.[figure] ?? []);

/** Each ratio is taken within one start; what is told is their median and their spread. */
export function findingsOf(starts: readonly Start[]): Finding[] {
  const each = (of: keyof Figures, name: string, base: string): number[] =>
    starts
      .map(({ warm }) => (warm.get(name)?.[of] ?? Number.NaN) / (warm.get(base)?.[of] ?? Number.NaN))
      .filter((ratio) => !Number.isNaN(ratio));
  const rate = (what: string, name: string, base: string, atLeast?: number): Finding =>
    findingOf(what, each('requestsPerSecond', name, base), atLeast === undefined ? undefined : { atLeast });
  /** What others do on the machine meanwhile falls on rates, and hardly on these. */
  const cost = (what: string, of: keyof Figures, base: string, name: string, atLeast?: number): Finding =>
    findingOf(what, each(of, base, name), atLeast === undefined ? undefined : { atLeast });
  const ofTenth = starts.map(
    ({ cold }) => (cold[0]?.requestsPerSecond ?? Number.NaN) / (cold.at(-1)?.requestsPerSecond ?? Number.NaN),
  );
  return [
    rate('GET / nginx proxy_pass', 'Postern', 'nginx proxy_pass', 0.45),
    rate('GET / nginx auth_request', 'Postern', 'nginx auth_request', 0.8),
    rate('GET / Caddy forward_auth', 'Postern', 'Caddy forward_auth', 1.5),
    rate('GET / oauth2-proxy', 'Postern', 'oauth2-proxy', 1.5),
    cost(
      'bodies: processor time of nginx / of Postern',
      'secondsPerGigabyte',
      `nginx proxy_pass${BODIES}`,
      `Postern${BODIES}`,
      0.65,
    ),
    rate('/auth / Node server, 202', 'Postern /auth', 'Node server, 202', 0.65),
    findingOf('rate of the first second / of the tenth', ofTenth, { atLeast: 0.7 }),
    findingOf('p99 of GET / of a pipe on Node', each('p99', 'Postern', 'Node pipe'), { atMost: 1.3 }),
    ...MANY.map((connections) =>
      rate(
        `GET / nginx proxy_pass, ${connections} connections`,
        `Postern, ${connections} connections`,
        `nginx proxy_pass, ${connections} connections`,
      ),
    ),
    rate('GET / HAProxy', 'Postern', 'HAProxy'),
    cost('processor time of nginx proxy_pass / of GET', 'microseconds', 'nginx proxy_pass', 'Postern'),
    // A server that answers by itself tells machines apart.
    findingOf('processor time of GET / of a Node server', each('microseconds', 'Postern', 'Node server, 202'), {
      atMost: 1.8,
    }),
    rate('GET with access log / without', 'Postern, with its access log', 'Postern'),
    rate('GET with signed identities / without', 'Postern, with signed identities', 'Postern', 0.97),
  ];
}
