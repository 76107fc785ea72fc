/** Roles in other instances: denied verbs, an NVR that trusts headers, none that was read, events of our own (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { answerLikeAnNvr, type NvrAnswer, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, EVERYBODY, type Person, VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const BOB: Person = { name: 'bob', role: 'both', password: 'BobPassw0rd!!!!' };

/** An instance in front of an NVR for one test. */
async function withInstance(
  config: ConfigTree,
  answer: NvrAnswer,
  test: (instance: Runtime, nvr: Awaited<ReturnType<typeof startFakeNvr>>) => Promise<void>,
): Promise<void> {
  const nvr = await startFakeNvr();
  nvr.answer = answer;
  const { nvr: nvrConfig, ...rest } = config;
  const instance = await startInstance({
    config: { ...rest, nvr: { url: nvr.url, ...(nvrConfig as object) } },
    people: [...EVERYBODY, BOB],
  });
  try {
    await test(instance, nvr);
  } finally {
    await instance.close();
    await nvr.close();
  }
}

const statusesOf = async (
  instance: Runtime,
  token: string,
  paths: readonly string[],
  method = 'GET',
): Promise<number[]> => {
  const statuses: number[] = [];
  for (const path of paths) {
    const response = await instance.ask(path, { token, method });
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  return statuses;
};

const LIVE = ['/api/cam1/latest.jpg', '/api/go2rtc/streams/cam1'];
const HISTORY = [
  '/api/cam1/recordings',
  '/vod/cam1/start/1/end/2/x.m3u8',
  '/clips/thumbs/cam1/x.webp',
  '/api/preview/cam1/start/1/end/2/frames',
  '/recordings/2026-01-05/',
];
const EXPORT = ['/api/exports/cam1_abc123'];
const PTZ = ['/api/cam1/ptz/info'];

describe('The shipped route table', () => {
  it('has a verb for every route by which a custom role gets anything of a camera', async () => {
    const policy = await loadPolicy('frigate', '.');
    assert.ok(policy.kind === 'loaded');
    const without = policy.rows.filter(
      ({ access, verb, file }) =>
        file === 'frigate.yaml' && verb === undefined && (access === 'any' || access === 'camera'),
    );
    assert.deepEqual(
      without.map(({ methods, path }) => `${methods} ${path}`),
      [
        'GET /api/',
        'GET /api/version',
        'GET /api/config/schema.json',
        'GET /api/config',
        'GET /api/stats',
        'GET /api/metrics',
        'GET /api/profiles',
        'GET /api/vainfo',
        'GET /api/nvinfo',
        'GET /api/plus/models',
        'GET /api/notifications/pubkey',
        'WS /ws', // message by message
        'GET /live/webrtc/webrtc.html', // a page
      ],
    );
  });
});

describe('A role that is denied verbs on its cameras', () => {
  const list: NvrAnswer = (request, response, received) =>
    request.url?.startsWith('/api/exports/')
      ? void response.setHeader('content-type', 'application/json').end('{"camera":"cam1"}')
      : answerLikeAnNvr(request, response, received);
  // biome-ignore format: a table
  const rows: [deny: string[], live: number, history: number, exported: number, ptz: number][] = [
    [[],                  200, 200, 200, 200],
    [['live'],            403, 200, 200, 200],
    [['history'],         200, 403, 200, 200],
    [['export'],          200, 200, 403, 200],
    [['ptz'],             200, 200, 200, 403],
    [['history', 'ptz'],  200, 403, 200, 403],
  ];
  for (const [deny, live, history, exported, ptz] of rows) {
    it(`(${deny.join(', ') || 'none'}) has all the others`, () =>
      withInstance({ auth: { roles: { front_only: { cameras: ['cam1'], deny } } } }, list, async (instance) => {
        const token = await instance.logIn(CARL);
        assert.deepEqual(
          [
            await statusesOf(instance, token, LIVE),
            await statusesOf(instance, token, HISTORY),
            await statusesOf(instance, token, EXPORT),
            await statusesOf(instance, token, PTZ),
          ],
          [LIVE.map(() => live), HISTORY.map(() => history), [exported], [ptz]],
        );
      }));
  }
});

describe('Lists that the pages of the NVR ask for by themselves', () => {
  // biome-ignore format: a table
  const lists: [path: string, verb: string, empty: unknown][] = [
    ['/api/review?limit=10',                                           'history', []],
    ['/api/review?cameras=cam1&severity=alert',                        'history', []],
    ['/api/review/summary?timezone=utc',                               'history', { last24Hours: { reviewed_alert: null, reviewed_detection: null, total_alert: null, total_detection: null } }],
    ['/api/review/activity/motion?scale=30',                           'history', []],
    ['/api/events?limit=50',                                           'history', []],
    ['/api/events/search?query=cat',                                   'history', []],
    ['/api/events/explore?limit=10',                                   'history', []],
    ['/api/events/summary',                                            'history', []],
    ['/api/labels',                                                    'history', []],
    ['/api/sub_labels?split_joined=1',                                 'history', []],
    ['/api/recognized_license_plates?split_joined=1',                  'history', []],
    ['/api/timeline?source_id=1.5-abc',                                'history', []],
    ['/api/timeline/hourly',                                           'history', { start: 0, end: 0, count: 0, hours: {} }],
    ['/api/recordings/summary?timezone=utc&cameras=cam1',              'history', {}],
    ['/api/recordings/unavailable?cameras=cam1',                       'history', []],
    ['/api/preview/all/start/1763700000/end/1763700060',               'history', []],
    ['/api/preview/2026-01/05/12/all/utc',                             'history', []],
    ['/api/exports',                                                   'export',  []],
    ['/api/cases',                                                     'export',  []],
    ['/api/jobs/export',                                               'export',  []],
  ];
  it('are empty for a role that is denied what they list, and the NVR is asked nothing', () =>
    withInstance(
      { auth: { roles: { front_only: { cameras: ['cam1'], deny: ['history', 'export'] } } } },
      answerLikeAnNvr,
      async (instance, nvr) => {
        const token = await instance.logIn(CARL);
        nvr.received.length = 0;
        for (const [path, , empty] of lists) {
          const answer = await instance.ask(path, { token });
          assert.deepEqual([answer.status, await answer.json()], [200, empty], path);
          assert.equal((await instance.ask(path, { token, method: 'DELETE' })).status, 403, path);
        }
        assert.deepEqual(await statusesOf(instance, token, [...HISTORY, ...EXPORT]), Array(6).fill(403));
        assert.deepEqual(nvr.received, []);
      },
    ));

  it('are as they were for a role that is denied the other verb', () =>
    withInstance(
      { auth: { roles: { front_only: { cameras: ['cam1'], deny: ['export'] } } } },
      (request, response, received) =>
        request.url?.startsWith('/api/review?')
          ? void response.setHeader('content-type', 'application/json').end('[{"camera":"cam1"}]')
          : answerLikeAnNvr(request, response, received),
      async (instance) => {
        const token = await instance.logIn(CARL);
        assert.deepEqual(await (await instance.ask('/api/review?limit=10', { token })).json(), [{ camera: 'cam1' }]);
        assert.deepEqual(await (await instance.ask('/api/exports', { token })).json(), []);
      },
    ));
});

describe('An NVR that trusts headers', () => {
  it('is told who calls, and the gate judges all the same', () =>
    withInstance({ nvr: { auth_secret: 'between-the-two-of-us' } }, answerLikeAnNvr, async (instance, nvr) => {
      const token = await instance.logIn(CARL);
      nvr.received.length = 0;
      assert.deepEqual(
        await statusesOf(instance, token, ['/api/cam1/latest.jpg', '/api/cam2/latest.jpg', '/api/config/raw']),
        [200, 403, 403],
      );
      assert.deepEqual(
        nvr.received.map(({ target }) => target),
        ['/api/cam1/latest.jpg'],
      );
      assert.deepEqual(['remote-user', 'remote-role', 'remote-groups', 'x-proxy-secret'].map(nvr.lastHeader), [
        ['carl'],
        ['front_only'],
        ['front_only'],
        ['between-the-two-of-us'],
      ]);
    }));

  it('is asked for owners with the secret, as an admin', () =>
    withInstance({ nvr: { auth_secret: 'between-the-two-of-us' } }, answerLikeAnNvr, async (instance, nvr) => {
      await statusesOf(instance, await instance.logIn(CARL), ['/api/events/1.2-abc/clip.mp4']);
      assert.deepEqual(
        [
          nvr.lastHeader('remote-role'),
          nvr.lastHeader('remote-groups'),
          nvr.lastHeader('x-proxy-secret'),
          nvr.received.at(-1)?.target,
        ],
        [['admin'], ['admin'], ['between-the-two-of-us'], '/api/events/1.2-abc'],
      );
    }));
});

describe('Before the NVR was read for the first time', () => {
  it('restricted roles are told to wait, and others are not', () =>
    withInstance(
      {},
      (_request, response) => void response.writeHead(500).end(),
      async (instance, nvr) => {
        const [carl, vera, admin] = [
          await instance.logIn(CARL),
          await instance.logIn(VERA),
          await instance.logIn(ADMIN_PERSON),
        ];
        nvr.answer = (request, response, received) =>
          request.url === '/api/config'
            ? void response.writeHead(500).end()
            : answerLikeAnNvr(request, response, received);
        const paths = ['/vod/cam1/start/1/end/2/x', '/api/events', '/api/version'];
        assert.deepEqual(await statusesOf(instance, carl, paths), [503, 503, 200]);
        assert.deepEqual(await statusesOf(instance, vera, paths), [200, 200, 200]);
        assert.deepEqual(await statusesOf(instance, admin, paths), [200, 200, 200]);
      },
    ));

  it('a configuration read through the gate by any caller is enough', () =>
    withInstance(
      {},
      (_request, response) => void response.writeHead(500).end(),
      async (instance, nvr) => {
        const [carl, vera] = [await instance.logIn(CARL), await instance.logIn(VERA)];
        nvr.answer = answerLikeAnNvr;
        await statusesOf(instance, vera, ['/api/config']);
        assert.deepEqual(await statusesOf(instance, carl, ['/vod/cam1/start/1/end/2/x']), [200]);
      },
    ));
});

describe('An NVR that leaves out of its configuration what a role does not see', () => {
  it('takes no camera away from other callers by that', () =>
    withInstance(
      { auth: { roles: { front_only: ['cam1'], both: ['cam1', 'cam2'] } } },
      (request, response, received) =>
        request.url === '/api/config' && request.headers['remote-role'] === CARL.role
          ? void response.writeHead(200, { 'content-type': 'application/json' }).end('{"cameras":{"cam1":{}}}')
          : answerLikeAnNvr(request, response, received),
      async (instance) => {
        const carl = await instance.logIn(CARL);
        assert.deepEqual(await statusesOf(instance, carl, ['/api/config', '/api/cam2/latest.jpg']), [200, 403]);
        assert.deepEqual(await statusesOf(instance, await instance.logIn(BOB), ['/api/cam2/latest.jpg']), [200]);
      },
    ));
});

describe('The stream server', () => {
  const webrtc = '/api/go2rtc/webrtc?src=cam1';
  it('takes the place of a camera from an admin alone, and gives streams to all who see it', () =>
    withInstance({}, answerLikeAnNvr, async (instance) => {
      const statuses = async (person: Person) =>
        statusesOf(instance, await instance.logIn(person), [webrtc, `${webrtc}&dst=cam1`, `${webrtc}&%64st`], 'POST');
      assert.deepEqual(
        [await statuses(CARL), await statuses(VERA), await statuses(ADMIN_PERSON)],
        [
          [200, 403, 403],
          [200, 403, 403],
          [200, 200, 200],
        ],
      );
    }));
});

describe('Cameras whose names go on where another one ends', () => {
  const config = JSON.stringify({ cameras: { cam1: {}, 'cam1-door': {}, 'cam1-1': {} } });
  const answer: NvrAnswer = (request, response, received) =>
    request.url === '/api/config'
      ? void response.writeHead(200, { 'content-type': 'application/json' }).end(config)
      : answerLikeAnNvr(request, response, received);
  it('are not seen in frames that the NVR sorts by their names', () =>
    withInstance({}, answer, async (instance, nvr) => {
      const carl = await instance.logIn(CARL);
      nvr.received.length = 0;
      const frames = (span: string) => [
        `/api/preview/cam1/${span}/frames`,
        `/api/cam1/${span}/preview.gif`,
        `/api/cam1/${span}/preview.mp4`,
      ];
      const spans = ['start/0/end/1763700060', 'start/1763700000/end/inf', 'start/nan/end/1763700060'];
      assert.deepEqual(await statusesOf(instance, carl, spans.flatMap(frames)), Array(9).fill(403));
      assert.deepEqual(nvr.received, []);
      assert.deepEqual(await statusesOf(instance, carl, frames('start/1763700000.5/end/1763700060')), [200, 200, 200]);
    }));
});

describe('Fields of a body that are for admins', () => {
  const body = JSON.stringify({ name: 'x', export_case_id: 'c' });
  const headers = { 'content-type': 'application/json' };
  it('are taken from an admin alone', () =>
    withInstance({}, answerLikeAnNvr, async (instance, nvr) => {
      const post = async (person: typeof CARL, sent: string) =>
        (
          await instance.ask('/api/export/cam1/start/1/end/2', {
            method: 'POST',
            token: await instance.logIn(person),
            headers,
            body: sent,
          })
        ).status;
      assert.deepEqual([await post(CARL, body), await post(VERA, body)], [403, 403]);
      assert.deepEqual(
        nvr.received.filter(({ method }) => method === 'POST'),
        [],
      );
      assert.equal(await post(ADMIN_PERSON, body), 200);
      assert.equal(await post(CARL, '{"name":"x"}'), 200);
      assert.equal(nvr.received.at(-1)?.body, '{"name":"x"}');
      assert.equal(await post(CARL, '{ "name": "y", "name": "\\u0078" }'), 200);
      assert.equal(nvr.received.at(-1)?.body, '{"name":"x"}');
      assert.deepEqual(
        [await post(CARL, 'no JSON'), await post(CARL, JSON.stringify({ name: 'x'.repeat(70_000) }))],
        [400, 413],
      );
    }));
});

describe('What only our own events backend can narrow', () => {
  const paths = ['/api/sub_labels', '/api/recognized_license_plates', '/api/events/explore'];
  it('is 502 for restricted roles where an NVR answers for events whose lists have another form', () =>
    withInstance({}, answerLikeAnNvr, async (instance) => {
      assert.deepEqual(await statusesOf(instance, await instance.logIn(CARL), paths), [502, 502, 502]);
      assert.deepEqual(await statusesOf(instance, await instance.logIn(VERA), paths), [200, 200, 200]);
    }));

  it('is answered by it, and the NVR sees nothing of it', () =>
    withInstance({ events: { source: 'store' } }, answerLikeAnNvr, async (instance, nvr) => {
      nvr.received.length = 0;
      assert.deepEqual(
        await statusesOf(instance, await instance.logIn(CARL), [
          ...paths,
          '/api/labels',
          '/api/events/summary',
          '/api/events',
        ]),
        [200, 200, 200, 200, 200, 200],
      );
      assert.deepEqual(nvr.received, []);
    }));
});

describe('A token that was narrowed to cameras', () => {
  const LISTS = [
    '/api/sub_labels',
    '/api/recognized_license_plates',
    '/api/events/explore',
    '/api/labels',
    '/api/events/summary',
    '/api/events',
  ];
  it('gets of our own events what a role of those cameras gets, whatever the role of its maker', () =>
    withInstance(
      { nvr: { cameras: ['cam1', 'cam2'] }, events: { source: 'store', sample: 400 } },
      answerLikeAnNvr,
      async (instance) => {
        const admin = await instance.logIn(ADMIN_PERSON);
        const made = await instance.ask('/api/tokens', {
          method: 'POST',
          token: admin,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'door bell', cameras: ['cam1'] }),
        });
        const { token } = (await made.json()) as { token: string };
        const answers = async (bearer: string, headers: Readonly<Record<string, string>> = {}) =>
          Promise.all(LISTS.map(async (path) => (await instance.ask(path, { token: bearer, headers })).json()));
        const narrowed = await answers(token);
        assert.deepEqual(narrowed, await answers(await instance.logIn(CARL)));
        assert.deepEqual(narrowed, await answers(token, { 'remote-cameras': 'cam2', 'remote-role': 'admin' }));
        const seen = await answers(admin);
        for (const [at, path] of LISTS.entries()) {
          assert.ok((narrowed[at] as unknown[]).length > 0, `${path} is empty`);
          assert.doesNotMatch(JSON.stringify(narrowed[at]), /cam2/, path);
        }
        assert.notDeepEqual(narrowed[2], seen[2]);
      },
    ));
});

describe("The roles in the NVR's configuration", () => {
  it('are told to each role with its own cameras, and never with an empty list, which means all cameras', () =>
    withInstance(
      { auth: { roles: { front_only: ['cam1'], both: ['cam1', 'cam2'], gone: ['cam9'] } } },
      answerLikeAnNvr,
      async (instance) => {
        const rolesFor = async (person: Person): Promise<unknown> => {
          const answer = await instance.ask('/api/config', { token: await instance.logIn(person) });
          return ((await answer.json()) as { auth: { roles: unknown } }).auth.roles;
        };
        const builtIn = { admin: [], viewer: [] };
        const [hidden, cam1, both] = [[''], ['cam1'], ['cam1', 'cam2']];
        assert.deepEqual(
          [await rolesFor(ADMIN_PERSON), await rolesFor(VERA), await rolesFor(CARL), await rolesFor(BOB)],
          [
            { ...builtIn, front_only: cam1, both, gone: ['cam9'] },
            { ...builtIn, front_only: hidden, both: hidden, gone: hidden },
            { ...builtIn, front_only: cam1, both: hidden, gone: hidden },
            { ...builtIn, front_only: hidden, both, gone: hidden },
          ],
        );
      },
    ));
});

describe('A route that the table does not know', () => {
  it('is for admins, and counted when the NVR answers there', () =>
    withInstance({}, answerLikeAnNvr, async (instance) => {
      const [carl, vera, admin] = [
        await instance.logIn(CARL),
        await instance.logIn(VERA),
        await instance.logIn(ADMIN_PERSON),
      ];
      const paths = ['/api/new_thing/1', '/newer/x'];
      assert.deepEqual(
        [
          await statusesOf(instance, carl, paths),
          await statusesOf(instance, vera, paths),
          await statusesOf(instance, admin, paths),
        ],
        [
          [403, 403],
          [403, 403],
          [200, 200],
        ],
      );
      const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
      assert.match(metrics, /^postern_unknown_routes_total 2$/m);
    }));
});
