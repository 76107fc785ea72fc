/**
 * `npm run bench -- versions COMMIT…`: this checkout beside other commits of it. Each is built as its operators build it. The server
 * has a processor of its own, and the client and the upstream have the other one. Every round measures each version and a bare answer
 * of Node one after another, and the processor time of a version is divided by that of the bare answer of the same round.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { measure, showProgress, type Target } from './load.ts';
import { residentMegabytes, untilCalm } from './machine.ts';
import type { PosternOptions, StartedPostern } from './start-postern.ts';
import { type StartedServer, startedTogether, startServer } from './start-server.ts';
import { median, printTable } from './table.ts';

export const benchmark = { title: 'this checkout beside other commits', run };

const HERE = join(import.meta.dirname, '..');
const SMALL = '/api/version';
const CONNECTIONS = 32;
const STARTS = Number(process.env['STARTS'] ?? 4);
const ROUNDS = Number(process.env['ROUNDS'] ?? 6);
const SECONDS = 2;
const WARM_UP_SECONDS = 4;
const SETTLE_MS = 3_000;
const CALM_PATIENCE_MS = 10_000;
const [OF_SERVERS, OF_OTHERS] = ['0', '1'];

interface Version {
  readonly name: string;
  start(options: PosternOptions): Promise<StartedPostern>;
}

interface Seen {
  readonly forwarded: number[];
  readonly asked: number[];
  readonly idle: number[];
  readonly ready: number[];
}

async function run(commits: readonly string[]): Promise<void> {
  const checkouts = commits.map((commit) => ({ name: commit, directory: checkedOut(commit) }));
  try {
    const versions = await Promise.all([...checkouts, { name: 'this checkout', directory: HERE }].map(versionIn));
    pin(process.pid, OF_OTHERS);
    const names = [...versions.map(({ name }) => name), PIPE];
    const seen = new Map<string, Seen>(
      names.map((name) => [name, { forwarded: [], asked: [], idle: [], ready: [] } satisfies Seen]),
    );
    for (let start = 1; start <= STARTS; start += 1) await oneStart(versions, seen, `start ${start} of ${STARTS}`);
    showProgress('');
    print(seen);
  } finally {
    for (const { directory } of checkouts) {
      execFileSync('git', ['worktree', 'remove', '--force', directory], { cwd: HERE });
      rmSync(directory, { recursive: true, force: true });
    }
  }
}

const PIPE = 'plain pipe of the same client';

async function oneStart(versions: readonly Version[], seen: ReadonlyMap<string, Seen>, progress: string) {
  await using servers = startedTogether();
  const keep = async <Server extends StartedServer>(starting: Promise<Server>): Promise<Server> => {
    const server = await servers.keep(starting);
    pin(server.pid, OF_SERVERS);
    return server;
  };
  const upstream = await servers.keep(startServer('upstream', 1));
  const bare = await keep(startServer('upstream', 1));
  const pipe = await keep(startServer('bare-pipe', 1, upstream.url));
  const started: [name: string, postern: StartedPostern][] = [];
  for (const { name, start } of versions) {
    showProgress(`${progress}: ${name}`);
    const since = performance.now();
    const postern = await keep(start({ upstream: upstream.url }));
    seen.get(name)?.ready.push((performance.now() - since) / 1000);
    await sleep(SETTLE_MS);
    seen.get(name)?.idle.push(residentMegabytes(postern.pid));
    started.push([name, postern]);
  }
  const targets = [
    to(PIPE, pipe, SMALL, 'forwarded'),
    ...started.map(([name, postern]) => to(name, postern, SMALL, 'forwarded', postern.viewer)),
    ...started.map(([name, postern]) => to(name, postern, '/auth', 'asked', postern.viewer)),
  ];
  const yardstick: Target = { name: 'bare answer', url: `${bare.url}${SMALL}`, pid: bare.pid };
  for (const target of [yardstick, ...targets]) await measure(target, WARM_UP_SECONDS, CONNECTIONS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    showProgress(`${progress}: round ${round} of ${ROUNDS}`);
    await untilCalm(CALM_PATIENCE_MS);
    const before = await measure(yardstick, SECONDS, CONNECTIONS);
    const costs = new Map<Measured, number>();
    for (const target of round % 2 === 0 ? targets : targets.toReversed())
      costs.set(target, (await measure(target, SECONDS, CONNECTIONS)).microseconds);
    const after = await measure(yardstick, SECONDS, CONNECTIONS);
    const unit = (before.microseconds + after.microseconds) / 2;
    for (const [{ name, kind }, cost] of costs) seen.get(name)?.[kind].push(cost / unit);
  }
}

type Measured = Target & { readonly kind: 'forwarded' | 'asked' };

const to = (
  name: string,
  { url, pid }: StartedServer,
  path: string,
  kind: Measured['kind'],
  headers: Readonly<Record<string, string>> = {},
): Measured => ({ name, kind, url: `${url}${path}`, headers, pid });

function print(seen: ReadonlyMap<string, Seen>): void {
  const pipe = median(seen.get(PIPE)?.forwarded ?? []);
  console.log(
    `Processor time ÷ that of a bare answer of Node in the same round: ${STARTS} starts × ${ROUNDS} rounds\n`,
  );
  printTable(
    ['', 'GET by cookie', 'spread', '÷ plain pipe', '/auth', 'spread', 'idle MB', 'login possible after s'],
    [...seen].map(([name, { forwarded, asked, idle, ready }]) => [
      name,
      figure(forwarded),
      spread(forwarded),
      (median(forwarded) / pipe).toFixed(2),
      figure(asked),
      spread(asked),
      figure(idle, 0),
      figure(ready),
    ]),
  );
}

const figure = (values: readonly number[], digits = 2): string =>
  values.length === 0 ? '' : median(values).toFixed(digits);
const spread = (values: readonly number[]): string =>
  values.length === 0 ? '' : `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;

function checkedOut(commit: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-version-'));
  execFileSync('git', ['worktree', 'add', '--detach', '--force', directory, commit], { cwd: HERE, stdio: 'ignore' });
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, stdio: 'ignore' });
  execFileSync('npm', ['run', '--silent', 'prebench'], { cwd: directory, stdio: 'ignore' });
  return directory;
}

/** Each version is started by its own benchmark, which knows its configuration and its store. */
async function versionIn({ name, directory }: { name: string; directory: string }): Promise<Version> {
  const { startPostern } = (await import(pathToFileURL(join(directory, 'bench/start-postern.ts')).href)) as {
    startPostern: Version['start'];
  };
  return { name, start: startPostern };
}

/** All threads of a process, on one processor. */
function pin(pid: number, processor: string): void {
  execFileSync('taskset', ['-acp', processor, String(pid)], { stdio: 'ignore' });
}
