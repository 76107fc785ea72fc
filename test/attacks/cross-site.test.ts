/** Pages of other sites in a visitor's browser: what they can send rides on the visitor's session (SPEC 5, 11). */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { startInstance } from '../support/start-instance.ts';
import { HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();
let cookie: string;
let bearer: string;
beforeEach(async () => {
  const token = await watched.instance.logIn(ADMIN_PERSON);
  cookie = `Cookie: frigate_token=${token}`;
  bearer = `Authorization: Bearer ${token}`;
});

type Lines = readonly (string | readonly string[])[];
const external = (...lines: Lines) => rawRequest(watched.instance.port, head(...lines));
const internal = (...lines: Lines) => rawRequest(watched.instance.internalPort, head(...lines));

// biome-ignore format: a table
const STRANGERS: [story: string, ...lines: string[]][] = [
  ['of another site',                          'Origin: http://evil.test'],
  ['whose name begins like ours',              'Origin: http://nvr.test.evil.test'],
  ['whose name ends like ours',                'Origin: http://evil-nvr.test'],
  ['on another port of ours',                  'Origin: http://nvr.test:8080'],
  ['that hides where it is from',              'Origin: null'],
  ['of no origin that can be read',            'Origin: nvr.test'],
  ['of a file',                                'Origin: file://nvr.test'],
];
// biome-ignore format: a table
const MARKED: [story: string, ...lines: string[]][] = [
  ['that the browser calls another site',      'Sec-Fetch-Site: cross-site'],
  ['that the browser calls a neighbour',       'Sec-Fetch-Site: same-site'],
];

describe('A page in the browser of an admin', () => {
  for (const [story, ...lines] of [...STRANGERS, ...MARKED]) {
    it(`${story}: cannot restart the NVR`, async () => {
      const { status } = await external('POST /api/restart HTTP/1.1', HOST, cookie, 'Content-Length: 0', lines);
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });
  }

  for (const [story, ...lines] of STRANGERS) {
    it(`${story}: cannot open a WebSocket`, async () => {
      const { status } = await external('GET /ws HTTP/1.1', HOST, cookie, UPGRADE, lines);
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });

    it(`${story}: cannot log the visitor in`, async () => {
      const body = '{"user":"vera","password":"ZincPassw0rd!!!"}';
      const type = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      const bytes = `${head('POST /api/login HTTP/1.1', HOST, type, lines)}${body}`;
      const { status, text } = await rawRequest(watched.instance.port, bytes);
      assert.equal(status, 403);
      assert.doesNotMatch(text, /set-cookie/i);
    });
  }

  it('is given no leave to read what it asked for', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const ask = ['Origin: http://evil.test', 'Access-Control-Request-Method: GET'];
      const { text } = await external(`${method} /api/stats HTTP/1.1`, HOST, cookie, ask);
      assert.doesNotMatch(text, /access-control-allow/i);
    }
  });

  it('cannot end the session by a picture, but a link may', async () => {
    const asPicture = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'];
    assert.equal((await external('GET /logout HTTP/1.1', HOST, cookie, asPicture)).status, 403);
    assert.equal((await external('GET /api/stats HTTP/1.1', HOST, cookie)).status, 200);
    const asLink = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'];
    assert.equal((await external('GET /logout HTTP/1.1', HOST, cookie, asLink)).status, 303);
    assert.equal((await external('GET /api/stats HTTP/1.1', HOST, cookie)).status, 401);
  });

  it('of our own: may do all of it', async () => {
    const own = ['Origin: http://nvr.test', 'Sec-Fetch-Site: same-origin'];
    assert.equal((await external('POST /api/restart HTTP/1.1', HOST, cookie, 'Content-Length: 0', own)).status, 200);
    assert.equal((await external('GET /ws HTTP/1.1', HOST, cookie, UPGRADE, own)).status, 101);
  });

  it('gains nothing by a token that no browser adds by itself', async () => {
    const lines = [HOST, bearer, 'Origin: http://app.test', 'Sec-Fetch-Site: cross-site', 'Content-Length: 0'];
    assert.equal((await external('POST /api/restart HTTP/1.1', lines)).status, 200);
  });
});

describe('A page in a browser that can reach the internal listener, which asks for nothing', () => {
  const LAN = 'Host: 192.168.1.10:5000';

  for (const [story, ...lines] of [...STRANGERS, ...MARKED]) {
    it(`${story}: cannot restart the NVR`, async () => {
      const { status } = await internal('POST /api/restart HTTP/1.1', LAN, 'Content-Length: 0', lines);
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });
  }

  for (const [story, ...lines] of STRANGERS) {
    it(`${story}: cannot open a WebSocket`, async () => {
      const { status } = await internal('GET /ws HTTP/1.1', LAN, UPGRADE, lines);
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });
  }

  for (const host of ['rebind.evil.test:5000', 'evil.test', 'localhost.evil.test', '127.0.0.1.evil.test']) {
    it(`under a name of its own that leads here, ${host}: reads nothing`, async () => {
      const { status } = await internal('GET /api/stats HTTP/1.1', `Host: ${host}`);
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });
  }
});

describe('A page of another site, and what can be read on the internal listener', () => {
  const LAN = 'Host: 192.168.1.10:5000';

  it('is given no leave to read, though the NVR gives it', async () => {
    watched.nvr.answer = (_request, response) =>
      response
        .writeHead(200, {
          'Access-Control-Allow-Origin': 'http://evil.test',
          'Access-Control-Allow-Credentials': 'true',
          'access-control-expose-headers': '*',
        })
        .end('rtsp://user:password@camera');
    const { status, text } = await internal('GET /api/go2rtc/streams HTTP/1.1', LAN, 'Origin: http://evil.test');
    assert.equal(status, 200);
    assert.doesNotMatch(text, /\r\naccess-control-/i);
  });

  for (const [story, ...lines] of STRANGERS) {
    it(`${story}: asks for leave in vain`, async () => {
      const preflight = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: x-csrf-token'];
      const { status } = await internal('OPTIONS /api/stats HTTP/1.1', LAN, lines, preflight);
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });
  }

  // biome-ignore format: a table
  const fetches: readonly (readonly [story: string, status: number, ...lines: string[]])[] = [
    ['a picture of another site',              403, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'],
    ['a script of another site',               403, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors'],
    ['a request that does not say its mode',   403, 'Sec-Fetch-Site: cross-site'],
    ['a link of another site',                 200, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
    ['a page of this machine on another port', 200, 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors'],
    ['a page of its own',                      200, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors'],
    ['a client that is no browser',            200],
  ];
  for (const [story, expected, ...lines] of fetches) {
    it(`by ${story}: ${expected}`, async () => {
      const { status } = await internal('GET /api/stats HTTP/1.1', LAN, lines);
      assert.deepEqual([status, watched.nvr.received.length], [expected, expected === 200 ? 1 : 0]);
    });
  }
});

describe('A name that is rebound to this machine, behind a trusted proxy', () => {
  it('reads nothing on the internal listener, whatever host it says was forwarded', async () => {
    const instance = await startInstance({
      config: { nvr: { url: watched.nvr.url, cameras: ['cam1'] }, auth: { trusted_proxies: ['127.0.0.0/8'] } },
    });
    try {
      watched.nvr.received.length = 0;
      for (const host of ['localhost', '192.168.1.10:5000', 'nvr']) {
        const lines = ['Host: rebind.evil.test:5000', `X-Forwarded-Host: ${host}`];
        const { status } = await rawRequest(instance.internalPort, head('GET /api/stats HTTP/1.1', lines));
        assert.deepEqual([status, watched.nvr.received], [403, []]);
        const forged = [...lines, `Origin: http://${host}`, 'Content-Length: 0'];
        assert.equal((await rawRequest(instance.internalPort, head('POST /api/restart HTTP/1.1', forged))).status, 403);
      }
      const own = [
        'Host: 192.168.1.10:5000',
        'X-Forwarded-Host: evil.test',
        'Origin: http://evil.test',
        'Content-Length: 0',
      ];
      assert.equal((await rawRequest(instance.internalPort, head('POST /api/restart HTTP/1.1', own))).status, 403);
      assert.deepEqual(watched.nvr.received, []);
    } finally {
      await instance.close();
    }
  });
});

describe('A link that leads through Postern', () => {
  // biome-ignore format: a table
  const places: readonly string[] = [
    '//evil.test', '/\\evil.test', 'https://evil.test', 'https:evil.test', '/%09/evil.test', '/%0d%0aSet-Cookie:%20x=1', 'javascript:alert(1)', '/./evil.test',
  ];
  for (const place of places) {
    it(`ends here, and not at ${place}`, async () => {
      const to = encodeURIComponent(place);
      for (const path of ['/logout', '/login']) {
        const target = `${path}?redirect=${to}&next=${to}&rd=${to}`;
        const { text } = await external(`GET ${target} HTTP/1.1`, HOST, cookie, 'Accept: text/html');
        const [location = '/login'] = /\r\nlocation: *([^\r]*)/i.exec(text)?.slice(1) ?? [];
        assert.match(location, /^\/login(?:\?|$)/);
        assert.doesNotMatch(text, /\r\nset-cookie: *x=1/i);
      }
    });
  }

  it('names no host, whichever was asked for', async () => {
    const lines = ['Host: evil.test', 'X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https', 'Accept: text/html'];
    const { text } = await external('GET /settings/users HTTP/1.1', lines);
    assert.match(text, /\r\nlocation: \/login\?next=%2Fsettings%2Fusers\r\n/i);
  });
});

describe('A response to an authenticated caller', () => {
  it('is for no shared cache, whatever the NVR says', async () => {
    watched.nvr.answer = (_request, response) =>
      response.writeHead(200, { 'Cache-Control': 'public, max-age=9' }).end();
    const { text } = await external('GET /api/stats HTTP/1.1', HOST, cookie);
    assert.match(text, /\r\ncache-control: private, max-age=9\r\n/i);
  });
});
