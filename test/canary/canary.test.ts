/** The canary (SPEC 15): what each wrong row, and each answer that no row narrows, would show is found in one round, and nothing else is. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { createRoleRegistry } from '../../src/accounts/roles/role-registry.ts';
import { canaryAsk } from '../../src/app/gate/canary-gate.ts';
import { type DoneRound, type Round, runRound } from '../../src/canary/round.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { rolesOfFile } from '../../src/config/schema/role-schema.ts';
import { loadServiceConfig } from '../../src/config/service-config.ts';
import type { PolicyRow } from '../../src/domain/policy/policy.ts';
import type { ServiceStatus } from '../../src/domain/status.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { layoutOfConfig } from '../../src/nvr/frigate/layout.ts';
import { neutralPaths } from '../policy/support/rows.ts';
import { answerWithBoth, CONFIG, FOREIGN } from '../policy/support/two-cameras.ts';
import { type FakeNvr, type NvrAnswer, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { canaryGate } from './support/canary-gate.ts';

const OPEN_API = {
  openapi: '3.1.0',
  paths: {
    '/events': { get: {}, post: {} },
    '/events/{event_id}': { get: {}, parameters: [] },
    '/{camera_name}/latest.{ext}': { get: {} },
    '/preview/{year_month}/{day}/{hour}/{camera_name}/{tz_name}': { get: {} },
    '/new_thing/{id}': { get: {} },
    '/newer': { delete: {} },
  },
};

let nvr: FakeNvr;
let instance: Runtime;
let files: string;
let honest: NvrAnswer;
let rows: readonly PolicyRow[];

before(async () => {
  files = mkdtempSync(join(tmpdir(), 'postern-canary-'));
  const policy = await loadPolicy('frigate', '.');
  assert.ok(policy.kind === 'loaded');
  rows = policy.rows.filter(({ own, methods }) => !own && methods.includes('GET'));
  nvr = await startFakeNvr();
  const both = answerWithBoth(neutralPaths(), () => {});
  honest = (request, response, received) => {
    if (request.url !== '/api/openapi.json') return both(request, response, received);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(OPEN_API));
  };
  nvr.answer = honest;
  instance = await startInstance({ config: configuration({}), people: [ADMIN_PERSON] });
});
after(async () => {
  await instance.close();
  await nvr.close();
  rmSync(files, { recursive: true });
});

/** Of the canary's own camera: it does not ask for them. */
const COSTLY = /\.(?:mp4|gif)$|grid\.jpg$|^\/api\/\{camera\}$/;
const configuration = (more: ConfigTree): ConfigTree => ({ nvr: { url: nvr.url, ...more } });
const routeOf = ({ path }: PolicyRow): string => `GET ${path}`;

/** As fast as the answers come. */
async function round(): Promise<Round> {
  nvr.received.length = 0;
  instance.log.length = 0;
  return (await instance.postern.canary.round(1)) ?? assert.fail(JSON.stringify(instance.log.at(-1)));
}

async function finished(): Promise<DoneRound> {
  const done = await round();
  assert.ok(done.kind === 'done', done.kind);
  return done;
}

async function withRows(routes: readonly object[]): Promise<void> {
  const policy = join(files, 'rows.yaml');
  writeFileSync(policy, stringify({ version: 1, extends: 'frigate', routes }));
  const { isTaken } = await instance.reload(configuration({ policy }));
  assert.ok(isTaken, JSON.stringify(instance.log.at(-1)));
}

const found = ({ leaks }: DoneRound): string[] => [...new Set(leaks.map(({ route }) => route))].sort();

describe('The canary', () => {
  it('finds nothing in an honest NVR, asks by GET alone, and tells which operations are new', async () => {
    const done = await finished();
    assert.deepEqual(done.leaks, []);
    assert.deepEqual([done.camera, done.failed, done.unasked], ['garden', 0, []]);
    assert.ok(done.asked > 150, String(done.asked));
    assert.deepEqual([...new Set(nvr.received.map(({ method }) => method))], ['GET']);
    assert.deepEqual(done.drift?.unknown, ['DELETE /api/newer', 'GET /api/new_thing/{id}', 'POST /api/events']);
  });

  it('finds every narrowed row that is not narrowed any more', async () => {
    const narrowed = rows.filter(({ narrow, cameras, answer }) => narrow ?? cameras ?? answer);
    await withRows(narrowed.map((row) => ({ route: routeOf(row), access: 'any' })));
    const done = await finished();
    assert.ok(narrowed.length >= 75, String(narrowed.length));
    assert.deepEqual(found(done), narrowed.map(routeOf).sort());
  });

  it('finds them as well while the curtain is drawn in front of its camera', async (t) => {
    const token = await instance.logIn(ADMIN_PERSON);
    const move = (method: string) => sendJson(instance, '/api/curtain', { cameras: ['garden'] }, token, method);
    assert.equal((await move('PUT')).status, 200);
    t.after(() => move('DELETE'));
    await withRows([]);
    nvr.answer = (request, response, received) => {
      if (!request.url?.startsWith('/api/garden/recordings/summary')) return honest(request, response, received);
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"camera_name":"bedroom"}]');
    };
    const done = await finished();
    nvr.answer = honest;
    assert.deepEqual(found(done), ['GET /api/{camera}/recordings/summary']);
  });

  it('finds every row that forgot to look at the response', async () => {
    const looking = rows.filter(({ narrow }) => narrow?.how === 'post-check' || narrow?.how === 'post-filter');
    await withRows(
      looking.map((row) => ({ route: routeOf(row), access: row.access === 'camera' ? 'any' : row.access })),
    );
    assert.deepEqual(found(await finished()), looking.map(routeOf).sort());
    const told = instance.log.filter(({ msg, level }) => String(msg).includes('canary was shown') && level === 'error');
    assert.deepEqual([...new Set(told.map(({ route }) => route))].sort(), looking.map(routeOf).sort());
    assert.ok(instance.log.some(({ what, route }) => what === 'canary-leak' && route === 'GET /api/events/summary'));
  });

  it('finds what an NVR shows of a foreign camera in answers that no row narrows', async () => {
    await withRows([]);
    const shapes = [
      [{ camera_name: 'bedroom' }],
      { cameras: { bedroom: { fps: 5 } } },
      { files: ['/media/frigate/clips/bedroom-1700000002.5-bbbbb2.jpg'] },
      { next: '/api/vod/bedroom/start/1/end/2' },
    ];
    const shown = new Set<string>();
    nvr.answer = (request, response, received) => {
      const url = request.url ?? '';
      const asked = request.headers['remote-role'] === 'postern-canary' && !FOREIGN.test(url);
      if (!asked || url === '/api/config') return honest(request, response, received);
      shown.add(url.split('?', 1)[0] ?? '');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(shapes[shown.size % shapes.length]));
    };
    const done = await finished();
    nvr.answer = honest;
    const plain = rows.filter(
      ({ narrow, access, path, answer }) =>
        (access === 'any' || access === 'camera') &&
        (narrow?.how ?? 'check') === 'check' &&
        !answer &&
        !COSTLY.test(path),
    );
    assert.ok(plain.length > 35, String(plain.length));
    const missed = plain.map(routeOf).filter((route) => !found(done).includes(route));
    assert.deepEqual(missed, []);
    assert.ok(
      done.leaks.every(({ camera }) => camera === 'bedroom'),
      JSON.stringify(done.leaks),
    );
  });

  it('tells its last round to admins, with the routes and cameras, and none of the content', async () => {
    const token = await instance.logIn(ADMIN_PERSON);
    const { canary } = (await (await instance.ask('/api/status', { token })).json()) as ServiceStatus;
    assert.deepEqual([canary?.result, canary?.camera, canary?.unknownOperations?.length], ['leaks', 'garden', 3]);
    assert.doesNotMatch(JSON.stringify(canary), /bbbbb2|fps/);
  });

  it('asks a round now when an admin wants it, and answers with what it found', async () => {
    await withRows([{ route: 'GET /api/review', access: 'any' }]);
    const token = await instance.logIn(ADMIN_PERSON);
    nvr.received.length = 0;
    const answer = await instance.ask('/api/status/canary', { method: 'POST', token });
    const found = (await answer.json()) as NonNullable<ServiceStatus['canary']>;
    assert.deepEqual([answer.status, found.result], [200, 'leaks']);
    assert.deepEqual(found.leaks, [{ route: 'GET /api/review', camera: 'bedroom' }]);
    assert.deepEqual([...new Set(nvr.received.map(({ method }) => method))], ['GET']);
  });

  it('asks a round now though a slow one is under way, and one for two who want it', async () => {
    await withRows([{ route: 'GET /api/review', access: 'any' }]);
    const token = await instance.logIn(ADMIN_PERSON);
    nvr.received.length = 0;
    instance.log.length = 0;
    const slow = instance.postern.canary.round(0.000_001);
    await until('it asks', () => nvr.received.length > 0);
    const ask = async (): Promise<ServiceStatus['canary']> =>
      (await instance.ask('/api/status/canary', { method: 'POST', token })).json() as Promise<ServiceStatus['canary']>;
    const [one, other] = await Promise.all([ask(), ask()]);
    assert.equal(one?.result, 'leaks');
    assert.deepEqual(other, one);
    assert.equal(await slow, undefined);
    assert.equal(instance.log.filter(({ msg }) => msg === 'a round of the canary is over').length, 1);
  });

  it('answers with what holds after a reload in the middle of the round', async () => {
    await withRows([]);
    const token = await instance.logIn(ADMIN_PERSON);
    const reloaded = Promise.withResolvers<void>();
    nvr.received.length = 0;
    nvr.answer = (request, response, received) => {
      if (!request.url?.startsWith('/api/events')) return honest(request, response, received);
      void reloaded.promise.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'));
    };
    const asked = instance.ask('/api/status/canary', { method: 'POST', token });
    await until('it asks', () => nvr.received.some(({ target }) => target.startsWith('/api/events')));
    await withRows([{ route: 'GET /api/review', access: 'any' }]);
    reloaded.resolve();
    nvr.answer = honest;
    const found = (await (await asked).json()) as NonNullable<ServiceStatus['canary']>;
    assert.deepEqual(found.leaks, [{ route: 'GET /api/review', camera: 'bedroom' }]);
  });

  it('asks nothing for others than admins, and says when there is no NVR', async () => {
    nvr.received.length = 0;
    assert.equal((await instance.ask('/api/status/canary', { method: 'POST' })).status, 401);
    assert.deepEqual(nvr.received, []);
    const token = await instance.logIn(ADMIN_PERSON);
    await instance.reload({ events: { source: 'store' } });
    const answer = await instance.ask('/api/status/canary', { method: 'POST', token });
    assert.equal(answer.status, 409);
    assert.match(await answer.text(), /set nvr\.url/);
  });

  it('does nothing with one camera', async () => {
    await instance.reload(configuration({ cameras: ['garden'] }));
    assert.deepEqual(await round(), { kind: 'too-few-cameras' });
    assert.deepEqual(
      nvr.received.filter(({ target }) => !target.startsWith('/api/config')),
      [],
    );
  });

  it('breaks off at once when the service stops', async () => {
    await instance.reload(configuration({}));
    const slow = instance.postern.canary.round(0.000_001);
    await instance.postern.canary.close();
    assert.equal(await slow, undefined);
  });
});

/** All rows in each round take half a minute: `EVERY_ROW=1`. Otherwise a round has the questions of the one row that is wrong. */
const { EVERY_ROW } = process.env;

describe('A round of the canary', () => {
  const layout = layoutOfConfig(CONFIG);
  let command: Awaited<ReturnType<typeof canaryGate>>;
  let policy: readonly PolicyRow[];
  before(async () => {
    writeFileSync(join(files, 'config.yaml'), stringify(configuration({})));
    const config = await loadServiceConfig({ directory: files, env: {} });
    assert.ok(config.kind === 'loaded');
    policy = config.policy;
    const registry = createRoleRegistry({
      store: { listRoles: async () => [] },
      fixed: rolesOfFile(config.settings.auth),
    });
    command = await canaryGate(config, { layout, registry, now: () => 1_800_000_000 });
  });
  after(() => command.close());

  /** What a round finds where this row stands before the others. */
  async function leaksWith(row: PolicyRow): Promise<DoneRound['leaks']> {
    const all = [row, ...policy];
    const routes = compileRouteTable(all, FRIGATE);
    const gate = { ...command.gate, rules: () => ({ ...command.gate.rules(), routes }) };
    const done = await runRound({
      ask: canaryAsk({ gate, camera: 'garden', signal: AbortSignal.timeout(60_000) }),
      rows: EVERY_ROW ? all : [row],
      nvr: FRIGATE,
      layout,
      number: 0,
      now: () => 1_800_000_000,
      describedApi: async () => undefined,
    });
    return done.kind === 'done' ? done.leaks : assert.fail(done.kind);
  }

  it('finds each narrowed row alone that is not narrowed any more, and no other row', async () => {
    const missed: string[] = [];
    const narrowed = rows.filter(({ narrow, cameras, answer }) => narrow ?? cameras ?? answer);
    for (const row of narrowed) {
      const leaks = await leaksWith({ methods: row.methods, path: row.path, line: row.line, access: 'any' });
      if (leaks.length === 0 || leaks.some(({ route }) => route !== routeOf(row))) missed.push(routeOf(row));
    }
    assert.ok(narrowed.length >= 75, String(narrowed.length));
    assert.deepEqual(missed, []);
  });

  it('finds an NVR that shows another camera on one route alone, and no other route', async () => {
    const missed: string[] = [];
    const plain = rows.filter(
      ({ narrow, access, path, answer }) =>
        (access === 'any' || access === 'camera') &&
        (narrow?.how ?? 'check') === 'check' &&
        !answer &&
        !COSTLY.test(path),
    );
    for (const row of plain) {
      const table = compileRouteTable(policy, FRIGATE);
      nvr.answer = (request, response, received) => {
        const url = request.url ?? '';
        const match = table.match('GET', (url.split('?', 1)[0] ?? '').slice(1).split('/').map(decodeURIComponent));
        const isHere = match.kind === 'listed' && match.row.path === row.path && !FOREIGN.test(url);
        if (request.headers['remote-role'] !== 'postern-canary' || !isHere) return honest(request, response, received);
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"next":"/api/vod/bedroom/start/1/end/2"}');
      };
      const leaks = await leaksWith(row);
      if (leaks.length === 0 || leaks.some(({ route }) => route !== routeOf(row))) missed.push(routeOf(row));
    }
    nvr.answer = honest;
    assert.ok(plain.length > 35, String(plain.length));
    assert.deepEqual(missed, []);
  });
});
