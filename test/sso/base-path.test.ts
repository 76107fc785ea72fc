/** Below a prefix: `server.base_path`, and Home Assistant's ingress, which says it for each request (SPEC 1, docs/sso/home-assistant.md). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { ask } from './support/ask.ts';
import { ROOT, recipe } from './support/recipe.ts';

type Line = readonly [name: string, value: string];

const SUPERVISOR = '127.0.0.1';
const STRANGER = '127.0.0.9';
const PAGE: readonly Line[] = [
  ['Accept', 'text/html'],
  ['Sec-Fetch-Mode', 'navigate'],
];

async function startedWith(
  config: ConfigTree,
  list: { trustedHeadersFile?: string } = {},
): Promise<{ nvr: FakeNvr; instance: Runtime; close: () => Promise<void> }> {
  const nvr = await startFakeNvr();
  const instance = await startInstance({ config: { ...config, nvr: { url: nvr.url } }, ...list });
  const close = async (): Promise<void> => {
    await instance.close();
    await nvr.close();
  };
  return { nvr, instance, close };
}

describe('server.base_path', () => {
  let it_: Awaited<ReturnType<typeof startedWith>>;
  let cookie: Line;
  before(async () => {
    it_ = await startedWith({
      server: { external: '127.0.0.1:0', internal: false, telemetry: false, base_path: '/nvr' },
    });
    cookie = ['Cookie', `frigate_token=${await it_.instance.logIn(VERA)}`];
  });
  after(() => it_.close());
  const seen = async (path: string, headers: readonly Line[] = [cookie]): Promise<string | number> => {
    it_.nvr.received.length = 0;
    const { status } = await ask(it_.instance.port, { path, headers });
    const arrived = it_.nvr.received.at(-1);
    return arrived ? `${arrived.target} below ${it_.nvr.lastHeader('x-ingress-path')}` : status;
  };

  // biome-ignore format: a table
  const rows: [sentence: string, path: string, expected: string | number][] = [
    ['is cut before the request is judged, and told the NVR',       '/nvr/api/version?x=/nvr/',   '/api/version?x=/nvr/ below /nvr'],
    ['may be cut by the proxy in front already',                    '/api/version',               '/api/version below /nvr'],
    ['is cut once',                                                 '/nvr/nvr/review',            403],
    ['is cut at the boundary of a segment only',                    '/nvrs/api/version',          403],
    ['alone is the start page',                                     '/nvr',                       '/ below /nvr'],
    ['with a query alone as well',                                  '/nvr?x',                     '/?x below /nvr'],
    ['hides no other path behind it',                               '/nvr/api/config/raw',        403],
    ['makes no target plain that is not',                           '/nvr/../api/version',        400],
    ['leaves no empty segment behind',                              '/nvr//api/version',          400],
    ['is found with encoded letters, which name the same path',     '/%6evr/api/version',         '/api/version below /nvr'],
  ];
  for (const [sentence, path, expected] of rows) it(sentence, async () => assert.equal(await seen(path), expected));

  it('stands before the login, and the page that was wanted', async () => {
    const { status, headers } = await ask(it_.instance.port, { path: '/nvr/api/version?x=1', headers: PAGE });
    assert.deepEqual([status, headers.location], [302, '/nvr/login?next=%2Fnvr%2Fapi%2Fversion%3Fx%3D1']);
    assert.equal((await ask(it_.instance.port, { path: '/nvr/api/version' })).headers.location, '/nvr/login');
    assert.equal((await ask(it_.instance.port, { path: '/nvr/postern' })).headers.location, '/nvr/postern/');
    assert.equal(
      (await ask(it_.instance.port, { path: '/nvr/logout', headers: [cookie] })).headers.location,
      '/nvr/login',
    );
  });

  it('stands in the path of the session cookie, at login, renewal and logout', async () => {
    const body = JSON.stringify({ user: VERA.name, password: VERA.password });
    const { headers } = await ask(it_.instance.port, {
      method: 'POST',
      path: '/nvr/api/login',
      headers: [['Content-Type', 'application/json']],
      body,
    });
    const [line = ''] = headers['set-cookie'] ?? [];
    assert.match(line, /; Path=\/nvr\/;/);
    const fresh: Line = ['Cookie', line.split(';')[0] ?? ''];
    it_.instance.clock.advance(86_400 - 600);
    const renewed = await ask(it_.instance.port, { path: '/nvr/api/version', headers: [fresh] });
    assert.match(renewed.headers['set-cookie']?.[0] ?? '', /^frigate_token=ey.*; Path=\/nvr\/;/);
    const gone = await ask(it_.instance.port, { path: '/nvr/logout', headers: [fresh] });
    assert.match(gone.headers['set-cookie']?.[0] ?? '', /^frigate_token=; .*; Path=\/nvr\/;/);
  });

  it('stands before the assets of pages', async () => {
    const { text } = await ask(it_.instance.port, { path: '/nvr/login' });
    const assets = [...text.matchAll(/(?:src|href)="([^"]*assets[^"]*)"/g)].map(([, path = '']) => path);
    assert.ok(assets.length > 0 && assets.every((path) => path.startsWith('/nvr/postern/assets/')), assets.join());
    assert.equal((await ask(it_.instance.port, { path: assets[0] ?? '' })).status, 200);
  });
});

describe('Home Assistant ingress, as docs/sso/home-assistant.md says', () => {
  let it_: Awaited<ReturnType<typeof startedWith>>;
  before(async () => {
    const { config, list = '' } = recipe('home-assistant.md');
    const auth = { ...(config['auth'] as object), trusted_proxies: [SUPERVISOR] };
    it_ = await startedWith({ ...config, auth }, { trustedHeadersFile: join(ROOT, list) });
  });
  after(() => it_.close());

  const INGRESS = '/api/hassio_ingress/Zm9v_-0';
  const asSupervisor = (user: string, path = INGRESS): readonly Line[] => [
    ['X-Remote-User-Id', '7c1f'],
    ['X-Remote-User-Name', user],
    ['X-Remote-User-Display-Name', 'Whoever'],
    ['X-Ingress-Path', path],
  ];
  const told = async (headers: readonly Line[], from = SUPERVISOR): Promise<string | number> => {
    it_.nvr.received.length = 0;
    const { status } = await ask(it_.instance.port, { path: '/api/version', headers, from });
    const claims = it_.nvr.received.at(-1)?.headers.filter(([name]) => /remote|ingress/.test(name)) ?? [];
    return it_.nvr.received.length === 0
      ? status
      : claims
          .map((claim) => claim.join('='))
          .sort()
          .join(' ');
  };

  it('knows the user of Home Assistant, and tells the NVR the prefix', async () => {
    assert.equal(await told(asSupervisor('alice')), `remote-role=admin remote-user=alice x-ingress-path=${INGRESS}`);
    assert.equal(await told(asSupervisor('bob')), `remote-role=viewer remote-user=bob x-ingress-path=${INGRESS}`);
  });

  it('trusts no other peer', async () => assert.equal(await told(asSupervisor('alice'), STRANGER), 401));

  it('puts the prefix before its own redirects and pages', async () => {
    const moved = await ask(it_.instance.port, { path: '/postern', headers: asSupervisor('alice') });
    assert.equal(moved.headers.location, `${INGRESS}/postern/`);
    const page = await ask(it_.instance.port, { path: '/postern/', headers: asSupervisor('alice') });
    assert.ok(page.text.includes(`"${INGRESS}/postern/assets/`));
    const refused = await ask(it_.instance.port, {
      path: '/api/config/raw',
      headers: [...asSupervisor('bob'), ...PAGE],
    });
    assert.ok(refused.status === 403 && refused.text.includes(`href="${INGRESS}/postern/start"`), refused.text);
  });

  // biome-ignore format: a table
  const bad: [sentence: string, path: string][] = [
    ['markup', '"><script>alert(1)</script>'], ['another host', '//evil.test'], ['another host with a backslash', '/\\evil.test'],
    ['a relative path', 'evil'], ['a slash at the end', '/x/'], ['dot segments', '/../x'], ['an escape', '/%2e%2e'], ['a kilobyte', `/${'x'.repeat(1024)}`],
  ];
  for (const [sentence, path] of bad) {
    it(`takes no prefix with ${sentence}`, async () => {
      const moved = await ask(it_.instance.port, { path: '/postern', headers: asSupervisor('alice', path) });
      assert.equal(moved.headers.location, '/postern/');
      assert.equal(await told(asSupervisor('alice', path)), 'remote-role=admin remote-user=alice');
    });
  }

  it('takes no prefix from a stranger, and none that is sent twice', async () => {
    const page = async (headers: readonly Line[], from: string) =>
      (await ask(it_.instance.port, { path: '/postern', headers, from })).headers.location;
    assert.equal(await page([['X-Ingress-Path', INGRESS]], STRANGER), '/postern/');
    assert.equal(
      await page(
        [
          ['X-Ingress-Path', INGRESS],
          ['X-Ingress-Path', '/other'],
        ],
        SUPERVISOR,
      ),
      '/postern/',
    );
  });
});
