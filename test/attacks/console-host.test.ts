/** `server.console_url`: a script of the NVR's pages is of another origin than the console (SPEC 8, 11). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { http2Client } from '../support/http2-client.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { head, startWatchedInstance, UPGRADE, watchInstance } from './support/watched-instance.ts';

const SERVER = { console_url: 'https://console.test', public_url: 'https://nvr.test' };
const watched = await watchInstance({
  server: SERVER,
  auth: { trusted_proxies: ['127.0.0.2'], failed_login_rate_limit: null },
});
let session: string;
beforeEach(async () => {
  session = `frigate_token=${await watched.instance.logIn(ADMIN_PERSON)}`;
  watched.nvr.received.length = 0;
});

type Lines = readonly (string | readonly string[])[];
const NVR = 'nvr.test';
const CONSOLE = 'console.test';
const ask = async (host: string, request: string, ...lines: Lines) =>
  rawRequest(watched.instance.port, head(`${request} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines));
const cookie = () => `Cookie: ${session}`;
const FETCH = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Dest: empty'];

describe('The host name of the console', () => {
  for (const path of [
    '/',
    '/index.html',
    '/assets/index.js',
    '/review',
    '/api/events',
    '/api/config',
    '/vod/x/index.m3u8',
    '/s/x',
    '/s/x/clip.mp4',
  ]) {
    it(`has nothing of the NVR at ${path}`, async () => {
      const { status } = await ask(CONSOLE, `GET ${path}`, cookie());
      assert.deepEqual([status, watched.nvr.received], [404, []]);
    });
  }

  for (const dest of ['document', 'iframe', 'frame', 'object', 'embed', 'script', 'worker', 'serviceworker', 'style']) {
    it(`gives no response of the NVR that the browser uses as ${dest}`, async () => {
      const { status } = await ask(
        CONSOLE,
        'GET /api/events',
        cookie(),
        'Sec-Fetch-Site: same-origin',
        `Sec-Fetch-Dest: ${dest}`,
      );
      assert.deepEqual([status, watched.nvr.received], [404, []]);
    });
  }

  it('gives the console the data that its scripts read', async () => {
    const { status } = await ask(CONSOLE, 'GET /api/events', cookie(), FETCH);
    assert.deepEqual([status, watched.nvr.received.length], [200, 1]);
  });

  it('changes nothing at the NVR', async () => {
    const { status } = await ask(CONSOLE, 'POST /api/restart', cookie(), FETCH, 'Content-Length: 0');
    assert.deepEqual([status, watched.nvr.received], [404, []]);
  });

  it('has pages, accounts and a login', async () => {
    for (const path of [
      '/postern/settings',
      '/api/users',
      '/api/tokens',
      '/api/profile',
      '/login',
      '/postern/manifest.webmanifest',
    ])
      assert.equal((await ask(CONSOLE, `GET ${path}`, cookie())).status, 200, path);
  });

  // biome-ignore format: a table
  const SPELLINGS = ['CONSOLE.test', 'console.test:443', 'console.test:8971', 'console.test.', 'Console.Test.:8971'];
  for (const host of SPELLINGS) {
    it(`is ${host} as well`, async () => {
      assert.equal((await ask(host, 'GET /api/users', cookie())).status, 200);
      assert.deepEqual([(await ask(host, 'GET /', cookie())).status, watched.nvr.received], [404, []]);
    });
  }
});

describe('Every other host name', () => {
  const OTHERS = [
    NVR,
    'console.test.evil.test',
    'xconsole.test',
    '127.0.0.1:8971',
    'sub.console.test',
    'console.test..',
  ];
  for (const host of OTHERS) {
    it(`${host}: has no account and no console for a session`, async () => {
      for (const path of [
        '/api/users',
        '/api/tokens',
        '/api/sessions',
        '/api/roles',
        '/api/status',
        '/api/ledger',
        '/api/links',
        '/api/screens',
        '/api/screens/code',
        '/API/users/',
        '/postern',
        '/postern/',
        '/postern/settings',
        '/invitation/x',
      ])
        assert.equal((await ask(host, `GET ${path}`, cookie())).status, 404, path);
    });
  }

  it('leads from a login to the start page, which is on this one', async () => {
    const { status, text } = await ask(NVR, 'GET /postern/start', cookie());
    assert.equal(status, 302);
    assert.match(text, /^location: \/\r?$/im);
  });

  it('makes no admin, token or password, with or without what a page may add', async () => {
    for (const more of [[], ['X-CSRF-Token: 1'], FETCH, ['Origin: http://nvr.test']])
      for (const request of [
        'POST /api/users',
        'POST /api/tokens',
        'PUT /api/users/vera/role',
        'PUT /api/users/vera/password',
        'DELETE /api/users/vera',
        'POST /api/links',
        'POST /api/screens/confirm',
        'POST /api/screens/deny',
        'POST /api/reauthenticate',
      ])
        assert.equal((await ask(NVR, request, cookie(), more, 'Content-Length: 0')).status, 404, request);
  });

  it('has the NVR, the login, who is logged in, and what the login page loads', async () => {
    const paths = ['/', '/api/events', '/api/config', '/api/profile', '/login', '/api/auth/first_time_login'];
    // A display opens its page where its cameras are.
    for (const path of [...paths, '/postern/screen'])
      assert.equal((await ask(NVR, `GET ${path}`, cookie())).status, 200, path);
    assert.equal((await ask(NVR, 'GET /auth', cookie())).status, 202);
    const page = (await ask(NVR, 'GET /login')).text;
    const assets = page.match(/\/postern\/assets\/[\w.-]+/g) ?? [];
    assert.ok(assets.length > 0);
    for (const asset of assets) assert.equal((await ask(NVR, `GET ${asset}`)).status, 200, asset);
  });

  it('takes a bearer token for accounts, which no page can add by itself', async () => {
    assert.equal(
      (await ask(NVR, 'GET /api/users', `Authorization: Bearer ${session.slice('frigate_token='.length)}`)).status,
      200,
    );
  });

  it('logs in, as the console does, with a cookie for that host alone', async () => {
    const body = JSON.stringify({ user: ADMIN_PERSON.name, password: ADMIN_PERSON.password });
    for (const host of [NVR, CONSOLE]) {
      const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`, `Origin: http://${host}`];
      const bytes = `${head('POST /api/login HTTP/1.1', `Host: ${host}`, 'Connection: close', lines)}${body}`;
      const { status, text } = await rawRequest(watched.instance.port, bytes);
      assert.equal(status, 200);
      assert.match(text, /^set-cookie: frigate_token=/im);
      assert.doesNotMatch(text, /^set-cookie:.*domain=/im);
    }
  });
});

describe('A page of one of the two hosts', () => {
  // biome-ignore format: a table
  const ROWS: [story: string, host: string, request: string, ...lines: string[]][] = [
    ['the NVR makes a user in the console',      CONSOLE, 'POST /api/users',   'Origin: https://nvr.test',     'Sec-Fetch-Site: same-site'],
    ['the NVR does so in an old browser',        CONSOLE, 'POST /api/users',   'Origin: https://nvr.test'],
    ['the NVR does so without an Origin',        CONSOLE, 'POST /api/users',   'Sec-Fetch-Site: same-site'],
    ['the console restarts the NVR',             NVR,     'POST /api/restart', 'Origin: https://console.test', 'Sec-Fetch-Site: same-site'],
  ];
  for (const [story, host, request, ...lines] of ROWS) {
    it(`cannot act on the other: ${story}`, async () => {
      const { status } = await ask(host, request, cookie(), lines, 'Content-Length: 0');
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    });
  }

  it('cannot open a WebSocket to the other', async () => {
    for (const [host, origin] of [
      [CONSOLE, NVR],
      [NVR, CONSOLE],
    ]) {
      const lines = [`Host: ${host}`, ...UPGRADE, cookie(), `Origin: https://${origin}`];
      const { status } = await rawRequest(watched.instance.port, head('GET /ws HTTP/1.1', lines));
      assert.deepEqual([status, watched.nvr.received], [403, []]);
    }
  });
});

describe('The host that a request is for', () => {
  it('is not taken from X-Forwarded-Host of a stranger', async () => {
    const forged = `X-Forwarded-Host: ${CONSOLE}`;
    assert.equal((await ask(NVR, 'GET /api/users', cookie(), forged)).status, 404);
    const { status } = await ask(CONSOLE, 'GET /', cookie(), `X-Forwarded-Host: ${NVR}`);
    assert.deepEqual([status, watched.nvr.received], [404, []]);
  });

  it('is what a trusted proxy forwards', async () => {
    const behind = await startWatchedInstance({
      server: SERVER,
      auth: { trusted_proxies: ['127.0.0.1'], failed_login_rate_limit: null },
    });
    try {
      const token = `Cookie: frigate_token=${await behind.instance.logIn(ADMIN_PERSON)}`;
      const status = async (host: string, path: string) => {
        const lines = ['Host: postern:8971', `X-Forwarded-Host: ${host}`, 'Connection: close', token];
        return (await rawRequest(behind.instance.port, head(`GET ${path} HTTP/1.1`, lines))).status;
      };
      assert.deepEqual([await status(CONSOLE, '/api/users'), await status(CONSOLE, '/')], [200, 404]);
      assert.deepEqual([await status(NVR, '/api/users'), await status(NVR, '/')], [404, 200]);
    } finally {
      await behind.close();
    }
  });

  it('is the authority of HTTP/2, each request of a connection for itself', async () => {
    const secure = await startWatchedInstance({ server: SERVER, tls: { enabled: true } });
    const { directory, port } = secure.instance;
    const client = await http2Client(
      `https://127.0.0.1:${port}`,
      readFileSync(join(directory, 'tls/fullchain.pem'), 'utf8'),
    );
    try {
      const status = async (authority: string, path: string) =>
        (await client.ask(path, { ':authority': authority })).status;
      const page = '/postern/manifest.webmanifest';
      assert.deepEqual([await status(CONSOLE, page), await status(NVR, page)], [200, 404]);
      assert.deepEqual([await status(CONSOLE, '/api/events'), await status(NVR, '/api/events')], [404, 401]);
    } finally {
      client.close();
      await secure.close();
    }
  });

  it('does not matter on the internal listener', async () => {
    const { status } = await rawRequest(
      watched.instance.internalPort,
      head('GET /api/users HTTP/1.1', 'Host: localhost', 'Connection: close'),
    );
    assert.equal(status, 200);
  });
});
