/** Postern as its operators run it, built and with the flags of `npm start`, from a directory of its own with three people in it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { BUNDLE } from '../src/build-server.ts';
import { openStore } from '../src/store/open-store.ts';
import { ADMIN_PERSON, EVERYBODY, moveIn, type Person, TEST_ITERATIONS, VERA } from '../test/support/people.ts';
import { endsWithUs, type StartedServer, stopProcess } from './start-server.ts';

export interface PosternOptions {
  readonly upstream: string;
  /** `info` is the default of an instance, with a line for each request; the yardsticks log nothing. */
  readonly logLevel?: 'info' | 'warning';
  readonly auth?: Readonly<Record<string, unknown>>;
  readonly nvr?: Readonly<Record<string, unknown>>;
  readonly events?: Readonly<Record<string, unknown>>;
  readonly server?: Readonly<Record<string, unknown>>;
  readonly store?: Readonly<Record<string, unknown>>;
  readonly ledger?: Readonly<Record<string, unknown>>;
  /** Its listener speaks TLS, with a certificate that it makes itself. */
  readonly tls?: boolean;
  /** False: others have moved them into the same store. */
  readonly people?: boolean;
  /** Node's own flags, before the program. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface StartedPostern extends StartedServer {
  readonly child: ChildProcess;
  readonly directory: string;
  readonly telemetryUrl: string;
  /** Headers with the session cookie of a fresh login. */
  cookieOf(person: Person): Promise<{ readonly cookie: string }>;
  readonly viewer: { readonly cookie: string };
  readonly admin: { readonly cookie: string };
  /** Of the viewer. */
  newSession(): Promise<{ readonly cookie: string }>;
  /** What it has logged so far. */
  log(): string;
}

const ROOT = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };

const WORDS = scripts.start.split(' ');
const AT_NODE = WORDS.indexOf('node');
/** What `npm start` sets, over what is set here. */
export const startEnvironment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  ...Object.fromEntries(WORDS.slice(0, AT_NODE).map((pair) => pair.split('='))),
  ...more,
});

/** Of Node's: its flags and `serve` as `npm start` gives them, of the built server, as operators run it. */
export const startArguments = (directory: string, nodeFlags: readonly string[] = []): string[] => {
  const given = WORDS.slice(AT_NODE + 1);
  return [
    ...nodeFlags,
    ...given.map((each) => (each === 'bundle/main.js' ? join(BUNDLE, 'main.js') : each)),
    '--config-dir',
    directory,
  ];
};

export const startPostern = async (options: PosternOptions): Promise<StartedPostern> =>
  startIn(await movedInDirectory(options), options);

/** Again, where one was started before. Its `stop` removes the directory. */
export async function startIn(
  directory: string,
  options: Pick<PosternOptions, 'nodeFlags' | 'env'> = {},
): Promise<StartedPostern> {
  const logFile = join(directory, 'log');
  const output = openSync(logFile, 'w');
  const child = spawn(process.execPath, startArguments(directory, options.nodeFlags), {
    stdio: ['ignore', output, 'inherit', 'ipc'],
    env: startEnvironment(options.env),
  });
  closeSync(output);
  endsWithUs(child);
  const log = (): string => readFileSync(logFile, 'utf8');
  const { url, telemetryUrl } = await addressesIn(log, child);
  const cookieOf = (person: Person) => logIn(url, person);
  return {
    pid: child.pid ?? 0,
    child,
    directory,
    lines: [new URL(url).port],
    url,
    telemetryUrl,
    cookieOf,
    newSession: () => cookieOf(VERA),
    viewer: await cookieOf(VERA),
    admin: await cookieOf(ADMIN_PERSON),
    log,
    async stop() {
      await stopProcess(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Not removed by this: whoever starts a server in it removes it. */
export async function movedInDirectory({
  upstream,
  logLevel = 'warning',
  auth = {},
  nvr = {},
  events = {},
  server = {},
  store: storeKeys = {},
  ledger = {},
  tls = false,
  people = true,
}: PosternOptions): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const config = {
    server: {
      external: '127.0.0.1:0',
      internal: '127.0.0.1:0',
      telemetry: '127.0.0.1:0',
      shutdown_grace: 1,
      ...server,
    },
    tls: { enabled: tls },
    auth: { hash_iterations: TEST_ITERATIONS, failed_login_rate_limit: null, roles: { front_only: ['cam1'] }, ...auth },
    nvr: { url: upstream, cameras: ['cam1', 'cam2'], ...nvr },
    events,
    store: storeKeys,
    ledger,
    logger: { default: logLevel },
  };
  writeFileSync(join(directory, 'config.yaml'), stringify(config));
  if (!people) return directory;
  const store = await openStore({ url: String(storeKeys['url'] ?? `sqlite:${join(directory, 'postern.db')}`) });
  await moveIn(EVERYBODY, store.accounts, Math.floor(Date.now() / 1000) - 60);
  await store.close();
  return directory;
}

const PATIENCE_MS = 60_000;

async function addressesIn(log: () => string, child: ChildProcess): Promise<{ url: string; telemetryUrl: string }> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(20)) {
    const said = /Postern is ready.*?log in +(?<url>\S+)\/.*?telemetry +(?<telemetry>\S+)\/metrics/s.exec(log());
    if (said?.groups) return { url: said.groups['url'] ?? '', telemetryUrl: said.groups['telemetry'] ?? '' };
    if (child.exitCode !== null) break;
  }
  await stopProcess(child);
  throw new Error(`Postern did not start: ${log()}`);
}

function logIn(url: string, { name, password }: Person): Promise<{ cookie: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ cookie: string }>();
  const request = url.startsWith('https:') ? tlsRequest : plainRequest;
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, rejectUnauthorized: false };
  const asked = request(`${url}/api/login`, { ...options, agent: false }, (response) => {
    response.resume();
    const [cookie = ''] = response.headers['set-cookie'] ?? [];
    if (response.statusCode !== 200) reject(new Error(`${name} could not log in: ${response.statusCode}`));
    else resolve({ cookie: cookie.slice(0, cookie.indexOf(';')) });
  });
  asked.once('error', reject).end(JSON.stringify({ user: name, password }));
  return promise;
}
