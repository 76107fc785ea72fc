/** `/auth` as forward-auth: the described request is judged as if it had come itself, and only a trusted proxy may describe one (SPEC 4.2). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { ask } from './support/ask.ts';

type Line = readonly [name: string, value: string];
type Who = 'admin' | 'vera' | 'carl' | 'nobody';

const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.9';
const nginx = (method: string, url: string): Line[] => [
  ['X-Original-Method', method],
  ['X-Original-URL', url],
];
const uri = (method: string, target: string): Line[] => [
  ['X-Original-Method', method],
  ['X-Original-URI', target],
];
const traefik = (method: string, uri: string): Line[] => [
  ['X-Forwarded-Method', method],
  ['X-Forwarded-Uri', uri],
  ['X-Forwarded-Host', 'nvr.test'],
  ['X-Forwarded-Proto', 'https'],
];
const WEBSOCKET: Line[] = [
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
];

describe('Forward-auth', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const tokens = new Map<Who, string>();
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url },
        auth: { trusted_proxies: [PROXY], hash_iterations: 1000, roles: { front_only: ['cam1'] } },
      },
    });
    for (const [who, person] of [
      ['admin', ADMIN_PERSON],
      ['vera', VERA],
      ['carl', CARL],
    ] as const)
      tokens.set(who, await instance.logIn(person));
    nvr.received.length = 0;
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const asked = async (who: Who, headers: readonly Line[], { from = PROXY, path = '/auth', method = 'GET' } = {}) => {
    const token = tokens.get(who);
    const bearer: Line[] = token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
    const answer = await ask(instance.port, { from, path, method, headers: [...bearer, ...headers] });
    const name = answer.headers['remote-user'];
    return `${answer.status}${!name ? '' : ` ${name} ${answer.headers['remote-role']}`}`;
  };

  // biome-ignore format: a table
  const judged: [sentence: string, who: Who, headers: Line[], expected: string][] = [
    ['lets a viewer look',                                         'vera',   nginx('GET', '/api/version'),                            '202 vera viewer'],
    ['reads an absolute URL, as many recipes for nginx send it',   'vera',   nginx('GET', 'https://nvr.test/api/version?x=1'),        '202 vera viewer'],
    ['judges the method that is described, not its own',           'vera',   nginx('PUT', '/api/config/set'),                       '403'],
    ['lets an admin change the configuration',                     'admin',  nginx('PUT', '/api/config/set'),                       '202 admin admin'],
    ['lets a custom role see its camera',                          'carl',   nginx('GET', '/api/cam1/latest.jpg'),                  '202 carl front_only'],
    ['and no other camera',                                        'carl',   nginx('GET', '/api/cam2/latest.jpg'),                  '403'],
    ['and no list that the gate would have narrowed',              'carl',   nginx('GET', '/api/events'),                           '403'],
    ['which a viewer needs no narrowing for',                      'vera',   nginx('GET', '/api/events?limit=5'),                   '202 vera viewer'],
    ['but not what the gate would cut secrets out of, the config', 'vera',   nginx('GET', '/api/config'),                           '403'],
    ['nor the statistics',                                         'vera',   nginx('GET', '/api/stats'),                            '403'],
    ['nor the metrics',                                            'vera',   nginx('GET', '/api/metrics'),                          '403'],
    ['which an admin may have',                                    'admin',  nginx('GET', '/api/config'),                           '202 admin admin'],
    ['lets a custom role have a list of its own cameras',          'carl',   nginx('GET', '/api/events?cameras=cam1&limit=5'),      '202 carl front_only'],
    ['in any order of parameters, percent-encoded or not',         'carl',   nginx('GET', '/api/events?limit=5&c%61meras=c%61m1'),  '202 carl front_only'],
    ['of one camera, where a list is asked for by one',            'carl',   nginx('GET', '/api/labels?camera=cam1'),               '202 carl front_only'],
    ['of the previews of its camera',                              'carl',   nginx('GET', '/api/preview/cam1/start/1/end/2'),       '202 carl front_only'],
    ['but none that names another one too',                        'carl',   nginx('GET', '/api/events?cameras=cam1,cam2'),         '403'],
    ['nor all of them',                                            'carl',   nginx('GET', '/api/events?cameras=all'),               '403'],
    ['nor by the parameter that the NVR reads second',             'carl',   nginx('GET', '/api/events?camera=cam1'),               '403'],
    ['nor what only an answer can be narrowed of',                 'carl',   nginx('GET', '/api/events/summary?cameras=cam1'),      '403'],
    ['nor the list of the streams',                                'carl',   nginx('GET', '/api/go2rtc/streams'),                   '403'],
    ['asks an unknown caller to log in',                           'nobody', nginx('GET', '/api/version'),                            '401'],
    ['lets an unknown caller have public pages, and names no user', 'nobody', nginx('GET', '/review'),                               '202'],
    ['refuses Postern\'s own paths: the NVR would serve its own',  'admin',  nginx('POST', '/api/login'),                           '403'],
    ['refuses them to unknown callers too',                        'nobody', nginx('GET', '/login'),                                '403'],
    ['refuses them with an encoded letter',                        'admin',  nginx('POST', '/api/log%69n'),                         '403'],
    ['refuses them in other letter case, with a slash at the end', 'admin',  nginx('POST', '/api/LOGIN/'),                          '403'],
    ['refuses them by every method',                               'admin',  nginx('DELETE', '/api/profile'),                       '403'],
    ['leaves the NVR its own page of settings',                    'admin',  nginx('PUT', '/api/config/set'),                       '202 admin admin'],
    ['refuses every caller a path that is never forwarded',        'admin',  nginx('GET', '/cache/x'),                              '403'],
    ['knows a path that no row names for an admin\'s alone',       'vera',   nginx('GET', '/api/nowhere/at/all'),                   '403'],
    ['reads what Traefik and Caddy send',                          'vera',   traefik('GET', '/api/version'),                          '202 vera viewer'],
    ['and judges its method',                                      'vera',   traefik('DELETE', '/api/events/x'),                    '403'],
    ['refuses a target with dot segments',                         'admin',  nginx('GET', '/api/../api/version'),                     '403'],
    ['refuses an encoded slash',                                   'admin',  nginx('GET', '/api%2fversion'),                          '403'],
    ['refuses a target without a slash',                           'admin',  nginx('GET', 'api/version'),                             '403'],
    ['refuses an empty target',                                    'admin',  nginx('GET', ''),                                      '403'],
    ['refuses an unknown method',                                  'admin',  nginx('TRACE', '/api/version'),                          '403'],
    ['refuses an empty method',                                    'admin',  nginx('', '/api/version'),                               '403'],
    ['refuses a target without a method, for it may be a DELETE',  'admin',  [['X-Original-URL', '/api/version']],                    '403'],
    ['reads X-Original-URI, the name in nginx\'s own manual',      'vera',   uri('GET', '/api/version?x=1'),                        '202 vera viewer'],
    ['and judges it, and its method',                              'vera',   uri('PUT', '/api/config/set'),                         '403'],
    ['refuses it without a method',                                'admin',  [['X-Original-URI', '/api/version']],                  '403'],
    ['refuses both names: one of them may be the client\'s',       'admin',  [...nginx('GET', '/api/version'), ['X-Original-URI', '/api/version']], '403'],
    ['refuses it beside the other family',                         'admin',  [...traefik('GET', '/api/version'), ['X-Original-URI', '/api/version']], '403'],
    ['refuses a method without a target',                          'admin',  [['X-Original-Method', 'GET']],                        '403'],
    ['refuses two targets',                                        'admin',  [...nginx('GET', '/api/version'), ['X-Original-URL', '/login']],        '403'],
    ['refuses two methods',                                        'admin',  [...nginx('GET', '/api/version'), ['X-Original-Method', 'PUT']],        '403'],
    ['refuses both families: one of them may be the client\'s',    'vera',   [...traefik('PUT', '/api/config/set'), ...nginx('GET', '/api/version')], '403'],
    ['takes both families that say the same for one description',  'vera',   [...traefik('GET', '/api/version?x=1'), ...nginx('GET', 'https://nvr.test/api/version?x=1')], '202 vera viewer'],
    ['and judges it',                                              'vera',   [...traefik('PUT', '/api/config/set'), ...nginx('PUT', '/api/config/set')], '403'],
    ['refuses both families with two methods',                     'admin',  [...traefik('GET', '/api/version'), ...nginx('PUT', '/api/version')],       '403'],
    ['refuses both families with two queries',                     'admin',  [...traefik('GET', '/api/version?a=1'), ...nginx('GET', '/api/version')],   '403'],
    ['refuses a family beside a method alone: it may be the client\'s', 'admin', [...traefik('GET', '/api/version'), ['X-Original-Method', 'GET']],   '403'],
    ['answers about itself where it is what is described',         'vera',   nginx('GET', 'https://nvr.test/auth'),                 '202 vera viewer'],
    ['and asks an unknown caller to log in there',                 'nobody', nginx('GET', '/api/auth'),                             '401'],
    ['also by both families',                                      'vera',   [...traefik('GET', '/auth'), ...nginx('GET', '/auth')], '202 vera viewer'],
    ['but refuses another method there',                           'vera',   nginx('PUT', '/auth'),                                 '403'],
    ['refuses half of the other family too',                       'vera',   [...traefik('GET', '/api/version'), ['X-Original-URL', '/login']],      '403'],
    ['is not led by an ingress path, which the client may have sent, to a public page', 'nobody', [['X-Ingress-Path', '/api'], ...nginx('GET', '/api/config')], '401'],
    ['nor to the start page',                                      'nobody', [['X-Ingress-Path', '/api/config/raw'], ...traefik('GET', '/api/config/raw')], '401'],
    ['nor to another answer than about the request',               'nobody', [['X-Ingress-Path', '/auth'], ...nginx('GET', '/api/version')], '401'],
    ['nor at the other name',                                      'nobody', [['X-Ingress-Path', '/api'], ...nginx('GET', '/api/version')], '401'],
    ['nor there to a page',                                        'nobody', [['X-Ingress-Path', '/api/auth'], ...nginx('GET', '/api/version')], '401'],
    ['refuses a bad token though the target is for all known callers', 'nobody', [['Authorization', 'Bearer junk'], ...nginx('GET', '/api/version')], '401'],
  ];
  for (const [sentence, who, headers, expected] of judged) {
    it(sentence, async () => assert.equal(await asked(who, headers), expected));
    it(`${sentence} (asked at /api/auth)`, async () =>
      assert.equal(await asked(who, headers, { path: '/api/auth' }), expected));
  }

  // biome-ignore format: a table
  const ignored: [sentence: string, headers: Line[]][] = [
    ['X-Original-URL', nginx('PUT', '/api/config/set')],
    ['X-Forwarded-Uri', traefik('PUT', '/api/config/set')],
    ['a malformed target', nginx('GET', '/../')],
  ];
  for (const [sentence, headers] of ignored) {
    it(`ignores ${sentence} of an untrusted peer, and answers for /auth itself`, async () => {
      assert.equal(await asked('vera', headers, { from: STRANGER }), '202 vera viewer');
      assert.equal(await asked('nobody', headers, { from: STRANGER }), '401');
    });
  }

  // biome-ignore format: a table
  const addressed: [sentence: string, who: Who, headers: Line[], query: string, from: string, expected: string][] = [
    ['is judged like any other of a trusted proxy',                  'vera',   nginx('GET', '/api/version'),           'upgrade=no',        PROXY,    '202 vera viewer'],
    ['and its method too',                                           'vera',   nginx('PUT', '/api/config/set'),      'upgrade=no',        PROXY,    '403'],
    ['and asks an unknown caller to log in',                         'nobody', nginx('GET', '/api/version'),           'upgrade=no',        PROXY,    '401'],
    ['is refused from a proxy that was not listed, for an admin too', 'admin', nginx('GET', '/api/version'),           'upgrade=no',        STRANGER, '403'],
    ['is refused from it for an upgrade',                            'admin',  [...WEBSOCKET, ...nginx('GET', '/ws')], 'upgrade=websocket', STRANGER, '403'],
    ['is refused when nothing is described',                         'admin',  [],                                   'upgrade=no',        PROXY,    '403'],
    ['is refused when nothing is described, from anybody',           'admin',  [],                                   'upgrade=no',        STRANGER, '403'],
    ['in other words says nothing',                                  'vera',   [],                                   'upgrade=yes',       PROXY,    '202 vera viewer'],
  ];
  for (const [sentence, who, headers, query, from, expected] of addressed) {
    it(`An address that speaks of another request ${sentence}`, async () => {
      for (const path of ['/auth', '/api/auth'])
        assert.equal(await asked(who, headers, { from, path: `${path}?${query}` }), expected);
    });
  }

  it('warns once of an ignored description: if the peer is a proxy, it allows every user everything', async () => {
    for (const target of ['/api/version', '/login']) await asked('vera', nginx('PUT', target), { from: STRANGER });
    const warnings = instance.log.filter(({ msg }) => String(msg).includes('add its address to auth.trusted_proxies'));
    assert.deepEqual(
      warnings.map(({ level, peer }) => [level, peer]),
      [['warn', STRANGER]],
    );
  });

  it('says once which header is missing in a description', async () => {
    for (const path of ['/api/version', '/api/events']) await asked('vera', [['X-Original-URI', path]]);
    await asked('vera', [['X-Forwarded-Method', 'GET']]);
    const missing = instance.log.filter((line) => 'missing' in line).map((line) => [line['level'], line['missing']]);
    const told = (name: string): number => missing.filter(([, header]) => header === name).length;
    assert.deepEqual([told('x-original-method'), told('x-forwarded-uri')], [1, 1]);
    assert.ok(missing.every(([level]) => level === 'warn'));
  });

  it('compares Origin with the host that was described, and not with that of the service', async () => {
    const cookie: Line = ['Cookie', `frigate_token=${tokens.get('admin')}`];
    const restart = (...headers: Line[]) =>
      asked('nobody', [
        cookie,
        ['Host', 'postern.auth.svc'],
        ...headers,
        ...nginx('POST', 'https://nvr.test/api/restart'),
      ]);
    assert.equal(await restart(['Origin', 'https://nvr.test']), '202 admin admin');
    assert.equal(
      await restart(['Origin', 'https://nvr.test'], ['X-Forwarded-Host', 'postern.auth.svc']),
      '202 admin admin',
    );
    assert.equal(await restart(['Origin', 'https://evil.test']), '403');
    assert.equal(await restart(['Origin', 'http://postern.auth.svc']), '403');
    assert.equal(await restart(['Origin', 'http://nvr.test']), '403');
  });

  it('says which two descriptions differ, and no secret of them', async () => {
    const secret = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq';
    const fresh = await startInstance({
      people: [],
      config: { nvr: { url: nvr.url }, auth: { trusted_proxies: [PROXY] } },
    });
    const callback = '/api/login/oidc/home/callback';
    const headers = new Headers([
      ...traefik('GET', `/s/${secret}/clip.mp4`),
      ...nginx('PUT', `https://nvr.test${callback}?code=a-code`),
    ] as [string, string][]);
    assert.equal((await fresh.ask('/auth', { headers })).status, 403);
    const told = fresh.log.filter((line) => 'other' in line).map(({ level, one, other }) => [level, one, other]);
    await fresh.close();
    assert.deepEqual(told, [
      [
        'warn',
        `x-original-url: https://nvr.test${callback}?…, x-original-method: PUT`,
        'x-forwarded-uri: /s/…/clip.mp4, x-forwarded-method: GET',
      ],
    ]);
  });

  it('ignores the description anywhere but at /auth', async () => {
    assert.equal(await asked('vera', nginx('GET', '/login'), { path: '/api/config/raw' }), '403');
    assert.equal(await asked('vera', nginx('GET', '/login'), { path: '/api/auth/' }), '404');
  });

  it('does not take the description for an excuse to answer another method at /auth', async () => {
    assert.equal(await asked('vera', nginx('GET', '/api/version'), { method: 'PUT' }), '404');
  });

  it('knows an upgrade by the address that the proxy asks, and by nothing that a client can send', async () => {
    const live = [...WEBSOCKET, ...nginx('GET', '/live/jsmpeg/cam1')];
    assert.equal(await asked('carl', live, { path: '/auth?upgrade=websocket' }), '202 carl front_only');
    assert.equal(
      await asked('carl', [...WEBSOCKET, ...nginx('GET', '/live/jsmpeg/cam2')], { path: '/auth?upgrade=websocket' }),
      '403',
    );
    assert.equal(await asked('carl', live), '403');
    assert.equal(await asked('carl', nginx('GET', '/live/jsmpeg/cam1'), { path: '/auth?upgrade=websocket' }), '403');
  });

  // biome-ignore format: a table
  const sockets: readonly (readonly [who: Who, path: string, expected: string])[] = [
    ['vera',  '/live/jsmpeg/cam1',            '202 vera viewer'],
    ['vera',  '/ws',                          '403'],
    ['vera',  '/live/webrtc/api/ws?src=cam1', '403'],
    ['vera',  '/live/mse/api/ws?src=cam1',    '403'],
    ['admin', '/ws',                          '202 admin admin'],
    ['admin', '/live/webrtc/api/ws?src=cam1', '202 admin admin'],
  ];
  for (const [who, path, expected] of sockets) {
    it(`answers ${expected} for the WebSocket ${path} of ${who}: messages can be judged on the way only`, async () => {
      const headers = [...WEBSOCKET, ...nginx('GET', path)];
      assert.equal(await asked(who, headers, { path: '/auth?upgrade=websocket' }), expected);
    });
  }

  it('refuses a change that a page of another site had made with the cookie', async () => {
    const cookie: Line = ['Cookie', `frigate_token=${tokens.get('admin')}`];
    const change = [cookie, ...traefik('PUT', '/api/config/set')];
    assert.equal(await asked('nobody', [...change, ['Origin', 'https://nvr.test']]), '202 admin admin');
    assert.equal(await asked('nobody', [...change, ['Origin', 'https://evil.test']]), '403');
  });

  it('says why in words, and where to log in, and never by a redirect', async () => {
    const headers = [...nginx('GET', '/review/list'), ['Accept', 'text/html'], ['Sec-Fetch-Mode', 'navigate']] as const;
    const { status, headers: answered, text } = await ask(instance.port, { path: '/auth', headers });
    assert.deepEqual(
      [status, answered.location, JSON.parse(text)],
      [401, '/login', { success: false, message: 'Authentication required', reason: 'no-credentials' }],
    );
  });

  it('renews a session that is near its end, as every request does', async () => {
    const cookie: Line = ['Cookie', `frigate_token=${await instance.logIn(VERA)}`];
    const renewed = async () =>
      (await ask(instance.port, { path: '/auth', headers: [cookie, ...nginx('GET', '/api/version')] })).headers[
        'set-cookie'
      ];
    assert.equal(await renewed(), undefined);
    instance.clock.advance(86_400 - 600);
    assert.match((await renewed())?.[0] ?? '', /^frigate_token=ey/);
  });

  it('asks no other server: the recorder behind the gate has received nothing', () => {
    assert.deepEqual(
      nvr.received.filter(({ target }) => target !== '/api/config'),
      [],
    );
  });
});

describe('Forward-auth with a proxy secret', () => {
  let instance: Runtime;
  before(async () => {
    instance = await startInstance({
      people: [],
      config: {
        auth: { enabled: false, trusted_proxies: [PROXY], roles: { front_only: ['cam1'] } },
        proxy: { auth_secret: 'correct-horse-battery', header_map: { user: 'Remote-User', role: 'Remote-Groups' } },
      },
    });
  });
  after(() => instance.close());

  const SECRET: Line = ['X-Proxy-Secret', 'correct-horse-battery'];
  const USER: Line = ['Remote-User', 'jörg'];
  // biome-ignore format: a table
  const rows: [sentence: string, headers: Line[], status: number, user?: string][] = [
    ['lets the user of the proxy pass, whose name is percent-encoded', [SECRET, USER, ...nginx('GET', '/api/version')],                       202, 'j%C3%B6rg'],
    ['asks for the secret',                                            [USER, ...nginx('GET', '/api/version')],                               401],
    ['asks for it even when the described route is public',            [USER, ...nginx('GET', '/login')],                                   401],
    ['asks for the right one',                                         [['X-Proxy-Secret', 'wrong'], USER, ...nginx('GET', '/login')],      401],
    ['takes it once',                                                  [SECRET, SECRET, USER, ...nginx('GET', '/login')],                   403],
    ['asks for a user',                                                [SECRET, ...nginx('GET', '/api/version')],                             401],
  ];
  for (const [sentence, headers, status, user] of rows) {
    it(sentence, async () => {
      const answer = await ask(instance.port, {
        path: '/auth',
        headers: headers.map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
      });
      assert.deepEqual(
        [answer.status, answer.headers['remote-user'], answer.headers['location']],
        [status, user, undefined],
      );
    });
  }
});
