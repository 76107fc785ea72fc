/** Real caches in front: nobody is sent a session that was renewed for somebody else (SPEC 4.2, 6). */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { skipWithout, startApache, startHaproxy } from './support/proxies.ts';

const MODULES = [...['mpm_event', 'authz_core', 'authn_core', 'proxy', 'proxy_http', 'headers', 'cache', 'cache_disk']];

describe('A shared cache in front', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let session = '';
  let asset = '';
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) =>
      void response
        .writeHead(200, {
          'content-type': 'text/javascript',
          'content-length': '1',
          'cache-control': 'public, max-age=600',
          ...(request.url?.includes('theirs') && { 'set-cookie': 'theirs=of-somebody' }),
        })
        .end('x');
    instance = await startInstance({
      // Each request is within the time in which a session is renewed.
      config: { nvr: { url: nvr.url, cameras: ['cam1'] }, auth: { session_length: 3600, refresh_time: 1800 } },
      people: [ADMIN_PERSON],
    });
    session = await instance.logIn(ADMIN_PERSON);
    const page = await (await instance.ask('/login')).text();
    asset = /"(?<path>\/postern\/assets\/[^"]+)"/.exec(page)?.groups?.['path'] ?? '';
    assert.notEqual(asset, '');
    instance.clock.advance(3000);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const paths = (): readonly string[] => [
    '/assets/index.js',
    '/assets/theirs.js',
    asset,
    '/login',
    '/postern/',
    '/',
    '/api/profile',
    '/api/cam1/latest.jpg',
    '/api/version',
  ];

  /** A person asks for everything, then a stranger does. */
  async function probe(port: number): Promise<void> {
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' });
    let renewals = 0;
    for (const path of paths()) {
      const own = await ask(path, { cookie: `frigate_token=${session}` });
      const cookies = own.headers.getSetCookie().filter((line) => line.startsWith('frigate_token='));
      renewals += cookies.length;
      if (own.headers.getSetCookie().length > 0)
        assert.match(own.headers.get('cache-control') ?? '', /no-store/, `${path} has a cookie and may be kept`);
      await own.arrayBuffer();
    }
    assert.ok(renewals > 0, 'the session was renewed nowhere');
    for (const path of paths()) {
      const strangers = await ask(path);
      const { status } = strangers;
      await strangers.arrayBuffer();
      assert.deepEqual(
        strangers.headers
          .getSetCookie()
          .filter((line) => /frigate_token=[^;]|of-somebody/.test(line) && !path.includes('theirs')),
        [],
        path,
      );
      if (path.startsWith('/api/')) assert.equal(status, 401, path);
    }
  }

  it('of Apache gives no session away', { skip: skipWithout('apache2') }, async (test) => {
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), 'postern-cache-'));
    chmodSync(directory, 0o777); // Apache writes as another user
    const { port: own } = new URL(instance.url);
    const site = `Listen 127.0.0.1:${port}
CacheRoot ${directory}
CacheEnable disk /
CacheHeader on
ProxyPass / http://127.0.0.1:${own}/
`;
    const proxy = await startApache(site, port, MODULES);
    test.after(async () => {
      await proxy.close();
      rmSync(directory, { recursive: true, force: true });
    });
    await probe(port);
    const kept = await fetch(`http://127.0.0.1:${port}/assets/index.js`);
    assert.match(kept.headers.get('x-cache') ?? '', /^HIT/, 'the cache works');
  });

  it('of HAProxy gives no session away', { skip: skipWithout('haproxy') }, async (test) => {
    const port = await freePort();
    const { port: own } = new URL(instance.url);
    const config = `
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
cache all
  total-max-size 8
  max-age 600
frontend front
  bind 127.0.0.1:${port}
  http-request cache-use all
  http-response cache-store all
  default_backend postern
backend postern
  server postern 127.0.0.1:${own}
`;
    const proxy = await startHaproxy(config, port, {});
    test.after(() => proxy.close());
    const before = nvr.received.length;
    await probe(port);
    await (await fetch(`http://127.0.0.1:${port}/assets/index.js`)).arrayBuffer();
    const asked = nvr.received.slice(before).filter(({ target }) => target === '/assets/index.js');
    assert.equal(asked.length, 1, 'the cache works');
  });
});
