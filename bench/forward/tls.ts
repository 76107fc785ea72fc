/** TLS in front: small requests and long bodies, beside nginx with the same certificate and cipher. */
import { join } from 'node:path';
import { type Figures, HAS_H2LOAD, inTurn, type Target } from '../load.ts';
import { BIG_FILE, HAS_NGINX, nginxProxy } from '../start-nginx.ts';
import { startPostern } from '../start-postern.ts';
import { startedTogether } from '../start-server.ts';
import { type Finding, printTable } from '../table.ts';
import { startFastUpstream } from './fast-upstream.ts';

const LOAD = { rounds: 3, seconds: 2 };
const SMALL = '/api/version';

export async function measureTls(): Promise<Finding[]> {
  if (!HAS_NGINX) return [];
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const postern = await servers.keep(startPostern({ upstream: upstream.url, tls: true }));
  const files = join(postern.directory, 'tls');
  const pair = { certificate: join(files, 'fullchain.pem'), privateKey: join(files, 'privkey.pem') };
  const nginx = await servers.keep(nginxProxy(upstream.url, pair));
  const targets = (path: string): Target[] =>
    VERSIONS.flatMap(({ suffix, isHttp2 }) => [
      { name: `nginx proxy_pass${suffix}`, url: `${nginx.url}${path}`, pid: nginx.pid, isHttp2 },
      { name: `Postern${suffix}`, url: `${postern.url}${path}`, headers: postern.viewer, pid: postern.pid, isHttp2 },
    ]);
  const small = await inTurn(targets(SMALL), { ...LOAD, connections: 16 });
  const bodies = await inTurn(targets(BIG_FILE), { ...LOAD, connections: 4 });
  print(small, bodies);
  const ratio = (figures: typeof small, of: 'requestsPerSecond' | 'secondsPerGigabyte', name: string, base: string) =>
    (figures.get(name)?.[of] ?? Number.NaN) / (figures.get(base)?.[of] ?? Number.NaN);
  return VERSIONS.flatMap(({ suffix }) => [
    {
      what: `TLS${suffix}: GET / nginx proxy_pass`,
      seen: ratio(small, 'requestsPerSecond', `Postern${suffix}`, `nginx proxy_pass${suffix}`),
    },
    {
      what: `TLS${suffix}: processor time per GB of nginx / of Postern`,
      seen: ratio(bodies, 'secondsPerGigabyte', `nginx proxy_pass${suffix}`, `Postern${suffix}`),
    },
  ]);
}

/** HTTP/2 where its load tool is installed. */
const VERSIONS: readonly { readonly suffix: string; readonly isHttp2: boolean }[] = [
  { suffix: '', isHttp2: false },
  ...(HAS_H2LOAD ? [{ suffix: ', HTTP/2', isHttp2: true }] : []),
];

function print(small: ReadonlyMap<string, Figures>, bodies: ReadonlyMap<string, Figures>): void {
  console.log('Over TLS 1.3: small requests on 16 connections, bodies of 100 MB four at a time, medians\n');
  printTable(
    ['', 'requests/s', 'processor µs/request', 'MB/s', 'processor s/GB'],
    [...small].map(([name, { requestsPerSecond, microseconds }]) => {
      const body = bodies.get(name);
      return [
        name,
        requestsPerSecond.toFixed(0),
        microseconds.toFixed(0),
        ((body?.bytesPerSecond ?? Number.NaN) / 1e6).toFixed(0),
        (body?.secondsPerGigabyte ?? Number.NaN).toFixed(2),
      ];
    }),
  );
  console.log();
}
