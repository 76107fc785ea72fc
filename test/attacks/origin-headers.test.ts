/** Headers by which an NVR that was taken over would act in the name of the whole origin: none of them reaches a browser (SPEC 6). */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { thingMediaType } from '../../src/access/thing-paths.ts';
import { responseHeaders } from '../../src/gateway/response/response-headers.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

// biome-ignore format: a table
const TAKEN_OVER: Readonly<Record<string, string>> = {
  'Service-Worker-Allowed': '/', 'Clear-Site-Data': '"*"', Refresh: '0; url=https://evil.test/', SourceMap: 'https://evil.test/m',
  'X-SourceMap': 'https://evil.test/m', NEL: '{"report_to":"x","max_age":9}', 'Report-To': '{"group":"x"}', 'Reporting-Endpoints': 'x="https://evil.test"',
  'Alt-Svc': 'h3="evil.test:443"', 'Strict-Transport-Security': 'max-age=1', 'X-Accel-Redirect': '/secret', 'Origin-Trial': 'x',
  'Origin-Agent-Cluster': '?0', 'Speculation-Rules': '"/x"', 'Accept-CH': 'Device-Memory', 'Critical-CH': 'Device-Memory', 'Set-Login': 'logged-out',
  'Use-As-Dictionary': 'match="/*"', 'Surrogate-Control': 'max-age=9', 'CDN-Cache-Control': 'max-age=9', 'Content-Security-Policy-Report-Only': 'report-uri https://evil.test',
  'Public-Key-Pins': 'x', 'Expect-CT': 'x',
};
const COOKIES = [
  'frigate_token=x',
  'postern_language=de',
  'postern_link=x; Path=/',
  'postern_step=x',
  '=frigate_token=x',
];

describe('An NVR that was taken over', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let token = '';
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: { nvr: { url: nvr.url, cameras: ['cam1'] }, ui: { frame_ancestors: 'https://home.example.com' } },
      people: [ADMIN_PERSON],
    });
    token = await instance.logIn(ADMIN_PERSON);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  it('speaks for no other page of the origin, on any route', async () => {
    nvr.answer = (_request, response) =>
      void response
        .writeHead(200, { ...TAKEN_OVER, 'Content-Type': 'text/javascript', 'Set-Cookie': [...COOKIES, 'theirs=1'] })
        .end('x');
    for (const path of ['/assets/x.js', '/api/cam1/latest.jpg', '/notifications-worker.js', '/api/unknown']) {
      const { headers } = await instance.ask(path, { token });
      assert.deepEqual(
        Object.keys(TAKEN_OVER).filter((name) => headers.has(name)),
        [],
        path,
      );
      assert.deepEqual(headers.getSetCookie(), ['theirs=1'], path);
    }
  });

  it('has pages in no frame of another site', async () => {
    for (const type of ['text/html', 'application/xhtml+xml', 'image/svg+xml']) {
      nvr.answer = (_request, response) => void response.writeHead(200, { 'content-type': type }).end('x');
      for (const path of ['/', '/api/unknown']) {
        const { headers } = await instance.ask(path, { token });
        assert.match(
          headers.get('content-security-policy') ?? '',
          /frame-ancestors https:\/\/home\.example\.com$/,
          path,
        );
      }
    }
    nvr.answer = (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "default-src 'self'" })
        .end();
    const { headers } = await instance.ask('/', { token });
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'self', frame-ancestors https://home.example.com",
      'its own policy stays',
    );
  });

  it('has nothing that a browser keeps shown to the next user of the browser', async () => {
    nvr.answer = (_request, response) => void response.writeHead(200, { 'cache-control': 'max-age=600' }).end('x');
    const { headers } = await instance.ask('/api/cam1/latest.jpg', { token });
    assert.deepEqual(
      [headers.get('cache-control'), headers.get('vary')],
      ['private, max-age=600', 'Cookie, Authorization'],
    );
  });

  it('has pages in frames of its own origin only where nothing is configured, on port 5000 too', async (test) => {
    const plain = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } }, people: [ADMIN_PERSON] });
    test.after(() => plain.close());
    nvr.answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('x');
    for (const url of [plain.url, plain.internalUrl]) {
      const { headers } = await fetch(url);
      assert.equal(headers.get('content-security-policy'), "frame-ancestors 'self'", url);
    }
  });

  // biome-ignore format: a table
  const media: [path: string, said: string | undefined, type: string][] = [
    ['/api/events/1.2-a/clip.mp4',       'text/html',                                 'video/mp4'],
    ['/api/events/1.2-a/snapshot.jpg',   'image/svg+xml',                             'image/jpeg'],
    ['/api/events/1.2-a/preview.gif',    undefined,                                   'image/gif'],
    ['/api/review/1.2-a/preview',        'text/html',                                 'image/gif'],
    ['/vod/event/1.2-a/index.m3u8',      'text/html',                                 'application/vnd.apple.mpegurl'],
    ['/vod/event/1.2-a/seg-1.ts',        'text/html',                                 'video/mp2t'],
    ['/vod/event/1.2-a/seg-1.m4s',       'text/html',                                 'video/iso.segment'],
    ['/vod/event/1.2-a/seg-1.html',      'text/html',                                 'application/octet-stream'],
    ['/api/front',                       'multipart/x-mixed-replace;boundary=frame',  'multipart/x-mixed-replace;boundary=frame'],
    ['/api/front',                       'multipart/x-mixed-replace; boundary="a";x', 'application/octet-stream'],
    ['/api/front',                       'text/html',                                 'application/octet-stream'],
  ];
  for (const [path, said, type] of media) {
    it(`shows ${path} by a link as ${type}, when it says ${said}`, () =>
      assert.equal(thingMediaType(FRIGATE.things, path, said), type));
  }

  it('sends by a link nothing that a browser runs in this origin', () => {
    const lines = responseHeaders(
      { statusCode: 200, headers: { 'content-type': 'text/html', 'content-security-policy': 'x' } },
      {
        cookieName: 'x',
        isPublic: false,
        own: {
          requestId: 'r',
          isForVisitor: true,
          mediaType: (said) => thingMediaType(FRIGATE.things, '/api/events/1/clip.mp4', said),
        },
      },
    );
    const value = (name: string): string[] => lines.filter((_, at) => lines[at - 1] === name && at % 2 === 1);
    assert.deepEqual(value('content-type'), ['video/mp4']);
    assert.deepEqual(value('x-content-type-options'), ['nosniff']);
    assert.match(value('content-security-policy').join(), /^sandbox; /);
  });
});
