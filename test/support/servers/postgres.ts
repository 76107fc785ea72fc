/** A PostgreSQL server of a test's own, on a free port, in a directory of its own; ended with the test. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';

const newest = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);

/** The reason why tests with PostgreSQL are skipped, for `describe`; false when the server is installed. */
export const withoutPostgres: string | false =
  newest !== undefined && existsSync(join(newest, 'initdb')) ? false : 'PostgreSQL is not installed';

export interface TestPostgres {
  readonly port: number;
  /** The address of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Runs a statement as the owner of the server. */
  run(statement: string, database?: string): Promise<void>;
  /** Where a table is kept. */
  fileOf(table: string, database: string): Promise<string>;
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

const BIN = newest ?? '';
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '60',
};

/** Holds the data directory of an empty server that `test/support/run-tests.ts` made, for all files of a run. */
export const TEMPLATE = 'POSTERN_TEST_POSTGRES';

/** The data directory of an empty server, in a directory of its own. */
export function makeTemplate(): string {
  const data = join(newDirectory(), 'data');
  initialise(data);
  return data;
}

function initialise(data: string): void {
  const words = ['-D', data, '-U', 'postern', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(BIN, 'initdb'), words, { ...asUser(), stdio: 'ignore', cwd: dirname(data) });
}

/** `settings` are of postgresql.conf; `files` are written beside it first, readable by the server alone. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestPostgres> {
  const directory = newDirectory();
  const data = join(directory, 'data');
  const template = process.env[TEMPLATE];
  if (template === undefined) initialise(data);
  else execFileSync('cp', ['-a', template, data], { ...asUser() });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    owned(join(data, name));
  }
  return launch(directory, settings);
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-pg-'));
  owned(directory);
  return directory;
}

function owned(path: string): void {
  const { uid, gid } = asUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

async function launch(directory: string, settings: Readonly<Record<string, string>>): Promise<TestPostgres> {
  const user = asUser();
  const data = join(directory, 'data');
  const port = await freePort();
  const url = (database: string): string => `postgres://postern@127.0.0.1:${port}/${database}`;
  const all = { ...SETTINGS, unix_socket_directories: directory, ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ReturnType<typeof spawn>;
  let databases = 0;

  const start = async (): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const started = spawn(join(BIN, 'postgres'), ['-D', data, '-p', String(port), ...options], {
        ...user,
        cwd: directory,
        stdio: 'ignore',
        detached: true,
      });
      server = started;
      const isRunning = (): boolean => started.exitCode === null && started.signalCode === null;
      // It ends at once while a backend of the server before, which was killed, still has its memory.
      if ((await isAnswering(url('postgres'), isRunning)) || attempt === ATTEMPTS) return;
    }
  };
  /** Each backend leads a process group of its own. The server comes first, so that it starts no other. */
  const signal = (name: NodeJS.Signals): void => {
    const before = childrenOf(server.pid);
    process.kill(server.pid ?? 0, name);
    for (const backend of new Set([...before, ...childrenOf(server.pid)])) {
      try {
        process.kill(backend, name);
      } catch {} // it has ended by itself: its client went away
    }
  };
  const ended = async (name: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
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
    async run(statement, database = 'postgres') {
      await runOnce(url(database), statement);
    },
    async fileOf(table, database) {
      const { rows } = await runOnce(url(database), `select pg_relation_filepath('${table}') as path`);
      return join(data, String(rows[0]?.['path']));
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

async function runOnce(url: string, statement: string): Promise<pg.QueryResult<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const result = await client.query<Record<string, unknown>>(statement);
  await client.end();
  return result;
}

const ATTEMPTS = 20;
const QUESTIONS = 1200;

/** False: the server has ended. */
async function isAnswering(url: string, isRunning: () => boolean): Promise<boolean> {
  for (let question = 1; isRunning(); question += 1) {
    try {
      await runOnce(url, 'select 1');
      return true;
    } catch (fault) {
      if (question === QUESTIONS) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return false;
}
