/** How long docs/from-frigate.md takes, from an empty directory to logins of Frigate's users: its steps as plain processes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { createPasswordHasher } from '../src/accounts/passwords/password-hash.ts';
import { startFakeNvr } from '../test/support/fake-nvr.ts';
import { freePort } from '../test/support/servers/free-port.ts';
import { endsWithUs, stopProcess } from './start-server.ts';
import { printTable } from './table.ts';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);
const MEGABYTES = 64 * 2 ** 20;

export const benchmark = {
  title:
    'from an empty directory to logins of the users of Frigate, by docs/from-frigate.md without a container engine',
  run: adopt,
};

interface MovedUser {
  readonly name: string;
  readonly password: string;
  readonly role: string;
}

const USERS: readonly MovedUser[] = ['anna', 'bert', 'cora', 'dan', 'eva'].map((name, at) => ({
  name,
  password: `${name} walks 7 dogs at dawn`,
  role: at === 0 ? 'admin' : 'viewer',
}));

async function adopt(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-adoption-'));
  const nvr = await startFakeNvr();
  const rows: [step: string, seconds: string][] = [];
  const timed = async <Value>(step: string, work: () => Promise<Value>): Promise<Value> => {
    const begin = performance.now();
    const value = await work();
    rows.push([step, ((performance.now() - begin) / 1000).toFixed(1)]);
    return value;
  };
  const [app, config, database] = [
    join(directory, 'postern'),
    join(directory, 'config'),
    join(directory, 'frigate.db'),
  ];
  let serving: ChildProcess | undefined;
  try {
    await writeUsers(database);
    const begin = performance.now();
    await timed('git clone', () => run('git', ['clone', '--quiet', ROOT, app]));
    await timed('docker build: npm ci, pages, npm ci of the packages that run', () => build(app));
    await mkdir(config);
    const port = await freePort();
    const env = {
      ...process.env,
      ...environmentOf(nvr.url, port),
      POSTERN_CONFIG_DIR: config,
      POSTERN_FIRST_CONFIG: join(app, 'conf/container.yaml'),
    };
    const postern = (...words: string[]) =>
      run(process.execPath, [join(app, 'bundle/main.js'), ...words], { env, maxBuffer: MEGABYTES });
    serving = await timed('docker compose up: until it is ready', () => serve(app, env));
    const imported = await timed('postern users import', () => postern('users', 'import', database));
    await timed('postern check', () => postern('check'));
    await timed('postern doctor', () => postern('doctor', `https://127.0.0.1:${port}`));
    await timed(`log in as ${USERS.length} users, and read the configuration of the NVR`, () => logInAll(port));
    rows.push(['all', ((performance.now() - begin) / 1000).toFixed(1)]);
    printTable(['step', 'seconds'], rows);
    console.log(`\n${imported.stdout.trim().split('\n').at(-1)}`);
    console.log('Not in it: fetching the images of Node and Frigate, reading, typing, and the browser.');
  } finally {
    if (serving) await stopProcess(serving);
    await nvr.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** As Frigate keeps them: 600,000 rounds. */
async function writeUsers(file: string): Promise<void> {
  const hasher = createPasswordHasher({ iterations: 600_000, concurrency: 1, queue: USERS.length });
  const database = new DatabaseSync(file);
  database.exec(
    'create table user (username text primary key, role text, password_hash text, notification_tokens text)',
  );
  for (const { name, role, password } of USERS) {
    const hashed = await hasher.hash(password);
    if (hashed.kind !== 'hashed') throw new Error(`the password of ${name} was not hashed: ${hashed.kind}`);
    database.prepare('insert into user values (?, ?, ?, ?)').run(name, role, hashed.hash, '[]');
  }
  database.close();
}

/** What the Dockerfile does: one installation for the pages, one for what runs. */
async function build(app: string): Promise<void> {
  const npm = (...words: string[]) => run('npm', words, { cwd: app, maxBuffer: MEGABYTES });
  await npm('ci', '--no-audit', '--no-fund');
  await npm('run', 'build');
  await npm('ci', '--omit=dev', '--omit=optional', '--no-audit', '--no-fund');
}

/** Of the compose file in the guide, with addresses of this machine. */
function environmentOf(nvrUrl: string, port: number): Readonly<Record<string, string>> {
  const guide = readFileSync(join(ROOT, 'docs/from-frigate.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, body]) => parse(body ?? ''));
  const compose = blocks.find((block) => block.services?.postern)?.services.postern.environment;
  return {
    ...compose,
    POSTERN__NVR__URL: nvrUrl,
    POSTERN__SERVER__EXTERNAL: `127.0.0.1:${port}`,
    POSTERN__SERVER__TELEMETRY: 'false',
    // No other machine is asked.
    POSTERN__NVR__WARN_OPEN_PORTS: 'false',
  };
}

function serve(app: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = endsWithUs(
    spawn(process.execPath, [join(app, 'bundle/main.js'), 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`postern serve ended with ${code}`)));
    child.stdout?.on('data', (bytes: Buffer) => {
      if (bytes.toString().includes('Postern is ready.')) resolve(child);
    });
  });
}

async function logInAll(port: number): Promise<void> {
  for (const { name: user, password } of USERS) {
    const login = await ask(port, 'POST', '/api/login', {}, JSON.stringify({ user, password }));
    const cookie = login.cookie?.split(';')[0];
    const read = await ask(port, 'GET', '/api/config', { cookie: cookie ?? '' });
    if (login.status !== 200 || read.status !== 200)
      throw new Error(`${user}: login ${login.status}, then ${read.status}`);
  }
}

/** The certificate is the one that the start made: a browser asks once. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ readonly status: number; readonly cookie: string | undefined }> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers };
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: all, rejectUnauthorized: false },
      (response) => {
        response
          .resume()
          .once('end', () =>
            resolve({ status: response.statusCode ?? 0, cookie: response.headers['set-cookie']?.[0] }),
          );
      },
    );
    sent.once('error', reject).end(body);
  });
}
