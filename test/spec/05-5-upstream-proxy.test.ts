/** Interface 5.5: an authentication proxy in front, its sentences as they stand, proved by what the NVR was told. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask } from '../sso/support/ask.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

type Line = readonly [name: string, value: string];
/** `user as role` that the NVR is told, or the status of the refusal. */
type Told = string | number;

const SECRET = 'correct-horse-battery';
const SHOWN: Line = ['X-Proxy-Secret', SECRET];
const user = (name: string): Line => ['Remote-User', name];
const groups = (value: string): Line => ['Remote-Groups', value];

const HEADERS = { header_map: { user: 'Remote-User', role: 'Remote-Groups' } };
const MAP = { role_map: { admin: ['nvr-admins'], viewer: ['staff'], gardener: ['garden-crew'] } };

// biome-ignore format: a table
const PROXIES = {
  'mapped, else denied':   { ...HEADERS, ...MAP, default_role: 'none' },
  'mapped, else gardener': { ...HEADERS, ...MAP, default_role: 'gardener' },
  'direct, else denied':   { ...HEADERS, default_role: 'none' },
  'direct, else admin':    { ...HEADERS, default_role: 'admin' },
  'split at |':            { ...HEADERS, ...MAP, default_role: 'none', separator: '|' },
  'with a secret':         { ...HEADERS, default_role: 'none', auth_secret: SECRET },
} as const satisfies Record<string, ConfigTree>;
type Proxy = keyof typeof PROXIES;

// biome-ignore format: a table
const ROWS: readonly [sentence: string, ...cases: [proxy: Proxy, headers: Line[], told: Told][]][] = [
  ['5.5.2 If the network between proxy and service is untrusted, set proxy.auth_secret. The proxy must send it in header X-Proxy-Secret',
    ['with a secret',         [SHOWN, user('vera'), groups('viewer')],                            'vera as viewer'],
    ['with a secret',         [user('vera'), groups('viewer')],                                   401],
    ['with a secret',         [['X-Proxy-Secret', 'another'], user('vera'), groups('viewer')],    401]],
  ['5.5.3 Header names are case-insensitive',
    ['direct, else denied',   [['REMOTE-user', 'vera'], ['rEMOTE-gROUPS', 'viewer']],              'vera as viewer']],
  ['5.5.3 The role header may hold several roles, split on proxy.separator (default comma)',
    ['mapped, else denied',   [user('vera'), groups('others, staff')],                            'vera as viewer'],
    ['split at |',            [user('vera'), groups('others|staff')],                             'vera as viewer'],
    ['split at |',            [user('vera'), groups('others,staff')],                             403]],
  ['5.5.4 later requests use the headers remote-user and remote-role for authorization',
    ['direct, else denied',   [user('vera'), groups('viewer'), ['Remote-Role', 'admin']],         'vera as viewer']],
  ['5.5.5 Roles supported through the proxy: admin, viewer, custom roles',
    ['mapped, else denied',   [user('vera'), groups('nvr-admins')],                               'vera as admin'],
    ['mapped, else denied',   [user('vera'), groups('staff')],                                    'vera as viewer'],
    ['mapped, else denied',   [user('vera'), groups('garden-crew')],                              'vera as gardener']],
  ['5.5.6 With proxy.role_map: a header value matching a listed group gives the mapped role',
    ['mapped, else denied',   [user('vera'), groups('garden-crew')],                              'vera as gardener']],
  ['5.5.6 If the admin mapping matches, the session resolves to admin even when other groups also match',
    ['mapped, else denied',   [user('vera'), groups('staff,garden-crew,nvr-admins')],             'vera as admin'],
    ['mapped, else denied',   [user('vera'), groups('nvr-admins,staff')],                         'vera as admin']],
  ['5.5.6 If no mapping matches, proxy.default_role is used; if it is none, access is denied',
    ['mapped, else gardener', [user('vera'), groups('strangers')],                                'vera as gardener'],
    ['mapped, else denied',   [user('vera'), groups('strangers')],                                403]],
  ['5.5.6 Without role_map, the role header is taken to contain admin, viewer or a custom role name directly',
    ['direct, else denied',   [user('vera'), groups('admin')],                                    'vera as admin'],
    ['direct, else denied',   [user('vera'), groups('viewer')],                                   'vera as viewer'],
    ['direct, else denied',   [user('vera'), groups('gardener')],                                 'vera as gardener']],
  ['5.5.6 A value in the mapped role header overrides default_role',
    ['direct, else admin',    [user('vera'), groups('viewer')],                                   'vera as viewer'],
    ['mapped, else gardener', [user('vera'), groups('staff')],                                    'vera as viewer'],
    ['direct, else admin',    [user('vera')],                                                     'vera as admin']],
];

describe('Interface 5.5', () => {
  let nvr: FakeNvr;
  const instances = new Map<Proxy, Runtime>();
  before(async () => {
    nvr = await startFakeNvr();
    for (const [name, proxy] of Object.entries(PROXIES)) {
      const auth = { enabled: false, trusted_proxies: ['127.0.0.1'], roles: { gardener: ['cam1'] } };
      instances.set(name as Proxy, await startInstance({ config: { nvr: { url: nvr.url }, auth, proxy } }));
    }
  });
  after(async () => {
    for (const instance of instances.values()) await instance.close();
    await nvr.close();
  });
  const told = async (proxy: Proxy, headers: readonly Line[]): Promise<Told> => {
    nvr.received.length = 0;
    const path = '/api/version';
    const { status } = await ask(instances.get(proxy)?.port ?? 0, { path, headers });
    // An instance asks the NVR for its cameras by itself, at any time.
    const arrived = nvr.received.findLast(({ target }) => target === path);
    const header = (name: string) => arrived?.headers.filter(([sent]) => sent === name).map(([, value]) => value);
    return arrived ? `${header('remote-user')} as ${header('remote-role')}` : status;
  };

  for (const [sentence, ...cases] of ROWS) {
    it(sentence, async () => {
      for (const [proxy, headers, expected] of cases)
        assert.equal(await told(proxy, headers), expected, `${proxy}: ${headers.join(' ')}`);
    });
  }

  it('5.5.1 To rely on a proxy, set auth.enabled to false. There is no correspondence between database users and proxy users', async () => {
    const stored = VERA.name; // a viewer in the store of this very instance
    assert.equal(await told('direct, else denied', [user(stored), groups('admin')]), `${stored} as admin`);
    const body = JSON.stringify({ user: VERA.name, password: VERA.password });
    const headers: Line[] = [['Content-Type', 'application/json']];
    const { port = 0 } = instances.get('direct, else denied') ?? {};
    assert.equal((await ask(port, { method: 'POST', path: '/api/login', headers, body })).status, 404);
  });

  it('5.5.7 Only the following headers are permitted by default', async (t) => {
    // biome-ignore format: a table
    const PERMITTED = [
      'Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name',
      'X-Forwarded-User', 'X-Forwarded-Groups', 'X-Forwarded-Email', 'X-Forwarded-Preferred-Username',
      'X-proxyvendor-username', 'X-proxyvendor-groups', 'X-proxyvendor-email', 'X-proxyvendor-name', 'X-proxyvendor-uid',
    ];
    const started = (user: string) => {
      const proxy = { header_map: { user }, trusted_peers: ['127.0.0.1'] };
      return startInstance({ config: { nvr: { url: nvr.url }, auth: { enabled: false }, proxy } });
    };
    for (const name of PERMITTED) {
      const instance = await started(name);
      t.after(() => instance.close());
      const { status } = await ask(instance.port, { path: '/api/version', headers: [[name, 'vera']] });
      assert.equal(status, 200, name);
    }
    // With another every request would be 401: that is said at the start (SPEC 3).
    await assert.rejects(started('X-Elsewhere-User'), /"x-elsewhere-user" is not on the allowlist/);
  });

  it('5.5.8 If the proxy returns a Location header on a 401, 302 or 307 response, the frontend follows it: it arrives untouched', async () => {
    const { port = 0 } = instances.get('direct, else denied') ?? {};
    const location = 'https://sso.example.com/start?rd=%2F&x=a b';
    for (const status of [401, 302, 307]) {
      nvr.answer = (_request, response) => void response.writeHead(status, { location }).end();
      const answer = await ask(port, { path: '/api/version', headers: [user('vera'), groups('viewer')] });
      assert.deepEqual([answer.status, answer.headers.location], [status, location]);
    }
  });

  it('7 A proxy-authenticated user whose headers match no role_map entry while proxy.default_role is none: 403', async () => {
    assert.equal(await told('mapped, else denied', [user('vera'), groups('strangers')]), 403);
    assert.equal(await told('mapped, else denied', [user('vera')]), 403);
  });
});
