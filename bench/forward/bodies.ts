/** Long answers: bytes per second of 100 MB bodies, four at a time. */
import { type Figures, inTurn, type Target } from '../load.ts';
import { BIG_FILE, BIG_FILE_BYTES, HAS_NGINX, nginxProxy } from '../start-nginx.ts';
import { startPostern } from '../start-postern.ts';
import { type StartedServer, startedTogether, startServer } from '../start-server.ts';
import { type Finding, printTable } from '../table.ts';
import { startFastUpstream } from './fast-upstream.ts';

const LOAD = { rounds: 5, seconds: 3, connections: 4 };
/** nginx looks at the path, Node's upstream at the query. */
const BIG = `${BIG_FILE}?bytes=${BIG_FILE_BYTES}`;

export async function measureBodies(): Promise<Finding[]> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const big = (name: string, { url, pid }: StartedServer): Target => ({ name, url: `${url}${BIG}`, pid });
  const figures = await inTurn(
    [
      big('straight to the upstream', upstream),
      ...(HAS_NGINX ? [big('nginx proxy_pass', await servers.keep(nginxProxy(upstream.url)))] : []),
      big('http-proxy 1.18.1', await servers.keep(startServer('bare-proxy', 1, upstream.url, '1.18.1'))),
      big('undici pipe', await servers.keep(startServer('bare-undici', 1, upstream.url))),
      { ...big('Postern', postern), headers: postern.viewer },
    ],
    LOAD,
  );
  print(figures);
  const rate = (name: string): number => figures.get(name)?.bytesPerSecond ?? Number.NaN;
  return [
    {
      what: '100 MB bodies / nginx proxy_pass',
      seen: rate('Postern') / rate('nginx proxy_pass'),
      goal: { atLeast: 0.6 },
    },
  ];
}

function print(figures: ReadonlyMap<string, Figures>): void {
  console.log(`Bodies of 100 MB, four at a time, ${LOAD.rounds} rounds of ${LOAD.seconds} s in turn, medians\n`);
  printTable(
    ['', 'MB/s', 'processor ms/body'],
    [...figures].map(([name, { bytesPerSecond, microseconds }]) => [
      name,
      (bytesPerSecond / 1e6).toFixed(0),
      (microseconds / 1000).toFixed(0),
    ]),
  );
  console.log();
}
