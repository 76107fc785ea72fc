/** Who may read what of the ledger: in lists, sums, counts and errors; and what requests, logins and changes become in it (SPEC 14). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { pairScreen } from '../../support/screens.ts';
import { sessionIdOf } from '../../support/sessions.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly user: string | null;
  readonly camera: string | null;
  readonly credential: string | null;
  readonly address: string | null;
  readonly from: number;
  readonly to: number;
  readonly hash: string | null;
  readonly detail?: Readonly<Record<string, string>>;
}

const EVENT = '1700000000.5-abcdef';
const JSON_BODY = { body: '{}', headers: { 'content-type': 'application/json' } };
const AUTH: ConfigTree = { hash_iterations: 1000, roles: { front_only: ['cam1'] }, trusted_proxies: ['127.0.0.1/32'] };

let nvr: FakeNvr;
let postern: Runtime;
const tokens: Record<string, string> = {};

before(async () => {
  nvr = await startFakeNvr();
  const { answer } = nvr;
  nvr.answer = (request, response, received) => {
    if (request.url === `/api/events/${EVENT}`) return void response.end('{"camera":"cam2"}');
    answer(request, response, received);
  };
  postern = await startInstance({ config: { nvr: { url: nvr.url }, auth: AUTH } });
  for (const person of [ADMIN_PERSON, VERA, CARL]) tokens[person.name] = await postern.logIn(person);
});
after(async () => {
  await postern.close();
  await nvr.close();
});

const get = (path: string, user: string, headers: Record<string, string> = {}): Promise<Response> =>
  postern.ask(path, { token: tokens[user] ?? '', headers });
const list = async (user: string, query = ''): Promise<readonly Shown[]> => {
  const response = await get(`/api/ledger${query}`, user);
  assert.equal(response.status, 200, query);
  return (await response.json()) as Shown[];
};
const days = async (user: string, query = ''): Promise<readonly { user: string }[]> =>
  (await (await get(`/api/ledger/days${query}`, user)).json()) as { user: string }[];

describe('What a request becomes in the ledger', () => {
  const live = { kind: 'live', camera: 'cam1', credential: 'session' };
  const history = { ...live, kind: 'history' };
  const rows: readonly (readonly [sentence: string, path: string, expected: object, method?: string])[] = [
    ['a picture that is polled', '/api/cam1/latest.jpg', live],
    [
      'an offer of live pictures, which do not pass here',
      '/api/go2rtc/webrtc?src=cam1',
      { ...live, detail: { seen: 'signalling' } },
      'POST',
    ],
    ['a recorded time', '/vod/cam1/start/100/end/200/seg-1.ts', { ...history, watched_from: 100, watched_to: 200 }],
    [
      'a recorded hour of UTC',
      '/recordings/2026-11-22/07/cam1/12.34.mp4',
      { ...history, watched_from: 1795330800, watched_to: 1795334400 },
    ],
    [
      'a recorded hour of a time zone',
      '/vod/2026-07/22/07/cam1/Europe,Berlin/seg-1.ts',
      { ...history, watched_from: 1784696400, watched_to: 1784700000 },
    ],
    [
      'a picture of an event, whose camera the NVR is asked for',
      `/api/events/${EVENT}/snapshot.jpg`,
      { ...history, camera: 'cam2', watched_from: 1700000000.5, watched_to: 1700000000.5, detail: { event: EVENT } },
    ],
    [
      'an export',
      '/api/export/cam1/start/100/end/200',
      { ...live, kind: 'export', watched_from: 100, watched_to: 200 },
      'POST',
    ],
    ["the NVR's picture of all cameras", '/api/birdseye/latest.jpg', { ...live, camera: 'birdseye' }],
  ];
  /** When each was asked for; all are asked for before the first is looked up, for the ledger is written once a second. */
  const times: number[] = [];
  before(async () => {
    for (const [, path, , method = 'GET'] of rows) {
      postern.clock.advance(500);
      times.push(postern.clock.now() / 1000);
      const sent = { method, token: tokens['admin'] ?? '', ...(method === 'POST' && JSON_BODY) };
      assert.equal((await postern.ask(path, sent)).status, 200, path);
    }
    const asked = `?after=${(times[0] ?? 0) - 1}&kind=live,history,export`;
    await until('all are there', async () => (await list('admin', asked)).length >= rows.length);
  });
  for (const [index, [sentence, , expected]] of rows.entries()) {
    it(sentence, async () => {
      const at = times[index] ?? 0;
      const found = await list('admin', `?after=${at - 1}&before=${at + 1}&kind=live,history,export`);
      assert.deepEqual(
        found.map(({ id: _, hash: __, from, to, ...told }) => ({ ...told, at: [from.toFixed(1), to.toFixed(1)] })),
        [{ user: 'admin', address: '127.0.0.1', at: [at.toFixed(1), at.toFixed(1)], ...expected }],
      );
    });
  }

  it('is told apart by address, person, sort of picture and a camera in the query, not by what else stands there', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    for (const [user, address, path] of [
      ['vera', '192.0.2.1', '/api/cam1/latest.jpg?cache=1'],
      ['vera', '192.0.2.1', '/api/cam1/latest.jpg?cache=2'],
      ['vera', '192.0.2.2', '/api/cam1/latest.jpg?cache=1'],
      ['admin', '192.0.2.1', '/api/cam1/latest.jpg?cache=1'],
      ['vera', '192.0.2.1', '/api/cam1/person/snapshot.jpg?cache=1'],
      ['vera', '192.0.2.3', '/stream/film?src=cam1'],
      ['vera', '192.0.2.3', '/stream/film?src=cam1'],
      ['vera', '192.0.2.3', '/stream/film?src=cam2'],
    ] as const)
      assert.equal((await get(path, user, { 'x-forwarded-for': address })).status, 200, path);
    const told = async () =>
      (await list('admin', `?after=${at - 1}&kind=live,history`))
        .map(({ user, address, kind, camera }) => `${user} ${address} ${kind} ${camera}`)
        .sort();
    await until('all are there', async () => (await told()).length >= 6);
    assert.deepEqual(await told(), [
      'admin 192.0.2.1 live cam1',
      'vera 192.0.2.1 history cam1',
      'vera 192.0.2.1 live cam1',
      'vera 192.0.2.2 live cam1',
      'vera 192.0.2.3 live cam1',
      'vera 192.0.2.3 live cam2',
    ]);
  });

  it('is an export of each camera that its body names, of an admin too', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const items = (...cameras: readonly string[]) => cameras.map((camera) => ({ camera, start_time: 1, end_time: 2 }));
    for (const [user, body] of [
      ['admin', { items: items('cam1', 'cam2', 'cam1'), export_case_id: 'case' }],
      ['vera', { items: items('cam2') }],
      ['carl', { items: items('cam1') }],
    ] as const) {
      nvr.received.splice(0);
      const sent = { ...JSON_BODY, body: JSON.stringify(body), method: 'POST', token: tokens[user] ?? '' };
      assert.equal((await postern.ask('/api/exports/batch', sent)).status, 200);
      const sentOn = nvr.received.find(({ method }) => method === 'POST'); // the gate asks for the cameras meanwhile
      assert.deepEqual(JSON.parse(sentOn?.body ?? ''), body);
    }
    const noBody = { method: 'POST', token: tokens['carl'] ?? '' };
    assert.equal((await postern.ask('/api/export/cam1/start/100/end/200', noBody)).status, 200);
    const told = async () =>
      (await list('admin', `?after=${at - 1}&kind=export`)).map(({ user, camera }) => `${user} ${camera}`).sort();
    await until('all are there', async () => (await told()).length >= 5);
    assert.deepEqual(await told(), ['admin cam1', 'admin cam2', 'carl cam1', 'carl cam1', 'vera cam2']);
  });

  it('is nothing for lists, for HEAD, for what the NVR refuses, and for what is refused here', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    for (const path of ['/api/review', '/api/stats', '/api/config', '/api/cam1/recordings', '/api/ledger'])
      await get(path, 'vera');
    await postern.ask('/api/cam1/latest.jpg', { method: 'HEAD', token: tokens['vera'] ?? '' });
    assert.equal((await get('/api/cam2/latest.jpg', 'carl')).status, 403);
    nvr.rawAnswer = { bytes: 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n' };
    assert.equal((await get('/api/cam1/latest.jpg', 'vera')).status, 404);
    nvr.rawAnswer = undefined;
    await until('the refusal is there', async () => (await list('admin', `?after=${at - 1}&kind=refusal`)).length > 0);
    assert.deepEqual(
      (await list('admin', `?after=${at - 1}`)).map(({ kind, user, detail }) => [
        kind,
        user,
        detail?.['reason'],
        detail?.['path'],
      ]),
      [['refusal', 'carl', 'camera-not-in-role', '/api/cam2/latest.jpg']],
    );
  });

  it('is the viewing of a link, of the one who made it, and the link in both records of its life', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const made = await postern.ask('/api/links', {
      ...JSON_BODY,
      method: 'POST',
      token: tokens['vera'] ?? '',
      body: '{"what":{"snapshot":{"camera":"cam1"}}}',
    });
    const { id, url } = (await made.json()) as { id: string; url: string };
    assert.equal((await postern.ask(`${url}/snapshot.jpg`)).status, 200);
    const asked = `?after=${at - 1}&kind=live,link`;
    await until('they are there', async () => (await list('admin', asked)).length >= 3);
    const found = await list('admin', asked);
    const told = found.map(({ kind, user, camera, detail }) => [kind, user, camera, detail?.['what'] ?? null]);
    assert.deepEqual(told.sort(), [
      ['link', null, null, 'link-opened'],
      ['link', 'vera', null, 'link-created'],
      ['live', 'vera', 'cam1', null],
    ]);
    assert.equal(found.find(({ kind }) => kind === 'live')?.credential, `link:${id}`);
  });

  it('is the viewing of a screen, of the one who has paired it, and its life', async () => {
    const vera = await postern.logIn(VERA);
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const { id, cookie } = await pairScreen(postern, vera);
    assert.equal((await postern.ask('/api/cam1/latest.jpg', { headers: { cookie } })).status, 200);
    await postern.ask(`/api/screens/${id}`, { method: 'DELETE', token: vera });
    const asked = `?after=${at - 1}&kind=live,change`;
    await until('they are there', async () => (await list('admin', asked)).length >= 3);
    const found = await list('admin', asked);
    const told = found.map(({ kind, user, camera, detail }) => [kind, user, camera, detail?.['what'] ?? null]);
    assert.deepEqual(told.sort(), [
      ['change', 'vera', null, 'screen-paired'],
      ['change', 'vera', null, 'screen-revoked'],
      ['live', 'vera', 'cam1', null],
    ]);
    assert.equal(found.find(({ kind }) => kind === 'live')?.credential, `screen:${id}`);
  });

  it('tells by which credential a change, a link and a refusal were made: acts of a leaked token are not its owner’s', async () => {
    const vera = await postern.logIn(VERA);
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const admin = await postern.logIn(ADMIN_PERSON);
    const send = async (path: string, token: string, body: object, method = 'POST') =>
      (await (await postern.ask(path, { ...JSON_BODY, method, token, body: JSON.stringify(body) })).json()) as Record<
        string,
        string
      >;
    const whole = await send('/api/tokens', admin, { name: 'whole', role: 'admin', manage_accounts: true });
    const weak = await send('/api/tokens', admin, { name: 'weak', role: 'viewer' });
    await send('/api/roles/by_token', whole['token'] ?? '', { cameras: ['cam1'] }, 'PUT');
    await send('/api/roles/by_person', admin, { cameras: ['cam1'] }, 'PUT');
    const link = await send('/api/links', weak['token'] ?? '', { what: { snapshot: { camera: 'cam1' } } });
    assert.equal((await postern.ask(`${link['url']}/snapshot.jpg`)).status, 200);
    assert.equal((await postern.ask('/api/users', { token: weak['token'] ?? '' })).status, 403);
    assert.equal((await postern.ask('/api/users', { token: vera })).status, 403);
    const asked = `?after=${at - 1}&kind=change,link,refusal,login`;
    const told = async () =>
      (await list('admin', asked)).map(({ kind, user, credential, detail }) =>
        [kind, user, credential, detail?.['role'] ?? detail?.['what']].join(' '),
      );
    const sessionOf = (token: string): string => `session:${sessionIdOf(token)}`;
    const expected = [
      `login admin ${sessionOf(admin)} login`,
      `change admin ${sessionOf(admin)} token-created`,
      `change admin ${sessionOf(admin)} token-created`,
      `change admin token:${whole['id']} by_token`,
      `change admin ${sessionOf(admin)} by_person`,
      `link admin token:${weak['id']} link-created`,
      `link  link:${link['id']} link-opened`,
      `refusal admin token:${weak['id']} access`,
      `refusal vera ${sessionOf(vera)} access`,
    ].sort();
    await until('they are there', async () => (await told()).length >= expected.length);
    assert.deepEqual((await told()).sort(), expected);
    const audited = postern.log.filter(
      ({ logger, what }) => logger === 'service.audit' && what === 'custom-role-changed',
    );
    assert.deepEqual(
      audited.slice(-2).map(({ role, credential }) => [role, credential]),
      [
        ['by_token', `token:${whole['id']}`],
        ['by_person', sessionOf(admin)],
      ],
    );
  });

  it('is a question only, where a proxy in front asked for it', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const headers = { 'x-original-url': '/api/cam1/latest.jpg', 'x-original-method': 'GET' };
    assert.equal((await get('/auth', 'vera', headers)).status, 202);
    await until('it is there', async () => (await list('admin', `?after=${at - 1}&kind=live`)).length > 0);
    const [record] = await list('admin', `?after=${at - 1}&kind=live`);
    assert.deepEqual([record?.user, record?.camera, record?.detail], ['vera', 'cam1', { seen: 'question' }]);
  });

  it('is one record of an address for names that no account has, one for each account, and none of a name for a 429', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const wrong = async (user: string, from: string): Promise<number> => {
      const body = JSON.stringify({ user, password: 'wrong wrong wrong' });
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': from };
      return (await postern.ask('/api/login', { method: 'POST', body, headers })).status;
    };
    const [first, second] = ['192.0.2.71', '198.51.100.72'];
    for (const name of ['nobody1', 'nobody2', 'vera', 'nobody3']) assert.equal(await wrong(name, first), 401);
    assert.equal(await wrong('nobody1', second), 401);
    let refused = 0;
    for (let tries = 0; tries < 20; tries += 1) if ((await wrong('carl', second)) === 429) refused += 1;
    assert.ok(refused > 0);
    postern.clock.advance(100); // all of them end
    const told = async () =>
      (await list('admin', `?after=${at - 1}&kind=login-failed`)).map(({ user, address, detail }) =>
        [user, address, detail?.['reason'], detail?.['names'], detail?.['times']].join(' | '),
      );
    const all = 4 + 1 + 20;
    const count = async () => (await told()).reduce((sum, line) => sum + Number(line.split(' | ').at(-1) || 1), 0);
    await until('all are counted', async () => (await count()) >= all);
    assert.deepEqual(
      (await told()).sort(),
      [
        ` | ${first} | bad-credentials | nobody1, nobody2, nobody3 | 3`,
        ` | ${second} | bad-credentials | nobody1 | `,
        ` | ${second} | rate-limited |  | ${refused}`,
        `carl | ${second} | bad-credentials |  | ${20 - refused}`,
        `vera | ${first} | bad-credentials |  | `,
      ].sort(),
    );
  });

  it('is a record of each login, failure, change and logout', async () => {
    postern.clock.advance(500);
    const at = postern.clock.now() / 1000;
    const token = await postern.logIn(VERA);
    const body = JSON.stringify({ user: 'vera', password: 'wrong wrong wrong' });
    for (let time = 0; time < 2; time += 1)
      await postern.ask('/api/login', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const role = { body: '{"cameras":["cam1"]}', headers: { 'content-type': 'application/json' } };
    await postern.ask('/api/roles/porch', { method: 'PUT', token: tokens['admin'] ?? '', ...role });
    await postern.ask('/api/logout', { method: 'POST', token });
    const asked = `?after=${at - 1}&kind=login,login-failed,logout,change`;
    await until('they are there', async () => (await list('admin', asked)).length >= 4);
    assert.deepEqual(
      (await list('admin', asked))
        .map(({ kind, user, detail }) => [kind, user, detail?.['what'], detail?.['times']])
        .sort(),
      [
        ['change', 'admin', 'custom-role-changed', undefined],
        ['login', 'vera', 'login', undefined],
        ['login-failed', 'vera', 'login', '2'],
        ['logout', 'vera', 'logout', undefined],
      ],
    );
  });
});

describe('Who reads the ledger', () => {
  before(async () => {
    postern.clock.advance(500);
    for (const [user, camera] of [
      ['admin', 'cam1'],
      ['admin', 'cam2'],
      ['vera', 'cam1'],
      ['vera', 'cam2'],
      ['carl', 'cam1'],
    ] as const)
      await get(`/api/${camera}/latest.jpg`, user);
    postern.clock.advance(100);
    await until(
      'all have ended',
      async () =>
        (await list('admin', '?kind=live&limit=1000')).every(({ hash }) => hash !== null) &&
        (await list('admin', '?kind=live&user=carl')).length > 0,
    );
  });
  const people = (all: readonly { user: string | null }[]) => [...new Set(all.map(({ user }) => user))].sort();

  it('an admin all of it; others their own alone, whatever they ask for', async () => {
    assert.deepEqual(people(await list('admin', '?kind=live')), ['admin', 'carl', 'vera']);
    for (const user of ['vera', 'carl']) {
      for (const query of ['', '?limit=1000', '?camera=cam1', '?kind=live', '?after=0'])
        assert.deepEqual(people(await list(user, query)), [user], query);
      for (const query of ['?user=admin', '?user=nobody']) assert.deepEqual(await list(user, query), []);
      assert.deepEqual(people(await days(user)), [user]);
      assert.deepEqual(await days(user, '?user=admin'), []);
    }
    assert.deepEqual(people(await days('admin')), ['admin', 'carl', 'vera']);
  });

  it('a custom role nothing of a foreign camera: 403 whether it exists or not, and none in lists and sums', async () => {
    for (const path of ['/api/ledger', '/api/ledger/days'])
      for (const camera of ['cam2', 'unknown', 'cam1,cam2'])
        assert.equal((await get(`${path}?camera=${camera}`, 'carl')).status, 403);
    for (const format of ['ndjson', 'csv']) {
      const text = await (await get(`/api/ledger?format=${format}`, 'carl')).text();
      assert.match(text, /cam1/);
      assert.doesNotMatch(text, /vera|admin/);
    }
  });

  it('no API token but one with all rights of an admin: nothing else of its owner either, on any route', async () => {
    for (const person of [ADMIN_PERSON, VERA, CARL]) tokens[person.name] = await postern.logIn(person); // a fresh proof
    const make = async (user: string, rights: object): Promise<string> => {
      const body = JSON.stringify({ name: 'program', ...rights });
      const sent = { ...JSON_BODY, body, method: 'POST', token: tokens[user] ?? '' };
      return ((await (await postern.ask('/api/tokens', sent)).json()) as { token: string }).token;
    };
    const whole = await make('admin', { role: 'admin' });
    const narrowed = [
      await make('admin', { role: 'admin', cameras: ['cam1'] }),
      await make('admin', { role: 'viewer' }),
      await make('vera', { cameras: ['cam1'] }),
      await make('vera', {}),
      await make('carl', {}),
    ];
    const status = async (path: string, token: string, headers = {}) =>
      (await postern.ask(path, { token, headers })).status;
    const paths = ['/api/ledger', '/api/ledger?camera=cam1', '/api/ledger/days', '/api/ledger?format=csv'];
    const config = { nvr: { url: nvr.url }, auth: AUTH };
    for (const visible of [false, true]) {
      await postern.reload({ ...config, ledger: { visible_to_viewers: visible } });
      for (const path of paths) {
        assert.equal(await status(path, whole), 200);
        for (const token of narrowed) assert.equal(await status(path, token), 403, path);
      }
    }
    await postern.reload(config);
    for (const token of narrowed) {
      assert.equal(await status('/api/account/events', token), 403);
      assert.equal(await status('/api/second-factor', token), 403);
      for (const path of ['/api/status', '/api/users', '/api/roles', '/api/invitations', '/api/explain?user=vera'])
        assert.equal(await status(path, token), 403, path);
      const list = async (path: string) => (await (await postern.ask(path, { token })).json()) as { id: string }[];
      assert.deepEqual(await list('/api/sessions'), []);
      assert.deepEqual(await list('/api/links'), []);
      assert.deepEqual(
        (await list('/api/tokens')).map(({ id }) => token.startsWith(`pst_${id}_`)),
        [true],
      );
    }
  });

  it("the viewings of others on one's own cameras, where ledger.visible_to_viewers is set", async () => {
    const config = { nvr: { url: nvr.url }, auth: AUTH };
    await postern.reload({ ...config, ledger: { visible_to_viewers: true } });
    const carls = await list('carl', '?limit=1000');
    assert.deepEqual(people(carls.filter(({ kind }) => kind === 'live')), ['admin', 'carl', 'vera']);
    const of = (one: Shown) => one.camera;
    assert.deepEqual([...new Set(carls.filter(({ kind }) => ['live', 'history'].includes(kind)).map(of))], ['cam1']);
    assert.deepEqual(people(carls.filter(({ kind }) => !['live', 'history', 'export'].includes(kind))), ['carl']);
    assert.deepEqual(people(await days('carl')), ['admin', 'carl', 'vera']);
    const sum = (await days('carl', '?user=vera')) as unknown as { viewings: number }[];
    const all = (await days('admin', '?user=vera')) as unknown as { viewings: number }[];
    assert.ok((sum[0]?.viewings ?? 0) < (all[0]?.viewings ?? 0), 'sums are without foreign cameras');
    await postern.reload(config);
  });

  it('nothing that a person of the same name did before the account was made', async () => {
    const admin = { token: tokens['admin'] ?? '', headers: { 'content-type': 'application/json' } };
    assert.ok((await list('carl')).length > 0 && (await days('carl')).length > 0);
    assert.equal((await postern.ask('/api/users/carl', { ...admin, method: 'DELETE' })).status, 200);
    postern.clock.advance(2 * 86_400);
    const at = postern.clock.now() / 1000;
    const again = JSON.stringify({ username: CARL.name, password: CARL.password, role: CARL.role });
    tokens['admin'] = await postern.logIn(ADMIN_PERSON);
    const made = await postern.ask('/api/users', { ...admin, token: tokens['admin'], method: 'POST', body: again });
    assert.ok([200, 201].includes(made.status));
    tokens['carl'] = await postern.logIn(CARL);
    tokens['vera'] = await postern.logIn(VERA);
    assert.deepEqual(
      (await list('carl')).filter(({ from }) => from < at - 1),
      [],
    );
    assert.deepEqual(await days('carl'), []);
    assert.ok((await list('admin', '?user=carl&kind=live')).length > 0);
  });

  it('page by page, as NDJSON and as CSV, each record once', async () => {
    const found: string[] = [];
    postern.clock.advance(100);
    const lately = postern.clock.now() / 1000 - 200;
    await until('the last login is there, and nothing goes on, which would get another id when it ends', async () => {
      const all = await list('admin', '?limit=1000');
      const isThere = all.some(({ kind, user, from }) => kind === 'login' && user === 'vera' && from > lately);
      return isThere && all.every(({ hash }) => hash !== null);
    });
    for (let path: string | undefined = '/api/ledger?limit=3'; path !== undefined; ) {
      const response: Response = await get(path, 'admin');
      found.push(...((await response.json()) as Shown[]).map(({ id }) => id));
      path = /<(?<next>[^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.groups?.['next'];
    }
    const lines = async (query: string, headers = {}) =>
      (await (await get(`/api/ledger${query}`, 'admin', headers)).text()).trim().split(/\r?\n/);
    const ndjson = (await lines('', { accept: 'application/x-ndjson' })).map((line) => (JSON.parse(line) as Shown).id);
    const csv = (await lines('?format=csv')).slice(1).map((line) => line.split(',', 1)[0]);
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual([ndjson, csv], [found, found]);
  });

  it('is told what is wrong with a question', async () => {
    const rows = [
      '?limit=0',
      '?limit=1001',
      '?kind=watching',
      '?after=soon',
      '?cursor=x',
      '?format=xml',
      '?page=2',
      '?user=',
      '?user=a&user=b',
      '?user=a%00',
    ];
    for (const query of rows) {
      const response = await get(`/api/ledger${query}`, 'admin');
      assert.equal(response.status, 422, query);
      const { message } = (await response.json()) as { message: string };
      assert.ok(message.startsWith(query.slice(1).split('=', 1)[0] ?? ''), message);
    }
  });
});

describe('A ledger that is off', () => {
  it('asks the NVR for nothing', async () => {
    const off = await startInstance({
      config: { nvr: { url: nvr.url }, auth: AUTH, ledger: { retention: 0 } },
    });
    try {
      const token = await off.logIn(ADMIN_PERSON);
      nvr.received.splice(0);
      for (const path of [`/api/events/${EVENT}/snapshot.jpg`, '/api/version'])
        assert.equal((await off.ask(path, { token })).status, 200, path);
      const asked = nvr.received.map(({ target }) => target).filter((target) => target.startsWith('/api/events/'));
      assert.deepEqual(asked, [`/api/events/${EVENT}/snapshot.jpg`]);
    } finally {
      await off.close();
    }
  });
});
