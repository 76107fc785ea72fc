/** A whole Postern with several workers on port 0: the primary in this process, and connections to a worker of one's choice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Reloaded } from '../../../src/app/hot-reload.ts';
import { startPrimary } from '../../../src/app/workers/start-primary.ts';
import { storeAddress } from '../../../src/config/schema/store-schema.ts';
import { loadServiceConfig } from '../../../src/config/service-config.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, EVERYBODY, moveIn, type Person, TEST_ITERATIONS, VERA } from '../../support/people.ts';
import { until } from '../../support/until.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly setCookie: string;
}

/** One connection, which one worker has accepted. */
export interface Connection {
  readonly worker: number;
  readonly agent: Agent;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** An answer that does not end. */
  open(path: string, token: string): Promise<IncomingMessage>;
  logIn(person: Pick<Person, 'name' | 'password'>): Promise<Answer & { readonly token: string }>;
}

export interface AskOptions {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly json?: unknown;
}

export interface Workers {
  readonly port: number;
  readonly directory: string;
  readonly log: Record<string, unknown>[];
  /** A connection to each worker, by number. */
  connections(): Promise<Map<number, Connection>>;
  telemetry(path: string): Promise<Answer>;
  pids(): ReadonlyMap<number, number>;
  reload(config: ConfigTree): Promise<Reloaded>;
  close(): Promise<void>;
}

type ConfigTree = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface WorkersOptions {
  readonly config?: ConfigTree;
  readonly workers?: number;
  readonly silentSeconds?: number;
  readonly people?: readonly Person[];
}

const PEOPLE = EVERYBODY;

export { ADMIN_PERSON, CARL, VERA };

export async function startWorkers({
  config = {},
  workers = 2,
  silentSeconds,
  people = PEOPLE,
}: WorkersOptions = {}): Promise<Workers> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-workers-'));
  const file = join(directory, 'config.yaml');
  const write = (over: ConfigTree): void => writeFileSync(file, stringify(overlaid(over)));
  write(config);
  const env = { PATH: process.env['PATH'] };
  const loaded = await loadServiceConfig({ directory, env });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems));
  const store = await openStore({ url: storeAddress(loaded.settings.store.url) });
  await moveIn(people, store.accounts, Math.floor(Date.now() / 1000) - 60);
  await store.close();
  const log: Record<string, unknown>[] = [];
  const postern = await startPrimary({
    config: loaded,
    directory,
    env,
    clock: { now: () => Date.now() },
    log: { write: (line) => void log.push(JSON.parse(line)) },
    version: '0.0.0-test',
    workers,
    ...(silentSeconds !== undefined && { silentSeconds }),
  });
  const { external, telemetry } = postern.addresses;
  const agents: Agent[] = [];
  const connect = async (): Promise<Connection> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    const mark = `/here-${agents.length}`;
    const ask = asking(external.port, agent);
    await ask(mark);
    await until('the worker logs its request', () => log.some(({ path }) => path === mark));
    const worker = Number(log.find(({ path }) => path === mark)?.['worker']);
    return {
      worker,
      agent,
      ask,
      open: (path, token) => received(external.port, agent, path, { token }),
      async logIn({ name: user, password }) {
        const answer = await ask('/api/login', { method: 'POST', json: { user, password } });
        return { ...answer, token: /=([^;]*)/.exec(answer.setCookie)?.[1] ?? '' };
      },
    };
  };
  return {
    port: external.port,
    directory,
    log,
    async connections() {
      const found = new Map<number, Connection>();
      await until('each worker has accepted a connection', async () => {
        const connection = await connect();
        if (!found.has(connection.worker)) found.set(connection.worker, connection);
        return found.size === workers;
      });
      return found;
    },
    telemetry: (path) => asking(telemetry?.port ?? 0, new Agent())(path),
    pids: postern.pids,
    reload(over) {
      write(over);
      return postern.reload(() => loadServiceConfig({ directory, env, whenMissing: 'refuse' }));
    },
    async close() {
      for (const agent of agents) agent.destroy();
      await postern.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const CONFIG: ConfigTree = {
  server: { external: '127.0.0.1:0', internal: false as never, telemetry: '127.0.0.1:0', shutdown_grace: 1 },
  tls: { enabled: false },
  auth: { hash_iterations: TEST_ITERATIONS, roles: { front_only: ['cam1'] } },
};

const overlaid = (over: ConfigTree): ConfigTree => {
  const sections = [...new Set([...Object.keys(CONFIG), ...Object.keys(over)])];
  return Object.fromEntries(sections.map((name) => [name, { ...CONFIG[name], ...over[name] }]));
};

async function received(
  port: number,
  agent: Agent,
  path: string,
  { method = 'GET', token, json }: AskOptions,
): Promise<IncomingMessage> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  };
  const asked = request({ host: '127.0.0.1', port, path, method, agent, headers });
  asked.end(json === undefined ? undefined : JSON.stringify(json));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return response;
}

const asking =
  (port: number, agent: Agent) =>
  async (path: string, options: AskOptions = {}): Promise<Answer> => {
    const response = await received(port, agent, path, options);
    const text = Buffer.concat(await response.toArray()).toString();
    return { status: response.statusCode ?? 0, text, setCookie: response.headers['set-cookie']?.[0] ?? '' };
  };

/** The two connections of two workers. */
export function two(connections: ReadonlyMap<number, Connection>): [Connection, Connection] {
  const [one, other] = [...connections.values()];
  return one && other ? [one, other] : assert.fail('there are not two workers');
}
