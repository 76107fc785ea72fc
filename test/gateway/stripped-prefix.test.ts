/** Servers below prefixes that are taken off: what they receive, and what a client gets back (SPEC 1, nvr.routes). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

describe('A server below a prefix that is taken off', () => {
  let nvr: FakeNvr;
  let hls: FakeNvr;
  let archive: FakeNvr;
  let instance: Runtime;
  let admin: string;
  let viewer: string;
  before(async () => {
    [nvr, hls, archive] = await Promise.all([startFakeNvr(), startFakeNvr(), startFakeNvr()]);
    instance = await startInstance({
      config: {
        nvr: {
          url: nvr.url,
          cameras: ['cam1', 'cam2'],
          routes: {
            '/hls': { url: hls.url, strip: true },
            '/hls/archive/': { url: archive.url, strip: true },
            '/live': { url: archive.url },
          },
        },
        server: { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', base_path: '/nvr' },
      },
    });
    [admin, viewer] = await Promise.all([instance.logIn(ADMIN_PERSON), instance.logIn(VERA)]);
  });
  after(async () => {
    await instance?.close();
    await Promise.all([nvr, hls, archive].map((server) => server?.close()));
  });
  beforeEach(() => {
    for (const server of [nvr, hls, archive]) {
      server.received.length = 0;
      server.answer = (_request, response) => response.writeHead(200).end('{}');
    }
  });

  const targets = (server: FakeNvr): readonly string[] => server.received.map(({ target }) => target);

  // biome-ignore format: a table
  const SENT: [path: string, to: () => FakeNvr, target: string][] = [
    ['/hls/porch/index.m3u8?a=%2F&b',  () => hls,     '/porch/index.m3u8?a=%2F&b'],
    ['/hls',                           () => hls,     '/'],
    ['/hls/',                          () => hls,     '/'],
    ['/hls?x=1',                       () => hls,     '/?x=1'],
    ['/hls/archive/porch',             () => archive, '/porch'],
    ['/hls/archived/porch',            () => hls,     '/archived/porch'],
    ['/hlsx/porch',                    () => nvr,     '/hlsx/porch'],
    ['/live/porch',                    () => archive, '/live/porch'],
    ['/nvr/hls/porch/',                () => hls,     '/porch/'],
  ];
  for (const [path, to, target] of SENT)
    it(`is sent ${target} for ${path}`, async () => {
      const { status } = await instance.ask(path, { token: admin });
      assert.deepEqual([status, targets(to())], [200, [target]]);
      assert.equal(
        [nvr, hls, archive].reduce((count, { received }) => count + received.length, 0),
        1,
      );
    });

  it('is judged by the whole path: a row of its own path is none', async () => {
    // Below /hls, what is a public page of the NVR at /review is unlisted.
    const { status } = await instance.ask('/hls/review', { token: viewer });
    assert.deepEqual([status, targets(hls)], [403, []]);
  });

  it('writes its addresses below the prefix', async () => {
    hls.answer = (_request, response) =>
      response
        .writeHead(201, { location: '/porch/whep/1', 'set-cookie': ['a=b; Path=/', 'frigate_token=x; Path=/'] })
        .end();
    const { headers, status } = await instance.ask('/hls/porch/whep', { token: admin, method: 'POST' });
    assert.deepEqual(
      [status, headers.get('location'), headers.getSetCookie()],
      [201, '/nvr/hls/porch/whep/1', ['a=b; Path=/nvr/hls']],
    );
    assert.deepEqual(hls.lastHeader('x-ingress-path'), []);
  });

  it('leaves the addresses of other servers as they are', async () => {
    for (const server of [nvr, archive])
      server.answer = (_request, response) => response.writeHead(302, { location: '/porch/' }).end();
    const { headers } = await instance.ask('/live/x', { token: admin });
    assert.equal(headers.get('location'), '/porch/');
    await instance.ask('/some', { token: admin });
    assert.deepEqual(nvr.lastHeader('x-ingress-path'), ['/nvr']);
  });

  it('gets upgrades at its own path, and its refusal of one names the prefix', async () => {
    const url = `${instance.url.replace('http', 'ws')}/nvr/hls/porch/ws?src=1`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${admin}` } });
    await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
    socket.terminate();
    assert.deepEqual(targets(hls), ['/porch/ws?src=1']);
    hls.answerUpgrade = (_request, upgraded) =>
      upgraded.end('HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
    const refused = new WebSocket(url, { headers: { authorization: `Bearer ${admin}` } });
    const location = await new Promise((resolve, reject) => {
      refused.once('unexpected-response', (_, response) => resolve(response.headers.location)).once('error', reject);
    });
    hls.answerUpgrade = undefined;
    assert.equal(location, '/nvr/hls/elsewhere');
  });

  it('is shown by explain with the path that it is sent', async () => {
    const answer = await instance.ask(
      `/api/explain?${new URLSearchParams({ user: 'admin', method: 'GET', path: '/hls/porch/?x=1' })}`,
      { token: admin },
    );
    const { request, sent } = (await answer.json()) as {
      request: { path: string };
      sent: { to: string; target: string };
    };
    assert.deepEqual([request.path, sent.target, sent.to], ['/hls/porch/?x=1', '/porch/?x=1', hls.url]);
  });
});
