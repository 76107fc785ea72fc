/** How long questions about events take at sizes that no home has: `EVENTS=100000,1000000 EVENTS_ENGINE=both npm run bench events`. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CameraName, Role } from '../src/domain/names.ts';
import { createEventsBackend } from '../src/events/backend.ts';
import { generateSampleEvents } from '../src/events/sample-events.ts';
import { startEventsWorker } from '../src/events/worker.ts';
import { openStore } from '../src/store/open-store.ts';
import { startPostgres, type TestPostgres } from '../test/support/servers/postgres.ts';
import { measureBesideGate } from './events/beside-gate.ts';
import { multiplyEvents } from './events/copies.ts';
import { startPostern } from './start-postern.ts';
import { startedTogether, startServer } from './start-server.ts';
import { printTable } from './table.ts';

export const benchmark = {
  title: 'GET /api/events and its neighbours over the socket, as an admin of eight cameras',
  run,
};

const CAMERAS = [
  'front_door',
  'driveway',
  'garden',
  'garage',
  'patio',
  'side_gate',
  'nursery',
  'porch',
] as CameraName[];
const ROLES = new Map<Role, string[]>([['guard' as Role, ['garden', 'patio']]]);
const SIZES = (process.env['EVENTS'] ?? '100000,1000000').split(',').map(Number);
/** `sqlite` (default), `postgres`, or `both`, the second one beside the first. */
const ENGINE = process.env['EVENTS_ENGINE'] ?? 'sqlite';
const REQUESTS = 30;
const UNTIL = Date.UTC(2026, 0, 1) / 1000;
const BATCH = 5000;
/** More are copies of them. */
const MOST_GENERATED = 1_000_000;

interface Question {
  readonly name: string;
  readonly target: string;
  readonly role?: string;
  /** p95 in milliseconds at a million events. */
  readonly goal?: number;
}

// biome-ignore format: a table
const QUESTIONS: readonly Question[] = [
  { name: 'the newest 100',                      target: '/api/events',                                                   goal: 8 },
  { name: 'the same, no thumbnails',             target: '/api/events?include_thumbnails=0',                              goal: 8 },
  { name: 'of some cameras and labels',          target: '/api/events?cameras=front_door,garage&labels=person,dog',       goal: 8 },
  { name: 'of a custom role',                    target: '/api/events', role: 'guard',                                    goal: 8 },
  { name: 'min_score=0.7',                       target: '/api/events?min_score=0.7',                                     goal: 250 },
  { name: 'zones=yard,patio',                    target: '/api/events?zones=yard,patio',                                  goal: 250 },
  { name: 'sub_labels=anna',                     target: '/api/events?sub_labels=anna',                                   goal: 250 },
  { name: 'a plate pattern',                     target: '/api/events?recognized_license_plate=%5E.B.*',                  goal: 250 },
  { name: 'time_range overnight, New York',      target: '/api/events?time_range=22:00,06:00&timezone=America/New_York',  goal: 250 },
  { name: 'sort=score_desc',                     target: '/api/events?sort=score_desc',                                   goal: 250 },
  { name: 'zones=nowhere, of a custom role',     target: '/api/events?zones=nowhere', role: 'guard',                      goal: 30 },
  { name: 'sub_labels=nobody, of a custom role', target: '/api/events?sub_labels=nobody', role: 'guard',                  goal: 30 },
  { name: 'a plate pattern of none, of a role',  target: '/api/events?recognized_license_plate=%5EQ.Q.Q', role: 'guard',  goal: 30 },
  { name: '10,000 at once, no thumbnails',       target: '/api/events?limit=10000&include_thumbnails=0' },
  { name: 'summary',                             target: '/api/events/summary',                                           goal: 300 },
  { name: 'explore',                             target: '/api/events/explore',                                           goal: 300 },
];

async function run(): Promise<void> {
  console.log(
    `load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
  const baseline = new Map<string, number>();
  for (const size of SIZES) {
    await using servers = startedTogether();
    const upstream = await servers.keep(startServer('upstream', 1));
    const events = { source: 'store', sample: 0 };
    const postern = await servers.keep(startPostern({ upstream: upstream.url, events, nvr: { cameras: CAMERAS } }));
    await measureSize(size, postern.directory, baseline);
    if (ENGINE === 'sqlite') await measureBesideGate(postern);
  }
  await postgresInUse?.server.stop();
}

interface Measured {
  readonly p50: number;
  readonly p95: number;
  readonly bytes: number;
  readonly events: number;
}

async function measureSize(size: number, directory: string, baseline: Map<string, number>): Promise<void> {
  const file = join(directory, 'postern.db');
  const socketPath = join(directory, 'bench.sock');
  const isSqliteLeftOut = ENGINE === 'postgres' || (ENGINE === 'both' && size > MOST_GENERATED);
  const sqlite = isSqliteLeftOut ? undefined : await measureSqlite(file, size, socketPath);
  const postgres = ENGINE === 'sqlite' ? undefined : await measurePostgres(size, socketPath);
  const measured = sqlite ?? postgres ?? [];
  const rows = QUESTIONS.map((question, at) => {
    const { p50, p95, bytes, events } = measured[at] as Measured;
    const first = baseline.get(question.name) ?? p95;
    baseline.set(question.name, first);
    const own = [p50.toFixed(1), p95.toFixed(1), question.goal ? `≤ ${question.goal}` : '', (p95 / first).toFixed(2)];
    const beside = sqlite && postgres?.[at] ? [postgres[at].p50.toFixed(1), postgres[at].p95.toFixed(1)] : ['', ''];
    return [question.name, ...own, ...beside, String(events), events > 0 ? (bytes / events).toFixed(0) : ''];
  });
  console.log(
    `load average ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
  console.log(`\n${size.toLocaleString('en')} events in ${sqlite ? 'SQLite' : 'PostgreSQL'}\n`);
  const ratio = `p95 / ${SIZES[0]?.toLocaleString('en')}`;
  printTable(['', 'p50 ms', 'p95 ms', 'goal at 1 M', ratio, 'PostgreSQL p50', 'p95', 'rows', 'bytes/row'], rows);
  if (!sqlite) return;
  console.log(
    `\n${(statSync(file).size / 1e6).toFixed(0)} MB. How the commonest questions are answered (EXPLAIN QUERY PLAN)\n`,
  );
  await explain(file);
}

interface PostgresInUse {
  readonly server: TestPostgres;
  readonly url: string;
  /** How many events there are. */
  size: number;
}
let postgresInUse: PostgresInUse | undefined;

/** A server of this run's own, with memory as a small machine gives it. Sizes above a million are copies of the million. */
async function measurePostgres(size: number, socketPath: string): Promise<readonly Measured[]> {
  postgresInUse ??= await startedPostgres();
  const { server, url } = postgresInUse;
  if (postgresInUse.size === 0) await fill(url, Math.min(size, MOST_GENERATED));
  const filled = Math.max(postgresInUse.size, Math.min(size, MOST_GENERATED));
  if (size > filled) await multiplyEvents(url, size / filled);
  postgresInUse.size = size;
  await server.run('vacuum analyze', 'store_1');
  return measureStore(url, socketPath);
}

async function startedPostgres(): Promise<PostgresInUse> {
  const server = await startPostgres({ shared_buffers: '1GB', max_wal_size: '4GB' });
  return { server, url: await server.newDatabase(), size: 0 };
}

async function measureSqlite(file: string, size: number, socketPath: string): Promise<readonly Measured[]> {
  const url = `sqlite:${file}`;
  await fill(url, size);
  return measureStore(url, socketPath);
}

async function measureStore(storeUrl: string, socketPath: string): Promise<readonly Measured[]> {
  const worker = await startEventsWorker({
    storeUrl,
    socketPath,
    roles: ROLES,
    cameras: CAMERAS,
    queryTimeout: 60,
    onCrash: (fault) => {
      throw fault;
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const measured: Measured[] = [];
  for (const question of QUESTIONS) {
    const found = await ask(question, socketPath, agent);
    measured.push(found);
    console.log(`  ${question.name}: p50 ${found.p50.toFixed(1)} ms, p95 ${found.p95.toFixed(1)} ms`);
  }
  agent.destroy();
  await worker.stop();
  return measured;
}

/** Every statement that a question leads to, as the engine plans it. */
async function explain(file: string): Promise<void> {
  const store = await openStore({ url: `sqlite:${file}`, readOnly: true });
  const { prepare } = DatabaseSync.prototype;
  const plans = new DatabaseSync(file, { readOnly: true });
  plans.function('in_time', {}, (_deadline) => 1);
  let statements = new Set<string>();
  DatabaseSync.prototype.prepare = function remembering(text) {
    statements.add(text);
    return prepare.call(this, text);
  };
  const backend = createServer(
    createEventsBackend({
      events: store.events,
      roles: () => ROLES,
      cameras: () => CAMERAS,
      queryTimeout: 60,
      now: () => performance.now(),
      startedAt: UNTIL,
      onFault: (fault) => console.error(fault),
    }),
  ).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const agent = new Agent({ maxSockets: 1 });
  for (const question of QUESTIONS) {
    statements = new Set();
    await askOnce(question, { host: '127.0.0.1', port: (backend.address() as AddressInfo).port }, agent);
    console.log(question.name);
    const asked = [...statements].map((text) => prepare.call(plans, `explain query plan ${text}`).all());
    const steps = new Set(asked.flat().map(({ detail }) => `    ${detail}`));
    console.log([...steps].slice(0, MOST_STEPS).join('\n'));
  }
  DatabaseSync.prototype.prepare = prepare;
  plans.close();
  backend.close();
  agent.destroy();
  await store.close();
}

const MOST_STEPS = 12;

async function fill(url: string, size: number): Promise<void> {
  const store = await openStore({ url });
  const startedAt = performance.now();
  let batch = [];
  let stored = 0;
  for (const event of generateSampleEvents({ count: size, seed: 7, cameras: CAMERAS, until: UNTIL })) {
    batch.push(event);
    if (batch.length < BATCH) continue;
    await store.writeEvents(batch);
    stored += batch.length;
    batch = [];
    if (process.stdout.isTTY) process.stdout.write(`\r  ${Math.floor((stored / size) * 100)} % of ${size} stored `);
  }
  await store.writeEvents(batch);
  await store.close();
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `${size.toLocaleString('en')} events made and stored in ${seconds.toFixed(1)} s (${(size / seconds).toFixed(0)} a second)`,
  );
}

type Place = { readonly socketPath: string } | { readonly host: string; readonly port: number };

async function ask(question: Question, socketPath: string, agent: Agent): Promise<Measured> {
  const times: number[] = [];
  let body = '';
  for (let count = -2; count < REQUESTS; count += 1) {
    const startedAt = performance.now();
    try {
      body = await askOnce(question, { socketPath }, agent);
    } catch (fault) {
      console.log(`  ${fault instanceof Error ? fault.message : fault}`);
      return { p50: Number.NaN, p95: Number.NaN, bytes: 0, events: 0 };
    }
    if (count >= 0) times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const rows: unknown = JSON.parse(body);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), bytes: body.length, events: Array.isArray(rows) ? rows.length : 0 };
}

function askOnce({ name, target, role = 'admin' }: Question, place: Place, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'remote-user': 'bench', 'remote-role': role };
    const asked = request({ ...place, path: target, agent, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(body) : reject(new Error(`${name}: ${answer.statusCode} ${body}`)),
      );
    });
    asked.on('error', reject).end();
  });
}
