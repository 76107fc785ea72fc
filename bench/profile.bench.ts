/** Where the gate spends its time: a processor profile under load, by function. `PROFILE=requests|decisions|bodies|websockets`. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFastUpstream } from './forward/fast-upstream.ts';
import { measure } from './load.ts';
import { BIG_FILE } from './start-nginx.ts';
import { type StartedPostern, startPostern } from './start-postern.ts';
import { startedTogether, startServer } from './start-server.ts';
import { printTable } from './table.ts';
import { exchangeMessages, openWebSockets } from './websocket-client.ts';

const SECONDS = 8;
const SHOWN = 40;

type Load = (postern: StartedPostern) => Promise<unknown>;

const requestsTo =
  (path: string, connections?: number): Load =>
  ({ url, viewer, pid }) =>
    measure({ name: path, url: `${url}${path}`, headers: viewer, pid }, SECONDS, connections);

const LOADS: Readonly<Record<string, Load>> = {
  requests: requestsTo('/api/version'),
  decisions: requestsTo('/auth'),
  bodies: requestsTo(BIG_FILE, 4),
  async websockets({ url, viewer }) {
    const sockets = await openWebSockets({ url: `${url}/live/mse/api/ws?src=cam1`, headers: viewer }, 200);
    await exchangeMessages(sockets, SECONDS);
    for (const socket of sockets) socket.destroy();
  },
};
const WANTED = process.env['PROFILE'] ?? 'requests';

export const benchmark = { title: `where the time of ${WANTED} goes, ${SECONDS} s under load`, run };

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

async function run(): Promise<void> {
  const load = LOADS[WANTED];
  if (!load) throw new Error(`PROFILE: there is no ${WANTED}, only ${Object.keys(LOADS).join(', ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'postern-profile-'));
  try {
    await profiled(load, directory);
    print(busiest(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The profile is written when the server has stopped. */
async function profiled(load: Load, directory: string): Promise<void> {
  await using servers = startedTogether();
  const upstream = await servers.keep(WANTED === 'websockets' ? startServer('upstream', 1) : startFastUpstream());
  const nodeFlags = ['--cpu-prof', '--cpu-prof-dir', directory];
  await load(await servers.keep(startPostern({ upstream: upstream.url, nodeFlags })));
}

/** The worker for events has a profile of its own, and slept. */
function busiest(directory: string): Profile {
  const profiles = readdirSync(directory).map(
    (file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as Profile,
  );
  const busy = (profile: Profile): number => sumOf([...selfTimes(profile).values()]);
  return profiles.reduce((most, each) => (busy(each) > busy(most) ? each : most));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Microseconds in each node itself; waiting is not work. */
function selfTimes({ nodes, samples, timeDeltas }: Profile): Map<number, number> {
  const waiting = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));
  const times = new Map<number, number>();
  samples.forEach((id, at) => {
    if (!waiting.has(id)) times.set(id, (times.get(id) ?? 0) + (timeDeltas[at] ?? 0));
  });
  return times;
}

function print(profile: Profile): void {
  const self = selfTimes(profile);
  const total = sumOf([...self.values()]);
  const share = (time: number): string => `${((time / total) * 100).toFixed(1)} %`;
  const own = summed(
    profile,
    (node) => self.get(node.id) ?? 0,
    (node) => nameOf(node.callFrame),
  );
  const files = summed(
    profile,
    (node) => self.get(node.id) ?? 0,
    (node) => placeOf(node.callFrame.url),
  );
  const inclusive = inclusiveTimes(profile, self);
  printTable(
    ['place', 'itself'],
    top(files).map(([name, time]) => [name, share(time)]),
  );
  console.log();
  printTable(
    ['function', 'itself', 'with what it calls'],
    top(own).map(([name, time]) => [name, share(time), share(inclusive.get(name) ?? 0)]),
  );
  console.log();
  printTable(
    ['function of the gate', 'with what it calls'],
    top(inclusive)
      .filter(([name]) => name.includes('src/'))
      .map(([name, time]) => [name, share(time)]),
  );
}

function summed(
  profile: Profile,
  timeOf: (node: ProfileNode) => number,
  nameOf: (node: ProfileNode) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const node of profile.nodes) sums.set(nameOf(node), (sums.get(nameOf(node)) ?? 0) + timeOf(node));
  return sums;
}

/** A function that calls itself by way of others counts once. */
function inclusiveTimes({ nodes }: Profile, self: ReadonlyMap<number, number>): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map<string, number>();
  const visit = (node: ProfileNode, above: ReadonlySet<string>): number => {
    const name = nameOf(node.callFrame);
    const within = new Set(above).add(name);
    const below = (node.children ?? []).map((id) => byId.get(id)).filter((child) => child !== undefined);
    const time = (self.get(node.id) ?? 0) + sumOf(below.map((child) => visit(child, within)));
    if (!above.has(name)) times.set(name, (times.get(name) ?? 0) + time);
    return time;
  };
  const [root] = nodes;
  if (root) visit(root, new Set());
  return times;
}

const top = (times: ReadonlyMap<string, number>): [string, number][] =>
  [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN);

const nameOf = ({ functionName, url, lineNumber }: ProfileNode['callFrame']): string =>
  `${functionName || '(anonymous)'} ${placeOf(url)}${url === '' ? '' : `:${lineNumber + 1}`}`;

/** From the repository's own root, or the package's. */
const placeOf = (url: string): string =>
  url.replace(/^.*\/node_modules\//, '').replace(/^file:.*?\/(?=src\/)/, '') || '(native)';
