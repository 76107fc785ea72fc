/** Lists that the NVR gives for all cameras only: a custom role gets what its cameras have (SPEC 5; facts: web client). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const BOB: Person = { name: 'bob', role: 'both', password: 'BobPassw0rd!!!!' };
const GONE: Person = { name: 'gerda', role: 'gone', password: 'GerdaPassw0rd!!' };

interface Event {
  readonly id: string;
  readonly camera: string;
  readonly label: string;
  readonly sub_label: string | null;
  readonly start_time: number;
  readonly data: { readonly recognized_license_plate?: string };
}
const event = (id: string, camera: string, label: string, start_time: number, more: Partial<Event> = {}): Event => ({
  id,
  camera,
  label,
  start_time,
  sub_label: null,
  data: {},
  ...more,
});

// biome-ignore format: a table
const EVENTS: readonly Event[] = [
  event('a', 'cam1', 'dog',    10),
  event('b', 'cam1', 'dog',    30, { sub_label: 'Rex' }),
  event('c', 'cam1', 'car',    20, { sub_label: 'bob, Anna', data: { recognized_license_plate: 'B-1' } }),
  event('d', 'cam2', 'dog',    40, { sub_label: 'Secret' }),
  event('e', 'cam2', 'person', 50, { sub_label: 'bobby', data: { recognized_license_plate: 'X-9' } }),
  event('f', 'cam3', 'person', 60, { sub_label: 'Mallory', data: { recognized_license_plate: 'Z-0' } }),
];
const EXPORTS = [
  { id: 'x1', camera: 'cam1', export_case: 'c1' },
  { id: 'x2', camera: 'cam2', export_case: 'c1' },
  { id: 'x3', camera: 'cam2', export_case_id: 'c2' },
  { id: 'x4', camera: 'cam1', export_case_id: null },
];
const CASES = [
  { id: 'c1', name: 'A theft' },
  { id: 'c2', name: 'cam2 only' },
  { id: 'c3', name: 'empty' },
];

const listOf = (query: URLSearchParams, name: string): string[] | undefined => query.get(name)?.split(',');
const isAsked = (values: string[] | undefined, value: string | null): boolean =>
  values === undefined ||
  (value !== null && values.some((wanted) => value.toLowerCase().includes(wanted.toLowerCase())));

/** As the NVR does: its sub-labels match by their beginnings, and its own lists know no cameras. */
function answerTo(path: string, query: URLSearchParams): unknown {
  const cameras = listOf(query, 'cameras') ?? listOf(query, 'camera');
  const seen = EVENTS.filter(({ camera }) => !cameras || cameras.includes(camera));
  switch (path) {
    case '/api/config':
      return { cameras: { cam1: {}, cam2: {}, cam3: {} } };
    case '/api/labels':
      return [...new Set(seen.map(({ label }) => label))];
    case '/api/sub_labels':
      return [...new Set(EVENTS.flatMap(({ sub_label }) => sub_label?.split(', ') ?? []))];
    case '/api/recognized_license_plates':
      return EVENTS.flatMap(({ data }) => data.recognized_license_plate ?? []);
    case '/api/events/explore':
      return EVENTS.map((one) => ({ ...one, event_count: 99 }));
    case '/api/events':
      return seen
        .filter(({ label }) => isAsked(listOf(query, 'labels'), label))
        .filter(({ sub_label }) => isAsked(listOf(query, 'sub_labels'), sub_label))
        .filter(({ data }) => !query.has('recognized_license_plate') || data.recognized_license_plate)
        .sort((one, other) => other.start_time - one.start_time)
        .slice(0, Number(query.get('limit') ?? 100));
    case '/api/exports':
      return EXPORTS.filter(({ camera }) => !cameras || cameras.includes(camera));
    case '/api/cases':
      return CASES;
    default:
      return undefined;
  }
}

describe('A list that the NVR gives for all cameras only', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const tokens: Record<string, string> = {};
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = answering;
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url },
        auth: { roles: { front_only: ['cam1'], both: ['cam1', 'cam2'], gone: ['cam9'] } },
      },
      people: [ADMIN_PERSON, CARL, BOB, GONE],
    });
    for (const person of [ADMIN_PERSON, CARL, BOB, GONE]) tokens[person.name] = await instance.logIn(person);
  });
  beforeEach(() => {
    nvr.answer = answering;
    nvr.received.length = 0;
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });
  const answering: FakeNvr['answer'] = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://nvr');
    const body = answerTo(pathname, searchParams);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? 'not found'));
  };
  const asked = async (path: string, name: string): Promise<{ status: number; body: unknown }> => {
    const response = await instance.ask(path, { token: tokens[name] ?? '' });
    return { status: response.status, body: await response.json() };
  };
  const shown = (body: unknown): string[] =>
    (body as (Event & { event_count: number })[]).map(({ id, event_count }) => `${id} ${event_count}`);

  it("shows the newest events of each label, the most frequent first, and counts the role's own", async () => {
    const [carl, bob] = [await asked('/api/events/explore', 'carl'), await asked('/api/events/explore?limit=2', 'bob')];
    assert.deepEqual([carl.status, shown(carl.body)], [200, ['b 2', 'a 2', 'c 1']]);
    assert.deepEqual([bob.status, shown(bob.body)], [200, ['d 2', 'b 2', 'e 1', 'c 1']]);
  });

  it('of sub-labels has those of visible cameras, and none that only begins like one', async () => {
    assert.deepEqual(await asked('/api/sub_labels?split_joined=1', 'carl'), {
      status: 200,
      body: ['Rex', 'bob', 'Anna'],
    });
    assert.deepEqual(await asked('/api/sub_labels', 'bob'), {
      status: 200,
      body: ['Rex', 'bob', 'Anna', 'Secret', 'bobby'],
    });
  });

  it('of plates has those of visible cameras', async () => {
    assert.deepEqual(await asked('/api/recognized_license_plates?split_joined=1', 'carl'), {
      status: 200,
      body: ['B-1'],
    });
    assert.deepEqual(await asked('/api/recognized_license_plates', 'bob'), { status: 200, body: ['B-1', 'X-9'] });
  });

  it('of cases has the cases with something visible', async () => {
    assert.deepEqual(await asked('/api/cases', 'carl'), { status: 200, body: [CASES[0]] });
    assert.deepEqual(await asked('/api/cases', 'bob'), { status: 200, body: [CASES[0], CASES[1]] });
    assert.deepEqual(await asked('/api/cases', 'gerda'), { status: 200, body: [] });
  });

  it('is asked for once, however many want it at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => asked('/api/events/explore?limit=20', 'carl')));
    assert.equal(nvr.received.filter(({ target }) => target.startsWith('/api/labels')).length, 1);
  });

  it('is made once for limits that differ little, and cut for each', async () => {
    const counts = async (limit: number): Promise<unknown[]> => {
      const { body } = await asked(`/api/events/explore?limit=${limit}`, 'carl');
      return (body as { id: string; event_count: number }[]).map(({ id, event_count }) => [id, event_count]);
    };
    const whole = [
      ['b', 2],
      ['a', 2],
      ['c', 1],
    ];
    assert.deepEqual(await counts(10), whole);
    nvr.received.length = 0;
    assert.deepEqual(
      [await counts(2), await counts(1), await counts(0)],
      [
        whole,
        [
          ['b', 1],
          ['c', 1],
        ],
        [],
      ],
    );
    assert.deepEqual(nvr.received, []);
  });

  it('is not made anew for a limit that makes no other list', async () => {
    const paths = [
      ...['/api/sub_labels', '/api/sub_labels?limit=1', '/api/sub_labels?limit=x'],
      ...['/api/recognized_license_plates?limit=1', '/api/recognized_license_plates?limit=2'],
      ...['/api/events/explore?limit=60', '/api/events/explore?limit=70', '/api/events/explore?limit=50'],
    ];
    for (const path of paths) assert.equal((await asked(path, 'carl')).status, 200, path);
    const targets = nvr.received.map(({ target }) => target);
    assert.deepEqual(
      targets.filter((target, at) => targets.indexOf(target) !== at),
      [],
    );
  });

  it('is empty for a role without cameras, and a bad query is 422 for it as well', async () => {
    // biome-ignore format: a table
    const rows: [path: string, status: number][] = [
      ['/api/events/explore', 200], ['/api/sub_labels', 200], ['/api/recognized_license_plates', 200], ['/api/events', 200],
      ['/api/events?limit=abc', 422], ['/api/events/explore?limit=abc', 422], ['/api/events?after=x', 422],
      ['/api/events?has_clip=x', 422], ['/api/review?limit=-1', 422], ['/api/timeline?limit=abc', 422],
    ];
    const statuses: [path: string, status: number][] = [];
    for (const [path] of rows) statuses.push([path, (await asked(path, 'gerda')).status]);
    assert.deepEqual(statuses, rows);
    assert.deepEqual(nvr.received, []);
  });

  it("is the NVR's own for an admin", async () => {
    assert.deepEqual(
      (await asked('/api/events/explore', 'admin')).body,
      answerTo('/api/events/explore', new URLSearchParams()),
    );
    assert.deepEqual((await asked('/api/cases', 'admin')).body, CASES);
  });

  it('says what went wrong when the NVR fails, and is made anew at the next request', async () => {
    nvr.answer = (_request, response) => void response.writeHead(500).end('trace');
    const failed = [await asked('/api/events/explore?limit=20', 'bob'), await asked('/api/cases', 'carl')];
    assert.deepEqual(
      failed.map(({ status }) => status),
      [502, 502],
    );
    nvr.answer = answering;
    assert.equal((await asked('/api/events/explore?limit=20', 'bob')).status, 200);
  });
});
