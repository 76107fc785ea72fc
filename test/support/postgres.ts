/** A PostgreSQL server of a test's own, on a free port, in a directory of its own; ended with the test. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';

const newest = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);

/** For `describe`: the reason why tests with PostgreSQL are skipped; false when the server is installed. */
export const withoutPostgres: string | false =
  newest !== undefined && existsSync(join(newest, 'initdb')) ? false : 'PostgreSQL is not installed';

export interface TestPostgres {
  readonly port: number;
  /** The address of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Signals the whole server: SIGSTOP freezes it, SIGCONT lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it at once, as a power failure would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The server refuses to run as root: then it runs as the user that its package made. */
const asUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres']));
  return { uid: id('-u'), gid: id('-g') };
};

export async function startPostgres(): Promise<TestPostgres> {
  const user = asUser();
  const directory = mkdtempSync(join(tmpdir(), 'postern-pg-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
  const bin = newest ?? '';
  const data = join(directory, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postern', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    {
      ...user,
      stdio: 'ignore',
      cwd: directory,
    },
  );
  const port = await freePort();
  const url = (database: string): string => `postgres://postern@127.0.0.1:${port}/${database}`;
  const settings = [
    'fsync=off',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${directory}`,
    'max_connections=60',
  ];
  const options = settings.flatMap((setting) => ['-c', setting]);
  let server: ReturnType<typeof spawn>;
  let databases = 0;

  const start = async (): Promise<void> => {
    server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...options], {
      ...user,
      cwd: directory,
      stdio: 'ignore',
      detached: true,
    });
    await untilAnswering(url('postgres'));
  };
  /** Each backend leads a process group of its own. The server comes first, so that it starts no other. */
  const signal = (name: NodeJS.Signals): void => {
    process.kill(server.pid ?? 0, name);
    for (const backend of childrenOf(server.pid)) process.kill(backend, name);
  };
  const ended = async (name: NodeJS.Signals): Promise<void> => {
    const exit = once(server, 'exit');
    signal('SIGCONT');
    if (name === 'SIGKILL') signal(name);
    else process.kill(server.pid ?? 0, name);
    await exit;
  };
  const atExit = (): void => {
    try {
      signal('SIGKILL');
    } catch {} // it has ended
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', atExit);
  await start();
  return {
    port,
    async newDatabase() {
      databases += 1;
      const name = `store_${databases}`;
      await runOnce(url('postgres'), `create database ${name}`);
      return url(name);
    },
    signal,
    kill: () => ended('SIGKILL'),
    start,
    async stop() {
      await ended('SIGINT');
      process.removeListener('exit', atExit);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const childrenOf = (pid = 0): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

const ATTEMPTS = 200;

async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(url, 'select 1');
    } catch (fault) {
      if (attempt === ATTEMPTS) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
