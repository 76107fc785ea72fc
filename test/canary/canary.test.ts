/** The canary (SPEC 15): what each wrong row, and each answer that no row narrows, would show is found in one round, and nothing else is. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import type { DoneRound, Round } from '../../src/canary/round.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import type { PolicyRow } from '../../src/domain/policy.ts';
import type { ServiceStatus } from '../../src/domain/status.ts';
import { neutralPaths } from '../policy/support/rows.ts';
import { answerWithBoth, FOREIGN } from '../policy/support/two-cameras.ts';
import { type FakeNvr, type NvrAnswer, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

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

  it('finds every row that forgot to look at the response', async () => {
    const looking = rows.filter(({ narrow }) => narrow === 'post-check' || narrow === 'post-filter');
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
    const costly = /\.(?:mp4|gif)$|grid\.jpg$|^\/api\/\{camera\}$/;
    const plain = rows.filter(
      ({ narrow = 'check', access, path, answer }) =>
        (access === 'any' || access === 'camera') && narrow === 'check' && !answer && !costly.test(path),
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
