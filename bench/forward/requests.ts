/** Small requests: how many each proxy passes on, and how many decisions are made, with a cookie as a viewer has it. */
import { type Figures, inTurn, LOAD_TOOL, type Target } from '../load.ts';
import { HAS_NGINX, nginxAuthRequest, nginxProxy } from '../start-nginx.ts';
import { startPostern } from '../start-postern.ts';
import { type StartedServer, startedTogether, startServer } from '../start-server.ts';
import { type Finding, printTable } from '../table.ts';
import { startFastUpstream } from './fast-upstream.ts';

const LOAD = { rounds: 5, seconds: 3 };
const SMALL = '/api/version';

export async function measureRequests(): Promise<Finding[]> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const auth = await servers.keep(startServer('bare-auth', 1));
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const logging = await servers.keep(startPostern({ upstream: upstream.url, logLevel: 'info' }));
  const small = (name: string, { url, pid }: StartedServer): Target => ({ name, url: `${url}${SMALL}`, pid });
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
    { ...small('Postern', postern), headers: postern.viewer },
    { ...small('Postern, with its access log', logging), headers: logging.viewer },
    { name: 'Node server, 202', url: `${auth.url}/auth`, pid: auth.pid },
    { name: 'Postern /auth', url: `${postern.url}/auth`, headers: postern.viewer, pid: postern.pid },
  ];
  const figures = await inTurn(targets, LOAD);
  print(figures);
  return findingsOf(figures);
}

function print(figures: ReadonlyMap<string, Figures>): void {
  console.log(
    `Small JSON and decisions: 16 connections of ${LOAD_TOOL}, ${LOAD.rounds} rounds of ${LOAD.seconds} s in turn, medians`,
  );
  if (!HAS_NGINX)
    console.log('nginx is not installed: what is measured against it is left out, and Node plays the upstream');
  console.log();
  printTable(
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'processor µs/request'],
    [...figures].map(([name, { requestsPerSecond, p50, p99, microseconds }]) => [
      name,
      requestsPerSecond.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(2),
      microseconds.toFixed(0),
    ]),
  );
  console.log();
}

function findingsOf(figures: ReadonlyMap<string, Figures>): Finding[] {
  const rate = (name: string): number => figures.get(name)?.requestsPerSecond ?? Number.NaN;
  const ratio = (name: string, base: string): number => rate(name) / rate(base);
  const cost = (name: string): number => figures.get(name)?.microseconds ?? Number.NaN;
  return [
    { what: 'GET / http-proxy 1.18.1', seen: ratio('Postern', 'http-proxy 1.18.1'), goal: { atLeast: 2 } },
    { what: 'GET / nginx proxy_pass', seen: ratio('Postern', 'nginx proxy_pass'), goal: { atLeast: 0.35 } },
    { what: '/auth / Node server, 202', seen: ratio('Postern /auth', 'Node server, 202'), goal: { atLeast: 0.6 } },
    { what: 'GET / nginx auth_request', seen: ratio('Postern', 'nginx auth_request') },
    { what: 'GET / http-proxy in use', seen: ratio('Postern', 'http-proxy in use') },
    { what: 'GET / undici pipe', seen: ratio('Postern', 'undici pipe') },
    // What others do on the machine meanwhile falls on rates, and hardly on these.
    { what: 'processor time of http-proxy 1.18.1 / GET', seen: cost('http-proxy 1.18.1') / cost('Postern') },
    { what: 'processor time of nginx proxy_pass / GET', seen: cost('nginx proxy_pass') / cost('Postern') },
    { what: 'processor time of Node server, 202 / /auth', seen: cost('Node server, 202') / cost('Postern /auth') },
    { what: 'GET with access log / without', seen: ratio('Postern, with its access log', 'Postern') },
  ];
}
