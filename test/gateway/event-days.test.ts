/** Events by day through the gate: of each caller's own cameras and times only, compressed (SPEC 5, 7). */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { openStore } from '../../src/store/open-store.ts';
import { event } from '../events/support/event.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

/** A Sunday. */
const NOW = Date.parse('2026-11-22T12:30:00Z') / 1000;
const DAY = 86_400;
const NORA: Person = { name: 'nora', role: 'neighbour', password: 'CobaltPassw0rd!!' };
const GONE: Person = { name: 'gerda', role: 'gone', password: 'GerdaPassw0rd!!' };
const OTTO: Person = { name: 'otto', role: 'office', password: 'OttoPassw0rd!!' };
const PEOPLE = [ADMIN_PERSON, CARL, NORA, GONE];
const CAMERAS = ['cam1', 'cam2', 'cam3'];
const PATH = '/api/events/days';

const config = {
  nvr: { cameras: CAMERAS },
  auth: {
    timezone: 'UTC',
    roles: {
      front_only: ['cam1'],
      neighbour: { cameras: ['cam1', 'cam2'], history_since: '7d' },
      gone: ['cam9'],
      office: { cameras: ['cam1'], hours: ['Mon-Fri 07:00-18:00'] },
    },
  },
};

interface DayRow {
  readonly day: string;
  readonly camera?: string;
  readonly count: number;
}
const dayOf = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);

/** Over 40 days, newest first. */
const EVENTS: readonly EventRecord[] = Array.from({ length: 900 }, (_, n) =>
  event({
    id: `e${n}`,
    camera: CAMERAS[(n * n + n) % 3] ?? '',
    label: n % 5 ? 'person' : 'car',
    start_time: NOW - 60 - n * 3840.5,
  }),
);

const SEES: Readonly<Record<string, (event: EventRecord) => boolean>> = {
  admin: () => true,
  carl: ({ camera }) => camera === 'cam1',
  nora: ({ camera, start_time }) => camera !== 'cam3' && start_time >= NOW - 7 * DAY,
  gerda: () => false,
};

interface Place {
  readonly instance: Runtime;
  readonly nvr: FakeNvr;
}

async function placeWith(more: object): Promise<Place> {
  const nvr = await startFakeNvr();
  const instance = await startInstance({
    clock: movableClock(NOW * 1000),
    people: PEOPLE,
    config: { ...config, nvr: { ...config.nvr, url: nvr.url }, ...more },
  });
  return { instance, nvr };
}

const tokensAt = async ({ instance }: Place): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(await Promise.all(PEOPLE.map(async (one) => [one.name, await instance.logIn(one)])));

describe('The days of the events of our own store', () => {
  let at: Place;
  let tokens: Readonly<Record<string, string>>;
  before(async () => {
    at = await placeWith({ events: { source: 'store' } });
    tokens = await tokensAt(at);
    const store = await openStore({ url: `sqlite:${at.instance.directory}/postern.db` });
    await store.writeEvents(EVENTS);
    await store.close();
  });
  after(() => Promise.all([at.instance.close(), at.nvr.close()]));
  const ask = (name: string, query = '') => at.instance.ask(`${PATH}?${query}`, { token: tokens[name] ?? '' });

  for (const [name, isSeen] of Object.entries(SEES))
    it(`are, for ${name}, those of the events that the list has`, async () => {
      const answer = await ask(name);
      const seen = EVENTS.filter(isSeen).map(({ start_time, camera }) => `${dayOf(start_time)} ${camera}`);
      const rows = [...new Set(seen)].sort().map((row): DayRow => {
        const [day = '', camera = ''] = row.split(' ');
        return { day, camera, count: seen.filter((one) => one === row).length };
      });
      assert.deepEqual([answer.status, await answer.json()], [200, rows]);
      const list = await at.instance.ask('/api/events?limit=10000', { token: tokens[name] ?? '' });
      const total = rows.reduce((sum, { count }) => sum + count, 0);
      assert.equal(((await list.json()) as unknown[]).length, total);
    });

  it('are cut to the time, the labels and the cameras that are asked for', async () => {
    const [from, to] = [NOW - 5 * DAY, NOW - 4 * DAY];
    const answer = await ask('admin', `after=${from}&before=${to}&labels=car&cameras=cam1,cam3`);
    const wanted = EVENTS.filter(({ start_time }) => start_time > from && start_time < to).filter(
      ({ label, camera }) => label === 'car' && camera !== 'cam2',
    );
    const rows = (await answer.json()) as DayRow[];
    assert.ok(wanted.length > 0);
    assert.equal(
      rows.reduce((sum, { count }) => sum + count, 0),
      wanted.length,
    );
  });

  it('of a foreign camera are refused, by any spelling, and say nothing of it', async () => {
    for (const query of ['cameras=cam2', 'cameras=cam1,cam2', 'cameras=cam1&cameras=cam2', '%63ameras=cam2']) {
      const answer = await ask('carl', query);
      assert.ok([400, 403].includes(answer.status), `${query}: ${answer.status}`);
    }
    assert.equal((await at.instance.ask(PATH)).status, 401);
    assert.doesNotMatch(await (await ask('carl')).text(), /cam[23]/);
  });

  it('are 422 for more than 400 of them', async () => {
    assert.equal((await ask('admin', `after=${NOW - 400 * DAY}&before=${NOW}`)).status, 200);
    const answer = await ask('admin', `after=${NOW - 402 * DAY}&before=${NOW}`);
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), /after: .*400 days/);
  });

  it('are some kilobytes, in Brotli or gzip for a client that takes it', async () => {
    const plain = await raw(at.instance, tokens['admin'] ?? '', {});
    assert.ok(plain.body.length < 20_000, `${plain.body.length} bytes`);
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
      if (encoding) assert.ok(answer.body.length < 4000, `${answer.body.length} bytes`);
    }
  });
});

const SUMS: Readonly<Record<string, readonly [day: string, alerts: number | null, detections: number | null][]>> = {
  cam1: [
    ['2026-11-22', 1, 2],
    ['2026-11-16', 3, null],
    ['2026-11-15', 4, 0],
    ['2026-10-25', 0, 1],
  ],
  cam2: [
    ['2026-11-22', 10, 0],
    ['2026-11-17', null, null],
    ['2026-11-15', 0, 20],
  ],
  cam3: [['2026-11-21', 100, 100]],
};

/** As the NVR counts: by the cameras of the query, whoever asks. */
function summary({ searchParams }: URL): unknown {
  const cameras = searchParams.get('cameras') ?? 'all';
  const wanted = Object.entries(SUMS).filter(([camera]) => cameras === 'all' || cameras.split(',').includes(camera));
  const days: Record<string, { total_alert: number | null; total_detection: number | null }> = {};
  for (const [day, alerts, detections] of wanted.flatMap(([, rows]) => rows)) {
    const { total_alert = null, total_detection = null } = days[day] ?? {};
    days[day] = { total_alert: added(total_alert, alerts), total_detection: added(total_detection, detections) };
  }
  return { last24Hours: { total_alert: 999, total_detection: 999 }, ...days };
}
const added = (one: number | null, other: number | null) =>
  one === null && other === null ? null : (one ?? 0) + (other ?? 0);

describe('The days of the reviews of an NVR', () => {
  let at: Place;
  let tokens: Readonly<Record<string, string>>;
  before(async () => {
    at = await placeWith({});
    tokens = await tokensAt(at);
    at.nvr.answer = ({ url }, response) => {
      const target = new URL(url ?? '', 'http://nvr');
      response.writeHead(target.pathname === '/api/review/summary' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(summary(target)));
    };
  });
  after(() => Promise.all([at.instance.close(), at.nvr.close()]));
  const ask = async (name: string, query = '') => {
    at.nvr.received.length = 0;
    const answer = await at.instance.ask(`${PATH}?${query}`, { token: tokens[name] ?? '' });
    const rows = answer.status === 200 ? ((await answer.json()) as DayRow[]) : answer.status;
    const asked = at.nvr.received.map(({ target }) => decodeURIComponent(target));
    return { asked, rows: Array.isArray(rows) ? rows.map(({ day, count }) => `${day} ${count}`) : rows };
  };
  const askedFor = (cameras: string): string[] => [`/api/review/summary?timezone=UTC&cameras=${cameras}&labels=all`];

  // biome-ignore format: a table
  const rows: [what: string, name: string, query: string, asked: string[], told: string[] | number][] = [
    ['are alerts and detections together, and no other key', 'admin', '', askedFor('all'), ['2026-10-25 1', '2026-11-15 24', '2026-11-16 3', '2026-11-21 200', '2026-11-22 13']],
    ['are those of the cameras of a role', 'carl', '', askedFor('cam1'), ['2026-10-25 1', '2026-11-15 4', '2026-11-16 3', '2026-11-22 3']],
    ['are whole days since the time that a role may look back to', 'nora', '', askedFor('cam1,cam2'), ['2026-11-16 3', '2026-11-22 13']],
    ['are those of the cameras that are named', 'nora', 'cameras=cam2', askedFor('cam2'), ['2026-11-22 10']],
    ['are none for a role without cameras, and the NVR is not asked', 'gerda', '', [], []],
    ['of a foreign camera are not asked for', 'carl', 'cameras=cam2', [], 403],
    ['are cut to the days of a time', 'admin', `after=${NOW - 7 * DAY}&before=${NOW - 2 * DAY}`, askedFor('all'), ['2026-11-15 24', '2026-11-16 3']],
    ['end before a midnight', 'admin', `after=${Date.parse('2026-11-16') / 1000}&before=${Date.parse('2026-11-21') / 1000}`, askedFor('all'), ['2026-11-16 3']],
    ['are 422 for more than 400 of them', 'admin', `after=${NOW - 402 * DAY}`, [], 422],
    ['are 422 for a zone that is none', 'admin', 'timezone=Mars', [], 422],
    ['are asked for by label and zone', 'admin', 'labels=dog,cat&timezone=europe/berlin&after=1e300', ['/api/review/summary?timezone=Europe/Berlin&cameras=all&labels=dog,cat'], []],
  ];
  for (const [what, name, query, asked, told] of rows)
    it(what, async () => assert.deepEqual(await ask(name, query), { asked, rows: told }));

  it('are 502 where it answers something else', async () => {
    at.nvr.answer = (_, response) => response.end('[]');
    assert.equal((await ask('admin')).rows, 502);
  });

  it('are not told to a caller whose account was deleted while the NVR was asked', async (t) => {
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
      ['viewer', '/api/events/days'],
      ['front_only', '/api/events/days?labels=heron'],
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
        const list = '[{"id":"1.5-a","camera":"cam1","label":"heron","sub_label":"heron","start_time":1.5}]';
        response.end(url?.includes('review/summary') ? '{"2026-11-22":{"total_alert":1}}' : list);
      };
      const asked = instance.ask(path, { token: guest });
      await whenAsked;
      assert.equal((await instance.ask('/api/users/guest', { method: 'DELETE', token: admin })).status, 200);
      answer();
      const told = await asked;
      assert.equal(told.status, 401, `${role} ${path}`);
      assert.doesNotMatch(await told.text(), /cam1|heron|2026-11-22/);
    }
  });
});

it('The days are refused, and the NVR is not asked, when the hours of the role are over', async (t) => {
  const clock = movableClock(Date.parse('2026-11-23T17:59:00Z'));
  const nvr = await startFakeNvr();
  const instance = await startInstance({
    clock,
    people: [OTTO],
    config: { ...config, nvr: { ...config.nvr, url: nvr.url } },
  });
  t.after(() => Promise.all([instance.close(), nvr.close()]));
  nvr.answer = (_, response) => response.end('{}');
  const token = await instance.logIn(OTTO);
  assert.equal((await instance.ask(PATH, { token })).status, 200);
  clock.advance(120);
  nvr.received.length = 0;
  assert.equal((await instance.ask(PATH, { token })).status, 403);
  assert.deepEqual(nvr.received, []);
});

describe('Responses', () => {
  it('are compressed only where no secret stands beside text of a stranger', async (t) => {
    const policy = await loadPolicy('strict', '.');
    assert.ok(policy.kind === 'loaded');
    assert.deepEqual(
      policy.rows.filter(({ compressed }) => compressed).map(({ methods, path }) => `${methods} ${path}`),
      ['GET /postern/api/openapi.json', 'GET /api/events/days', 'GET /api/access', 'GET /api/users', 'GET /api/roles'],
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
  path = '/api/events/days?timezone=UTC',
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
