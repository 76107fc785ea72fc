/**
 * Small requests and long bodies: how many each proxy passes on, and how many decisions are made, with a cookie as a viewer
 * has it. Every process is started anew several times, for how fast one is differs more between starts than between rounds.
 */
import { type Figures, measure, medianFigures, showProgress, type Target } from '../load.ts';
import { untilCalm } from '../machine.ts';
import { BIG_FILE, HAS_NGINX, nginxAuthRequest, nginxProxy } from '../start-nginx.ts';
import { caddyForwardAuth, haproxyProxy, oauth2Proxy } from '../start-peers.ts';
import { startPostern } from '../start-postern.ts';
import { type StartedServer, startedTogether, startServer } from '../start-server.ts';
import type { Finding } from '../table.ts';
import { startFastUpstream } from './fast-upstream.ts';
import { BODIES, CONNECTIONS, findingsOf, MANY, printStarts, STARTS, type Start } from './requests-report.ts';

const LOAD = { rounds: 2, seconds: 1 };
/** Until what is hot is compiled; the gate that is asked from its first second on has had more. */
const WARM_UP_SECONDS = 3;
const COLD_SECONDS = 10;
/** They tell little more in the others. */
const STARTS_WITH_MANY = 3;
const CALM_PATIENCE_MS = 5_000;
const BODY_CONNECTIONS = 4;
const SMALL = '/api/version';

/** `viewer`: headers by which it knows the caller, where it asks for that. */
type Peer = StartedServer & { readonly viewer?: { readonly cookie: string } };
type Named = readonly [name: string, server: Peer];

export async function measureRequests(): Promise<Finding[]> {
  const starts: Start[] = [];
  let restless = 0;
  for (let start = 1; start <= STARTS; start += 1) {
    showProgress(`start ${start} of ${STARTS}: waiting until the machine is calm`);
    if (!(await untilCalm(CALM_PATIENCE_MS))) restless += 1;
    starts.push(await oneStart(start));
  }
  showProgress('');
  printStarts(starts, restless, LOAD);
  return findingsOf(starts);
}

async function oneStart(start: number): Promise<Start> {
  const progress = `start ${start} of ${STARTS}`;
  await using servers = startedTogether();
  const upstream = await servers.keep(startFastUpstream());
  const auth = await servers.keep(startServer('bare-auth', 1));
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const to = (name: string, { url, pid }: StartedServer, path: string, headers = {}): Target => ({
    name,
    url: `${url}${path}`,
    headers,
    pid,
  });
  const own = to('Postern', postern, SMALL, postern.viewer);
  const cold: Figures[] = [];
  for (let second = 1; second <= COLD_SECONDS; second += 1) {
    showProgress(`${progress}: second ${second} of Postern`);
    cold.push(await measure(own, 1, CONNECTIONS));
  }
  /** None where it is not installed. */
  const kept = async (name: string, start: (() => Promise<Peer>) | undefined): Promise<Named[]> =>
    start === undefined ? [] : [[name, await servers.keep(start())]];
  const nginx = await kept('nginx proxy_pass', HAS_NGINX ? () => nginxProxy(upstream.url) : undefined);
  const pipe = await kept('Node pipe', () => startServer('bare-pipe', 1, upstream.url));
  const peers = [
    ...(await kept('nginx auth_request', HAS_NGINX ? () => nginxAuthRequest(upstream.url, auth.url) : undefined)),
    ...(await kept('HAProxy', haproxyProxy(upstream.url))),
    ...(await kept('Caddy forward_auth', caddyForwardAuth(upstream.url, auth.url))),
    ...(await kept('oauth2-proxy', oauth2Proxy(upstream.url))),
  ];
  const logging = await servers.keep(startPostern({ upstream: upstream.url, logLevel: 'info' }));
  const others = (of: readonly Named[], path: string): Target[] =>
    of.map(([name, server]) => to(name, server, path, server.viewer));
  const gates = (path: string): Target[] => [to('Postern', postern, path, postern.viewer)];
  const small = [
    ...others([...nginx, ...peers, ...pipe], SMALL),
    ...gates(SMALL),
    to('Postern, with its access log', logging, SMALL, logging.viewer),
    to('Node server, 202', auth, '/auth'),
    to('Postern /auth', postern, '/auth', postern.viewer),
  ];
  for (const gate of small.filter(({ name }) => name.startsWith(`${own.name},`)))
    await measure(gate, WARM_UP_SECONDS, CONNECTIONS);
  const warm = new Map(await warmFigures(small, progress, CONNECTIONS));
  for (const connections of start <= STARTS_WITH_MANY ? MANY : []) {
    const many = await warmFigures([...others([...nginx, ...pipe], SMALL), ...gates(SMALL)], progress, connections, 1);
    for (const [name, figures] of many) warm.set(`${name}, ${connections} connections`, figures);
  }
  const long = [...others([...nginx, ...pipe], BIG_FILE), ...gates(BIG_FILE)];
  for (const [name, figures] of await warmFigures(long, progress, BODY_CONNECTIONS))
    warm.set(`${name}${BODIES}`, figures);
  return { cold, warm };
}

/** Rounds there and back, so that no target always follows the same one; the first warms up. */
async function warmFigures(
  targets: readonly Target[],
  progress: string,
  connections: number,
  rounds = LOAD.rounds,
): Promise<ReadonlyMap<string, Figures>> {
  const all = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      showProgress(`${progress}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${target.name}`);
      const figures = await measure(target, LOAD.seconds, connections);
      if (round > 0) all.get(target.name)?.push(figures);
    }
  return new Map([...all].map(([name, figures]) => [name, medianFigures(figures)]));
}
