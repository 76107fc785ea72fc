/** Counts of events through the gate: of each caller's own cameras and times only, as many as the list has, compressed (SPEC 5, 7). */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { withSight } from '../../src/access/camera-view.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import type { EventCounts } from '../../src/domain/events/counts.ts';
import type { EventRecord } from '../../src/domain/events/event.ts';
import type { CameraName, Role } from '../../src/domain/names.ts';
import { createNvrCounts, TooManyLists } from '../../src/gateway/narrow/count-at-nvr.ts';
import { openStore } from '../../src/store/open-store.ts';
import { event } from '../events/support/event.ts';
import { assertCounts } from '../events/support/plain-counts.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const NOW = Date.parse('2026-11-22T12:30:00Z') / 1000;
const NORA: Person = { name: 'nora', role: 'neighbour', password: 'CobaltPassw0rd!!' };
const GONE: Person = { name: 'gerda', role: 'gone', password: 'GerdaPassw0rd!!' };
const PEOPLE = [ADMIN_PERSON, CARL, NORA, GONE];
const CAMERAS = ['cam1', 'cam2', 'cam3'];

/** Newest first, over 40 days; many begin at once, also where one page of the NVR's list ends. */
const EVENTS: readonly EventRecord[] = Array.from({ length: 2345 }, (_, n) =>
  event({
    id: `e${n}`,
    camera: CAMERAS[(n * n) % 3] ?? '',
    label: n % 5 ? 'person' : 'car',
    start_time: NOW - 60 - Math.floor(n / 7) * 10_320.5,
    has_clip: n % 2 === 0,
  }),
);

const config = {
  nvr: { cameras: CAMERAS },
  auth: {
    roles: { front_only: ['cam1'], neighbour: { cameras: ['cam1', 'cam2'], history_since: '7d' }, gone: ['cam9'] },
  },
};

/** As the NVR does, which knows neither this route nor roles. */
function listed(query: URLSearchParams): EventRecord[] {
  const has = (name: string, value: string): boolean => query.get(name)?.split(',').includes(value) ?? true;
  return EVENTS.filter(({ camera, label }) => has('cameras', camera) && has('labels', label))
    .filter(({ has_clip }) => !query.has('has_clip') || has_clip === (query.get('has_clip') === '1'))
    .filter(({ start_time }) => start_time > Number(query.get('after') ?? 0))
    .filter(({ start_time }) => start_time < Number(query.get('before') ?? Number.POSITIVE_INFINITY))
    .slice(0, Number(query.get('limit') ?? 100));
}

interface Place {
  readonly instance: Runtime;
  readonly nvr: FakeNvr;
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  async 'of our own store'() {
    const nvr = await startFakeNvr();
    const instance = await startInstance({
      clock: movableClock(NOW * 1000),
      people: PEOPLE,
      config: { ...config, nvr: { ...config.nvr, url: nvr.url }, events: { source: 'store' } },
    });
    const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
    await store.writeEvents(EVENTS);
    await store.close();
    return { instance, nvr };
  },
  async 'of an NVR'() {
    const nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://nvr');
      response.writeHead(pathname === '/api/events' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(pathname === '/api/events' ? listed(searchParams) : 'Event not found'));
    };
    const instance = await startInstance({
      clock: movableClock(NOW * 1000),
      people: PEOPLE,
      config: { ...config, nvr: { ...config.nvr, url: nvr.url } },
    });
    return { instance, nvr };
  },
};

// biome-ignore format: a table
const QUERIES: readonly string[] = [
  '', 'cameras=cam1', 'camera=cam1', 'labels=car', 'has_clip=1&labels=person', `after=${NOW - 86_400}`,
  `after=${NOW - 5 * 86_400}&before=${NOW - 4 * 86_400}&until=${NOW}`, `before=${NOW - 30 * 86_400}`, 'labels=no-such',
  'cameras=cam1,cam2&slices=7&series=1&timezone=America/New_York', 'slices=1000&series=0',
  'by=label', 'by=label&series=1&slices=7&cameras=cam1', 'by=camera',
];

for (const [place, begin] of Object.entries(PLACES)) {
  describe(`Counts of the events ${place}`, () => {
    let at: Place;
    const tokens: Record<string, string> = {};
    before(async () => {
      at = await begin();
      for (const person of PEOPLE) tokens[person.name] = await at.instance.logIn(person);
    });
    after(async () => {
      await at.instance.close();
      await at.nvr.close();
    });
    const ask = (name: string, query: string) =>
      at.instance.ask(`/api/events/counts?${query}`, { token: tokens[name] ?? '' });

    const sees: Readonly<Record<string, (event: EventRecord) => boolean>> = {
      admin: () => true,
      carl: ({ camera }) => camera === 'cam1',
      nora: ({ camera, start_time }) => camera !== 'cam3' && start_time > NOW - 7 * 86_400,
      gerda: () => false,
    };
    for (const [name, isSeen] of Object.entries(sees)) {
      it(`are, for ${name}, what the list has, whatever the filter`, async () => {
        for (const query of QUERIES) {
          const answer = await ask(name, query);
          const named = /cam2/.test(query) && name === 'carl';
          const isForeign = named || (name === 'gerda' && query.includes('cam1'));
          assert.equal(answer.status, isForeign ? 403 : 200, query);
          if (isForeign) continue;
          const parameters = new URLSearchParams(query.replace('camera=', 'cameras='));
          parameters.set('limit', '99999');
          assertCounts((await answer.json()) as EventCounts, listed(parameters).filter(isSeen), `${name} ${query}`);
        }
      });
    }

    it('of a foreign camera are refused, by any spelling, and say nothing of it', async () => {
      for (const query of [
        'cameras=cam2',
        'camera=cam3',
        'cameras=cam1,cam2',
        'cameras=cam1&cameras=cam2',
        '%63ameras=cam2',
      ]) {
        const answer = await ask('carl', query);
        assert.ok([400, 403].includes(answer.status), `${query}: ${answer.status}`);
      }
      assert.equal((await at.instance.ask('/api/events/counts')).status, 401);
      const text = await (await ask('carl', 'series=50')).text();
      assert.doesNotMatch(text, /cam[23]/);
    });

    it('are some kilobytes, in Brotli or gzip for a client that takes it', async () => {
      const plain = await raw(at.instance, tokens['admin'] ?? '', {});
      assert.ok(plain.body.length < 6000, `${plain.body.length} bytes`);
      const rows: [accepted: string, encoding: string | undefined][] = [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, gzip;q=0.5', 'gzip'],
        ['identity', undefined],
        ['*', undefined],
      ];
      for (const [accepted, encoding] of rows) {
        const answer = await raw(at.instance, tokens['admin'] ?? '', { 'accept-encoding': accepted });
        assert.equal(answer.headers['content-encoding'], encoding, accepted);
        assert.match(String(answer.headers['vary']), /accept-encoding/i);
        assert.equal(decoded(answer.body, encoding), plain.body.toString());
        if (encoding) assert.ok(answer.body.length < 2500, `${answer.body.length} bytes`);
      }
    });

    it('are not asked of the NVR as such a route, nor twice of the same pages', async () => {
      at.nvr.received.length = 0;
      for (const name of ['admin', 'carl', 'nora']) await ask(name, `cameras=cam1&after=${NOW - 3 * 86_400}`);
      assert.deepEqual(
        at.nvr.received.map(({ target }) => target),
        [],
      );
    });
  });
}

describe('What Postern makes of lists of the NVR', () => {
  it('is made of few at a time, and of no more than may wait: each may be fifty questions and megabytes', async () => {
    const count = createNvrCounts({ now: () => 0, startedAt: NOW });
    let [open, most] = [0, 0];
    const ask = async (): Promise<unknown> => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return [];
    };
    const counted = Array.from({ length: 60 }, (_, n) => {
      const target = { path: '/api/events/counts', segments: [], query: `labels=${n}` };
      return count({ target, view: undefined, upstream: 'nvr', path: '/api/events', ask }).then(
        () => 'counted',
        (fault: unknown) => fault,
      );
    });
    const outcomes = await Promise.all(counted);
    assert.equal(most, 3);
    assert.equal(outcomes.filter((outcome) => outcome === 'counted').length, 33);
    assert.ok(outcomes.every((outcome) => outcome === 'counted' || outcome instanceof TooManyLists));
    const target = { path: '/api/events/counts', segments: [], query: 'labels=again' };
    assert.match(await count({ target, view: undefined, upstream: 'nvr', path: '/api/events', ask }), /"total":0/);
  });

  it('is not told to a caller whose account was deleted while they were asked for', async (t) => {
    const nvr = await startFakeNvr();
    const instance = await startInstance({
      people: [ADMIN_PERSON, CARL],
      config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } },
    });
    t.after(() => Promise.all([instance.close(), nvr.close()]));
    const admin = await instance.logIn(ADMIN_PERSON);
    const create = (role: string) => ({
      method: 'POST',
      token: admin,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'guest', password: CARL.password, role }),
    });
    for (const [role, path] of [
      ['viewer', '/api/events/counts'],
      ['front_only', '/api/events/counts?labels=heron'],
      ['front_only', '/api/sub_labels'],
      ['front_only', '/api/events/explore'],
    ] as const) {
      assert.ok((await instance.ask('/api/users', create(role))).ok);
      const guest = await instance.logIn({ name: 'guest', role, password: CARL.password });
      let [isAsked, answer] = [() => {}, () => {}];
      const whenAsked = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      const mayAnswer = new Promise<void>((resolve) => {
        answer = resolve;
      });
      nvr.answer = async ({ url }, response) => {
        if (/config|version/.test(url ?? '')) return void response.end('{}');
        isAsked();
        await mayAnswer;
        response.setHeader('content-type', 'application/json');
        response.end('[{"id":"1.5-a","camera":"cam1","label":"heron","sub_label":"heron","start_time":1.5}]');
      };
      const asked = instance.ask(path, { token: guest });
      await whenAsked;
      assert.equal((await instance.ask('/api/users/guest', { method: 'DELETE', token: admin })).status, 200);
      answer();
      const told = await asked;
      assert.equal(told.status, 401, `${role} ${path}`);
      assert.doesNotMatch(await told.text(), /cam1|heron/);
    }
  });
});

it('Counts of an NVR are cut to the view, whatever the query was narrowed to', async () => {
  const count = createNvrCounts({ now: () => 0, startedAt: NOW });
  const target = { path: '/api/events/counts', segments: ['api', 'events', 'counts'], query: '' };
  const ask = async (path: string): Promise<unknown> => listed(new URL(path, 'http://nvr').searchParams);
  const view = withSight({
    role: 'neighbour' as Role,
    clearance: 'restricted',
    layout: layoutOfNames(CAMERAS as CameraName[]),
    cameras: ['cam2'] as CameraName[],
    since: NOW - 86_400,
  });
  const all = JSON.parse(await count({ target, view: undefined, upstream: '', path: '/api/events', ask }));
  assertCounts(all, EVENTS, 'all');
  const own = JSON.parse(await count({ target, view, upstream: '', path: '/api/events', ask }));
  assertCounts(
    own,
    EVENTS.filter(({ camera, start_time }) => camera === 'cam2' && start_time >= NOW - 86_400),
    'own',
  );
});

describe('Responses', () => {
  it('are compressed only where no secret stands beside text of a stranger', async (t) => {
    const policy = await loadPolicy('strict', '.');
    assert.ok(policy.kind === 'loaded');
    assert.deepEqual(
      policy.rows.filter(({ compressed }) => compressed).map(({ methods, path }) => `${methods} ${path}`),
      [
        'GET /postern/api/openapi.json',
        'GET /api/events/counts',
        'GET /api/access',
        'GET /api/users',
        'GET /api/roles',
      ],
    );
    const roles = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`role_${at}`, ['cam1']]));
    const instance = await startInstance({ people: [ADMIN_PERSON], config: { auth: { roles } } });
    t.after(() => instance.close());
    const token = await instance.logIn(ADMIN_PERSON);
    for (let made = 0; made < 12; made++) await instance.logIn(ADMIN_PERSON);
    // biome-ignore format: a table
    const rows: [path: string, encoding: string | undefined][] = [
      ['/postern/api/openapi.json', 'br'],
      ['/api/roles',                'br'],
      ['/api/sessions',             undefined],
      ['/api/status',               undefined],
    ];
    for (const [path, encoding] of rows) {
      const { headers, body } = await raw(instance, token, { 'accept-encoding': 'br' }, path);
      assert.equal(headers['content-encoding'], encoding, path);
      assert.ok(encoding || body.length > 1024, `${path}: ${body.length} bytes`);
    }
    const headers = { 'accept-encoding': 'br' };
    const [head, got] = [
      await raw(instance, token, headers, '/api/roles', 'HEAD'),
      await raw(instance, token, headers, '/api/roles'),
    ];
    assert.deepEqual([head.body.length, head.headers['content-length']], [0, String(got.body.length)]);
  });
});

interface Raw {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** `fetch` would decode the body. */
const raw = (
  { port }: Runtime,
  token: string,
  headers: Readonly<Record<string, string>>,
  path = '/api/events/counts?slices=200',
  method = 'GET',
): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, headers: { ...headers, authorization: `Bearer ${token}` } };
    request({ ...options, path, method }, async (response) => {
      resolve({ headers: response.headers, body: Buffer.concat(await response.toArray()) });
    })
      .once('error', reject)
      .end();
  });

function decoded(body: Buffer, encoding: string | undefined): string {
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
}
