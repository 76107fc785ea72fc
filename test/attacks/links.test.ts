/** Links (SPEC 13): each shows one thing, to so many, until its end, as long as its maker may; what the NVR did not receive is the proof. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { createGrantMemory, createMakers, type GrantServices } from '../../src/accounts/grants/grants.ts';
import { createStoreGrace } from '../../src/accounts/sessions/store-grace.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { callerEnd } from '../../src/domain/credentials.ts';
import { type UserName, VIEWER } from '../../src/domain/names.ts';
import { linkCaller } from '../../src/features/links/links.ts';
import { answerLikeAnNvr, type Received, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { nvrDatabaseFile } from '../support/recorded.ts';
import { sendJson } from '../support/second-factor.ts';
import { firstCookie } from '../support/sessions.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const nvr = await startFakeNvr();
const EVENTS: Record<string, string> = { '17.5-front': 'cam1', '18.5-back': 'cam2' };
nvr.answer = (request, response, received) => {
  const [path = ''] = (request.url ?? '').split('?');
  const [, id] = /^\/api\/events\/([^/]+)$/.exec(path) ?? [];
  const json = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (id !== undefined) {
    const camera = EVENTS[id];
    return camera === undefined
      ? json(404, {})
      : json(200, { id, camera, label: 'person', start_time: 17.5, has_clip: true, has_snapshot: true });
  }
  if (path === '/api/review/17.5-r')
    return json(200, { id: '17.5-r', camera: 'cam1', start_time: 17.5, end_time: 77.5 });
  if (path === '/api/cam1') {
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
    return void response.write('--frame\r\n');
  }
  const cors = { 'access-control-allow-origin': 'https://nvr.example', 'access-control-allow-credentials': 'true' };
  if (path.endsWith('.m3u8')) return void response.writeHead(200, { etag: '"1"', ...cors }).end(playlist(path));
  if (path.endsWith('.mp4')) return sendClip(request, response);
  if (path.endsWith('.jpg')) {
    const cookies = { 'set-cookie': 'nvr=1', 'cache-control': 'public, max-age=9' };
    return void response.writeHead(200, { 'content-type': 'image/jpeg', ...cookies }).end(PICTURE);
  }
  answerLikeAnNvr(request, response, received);
};
/** Where the NVR says that the segments are. */
let besides = (_directory: string): string => '';
const playlist = (path: string): string =>
  `#EXTM3U\n#EXT-X-MAP:URI="${besides(path)}init-v1.mp4"\n#EXTINF:10.000,\n${besides(path)}seg-1-v1.m4s\n#EXT-X-ENDLIST\n`;
const PICTURE = Buffer.from('ffd8ffe000104a464946ffd9', 'hex');
const CLIP = Buffer.alloc(5000, 7);
function sendClip(request: IncomingMessage, response: Parameters<typeof nvr.answer>[1]): void {
  const [, from = '0', to = '4999'] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const part = CLIP.subarray(Number(from), Number(to || '4999') + 1);
  const headers = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes', 'content-length': part.length };
  if (request.headers.range === undefined) response.writeHead(200, headers);
  else response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/5000` });
  response.end(part);
}

const MAKER: Person = { name: 'maker', role: 'viewer', password: 'IridiumLamp99!!!' };
const CONFIG = {
  auth: {
    trusted_proxies: ['127.0.0.1/32'],
    roles: { front_only: ['cam1'], mute: { cameras: ['cam1'], deny: ['export'] } },
    failed_login_rate_limit: '5/minute',
    session_length: 90 * 86_400,
  },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
  logger: { logs: { 'service.access': 'debug', 'service.gate': 'debug', 'service.api.auth': 'debug' } },
};
const at = await startInstance({ people: [ADMIN_PERSON, VERA, CARL, MAKER], config: CONFIG });
after(async () => {
  await at.close();
  await nvr.close();
});

const tokens = new Map<Person, string>();
async function tokenOf(person: Person): Promise<string> {
  const token = tokens.get(person) ?? (await at.logIn(person));
  tokens.set(person, token);
  return token;
}
interface Made {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}
const secrets: string[] = [];
const EVENT = { event: '17.5-front' };
const LIVE = { live: { camera: 'cam1' } };
const ask = async (body: object, by: Person | string = VERA): Promise<Response> =>
  sendJson(at, '/api/links', body, typeof by === 'string' ? by : await tokenOf(by));
async function made(body: object = { what: EVENT }, by: Person | string = VERA): Promise<Made> {
  const answer = await ask(body, by);
  assert.equal(answer.status, 201, await answer.clone().text());
  const { id, url } = (await answer.json()) as { id: string; url: string };
  const secret = url.slice('/s/'.length);
  secrets.push(secret);
  return { id, url, secret };
}
let strangers = 0;
const newAddress = (): string => `2001:db8:${(++strangers).toString(16)}::1`;
/** From an address of its own each time, unless one is given. */
const visit = (path: string, init: RequestInit = {}, from = newAddress()): Promise<Response> =>
  at.ask(path, { ...init, headers: { 'x-forwarded-for': from, ...(init.headers as Record<string, string>) } });
/** What the NVR was asked for, but for whose camera an event is. */
const asked = (): string[] => nvr.received.filter(isMedia).map(({ method, target }) => `${method} ${target}`);
const isMedia = ({ target }: Received): boolean => !/^\/api\/(?:(?:events|review)\/[^/]+|config|version)$/.test(target);
const status = async (path: string, init?: RequestInit, from?: string): Promise<number> => {
  const answer = await visit(path, init, from);
  await answer.arrayBuffer();
  return answer.status;
};
const revoke = async ({ id }: Made, by: Person = VERA): Promise<number> =>
  (await at.ask(`/api/links/${id}`, { method: 'DELETE', token: await tokenOf(by) })).status;
const asAdmin = async (path: string, method: string, body?: object): Promise<number> => {
  const token = await tokenOf(ADMIN_PERSON);
  return body ? (await sendJson(at, path, body, token, method)).status : (await at.ask(path, { method, token })).status;
};

beforeEach(() => nvr.received.splice(0));

describe('A link', () => {
  it('shows its files by the paths of the NVR, with the rights of its maker and none of the visitor', async () => {
    const { url } = await made();
    const picture = await visit(`${url}/snapshot.jpg`, {
      headers: { cookie: 'frigate_token=x; a=b', 'remote-role': 'admin' },
    });
    assert.deepEqual(Buffer.from(await picture.arrayBuffer()), PICTURE);
    const part = await visit(`${url}/clip.mp4`, { headers: { range: 'bytes=100-199' } });
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 100-199/5000']);
    assert.equal((await part.arrayBuffer()).byteLength, 100);
    assert.equal(await status(`${url}/thumbnail.jpg`), 200);
    assert.deepEqual(asked(), [
      'GET /api/events/17.5-front/snapshot.jpg',
      'GET /api/events/17.5-front/clip.mp4',
      'GET /api/events/17.5-front/thumbnail.jpg',
    ]);
    const sent = Object.fromEntries(nvr.received.find(isMedia)?.headers ?? []);
    assert.deepEqual([sent['remote-user'], sent['remote-role'], sent['cookie']], ['vera', 'viewer', undefined]);
  });

  it('shows a span of a recording, its playlist and segments, live pictures and one picture', async () => {
    const span = await made({ what: { recording: { camera: 'cam1', from: 100, to: 160.5 } } });
    const live = await made({ what: LIVE });
    const one = await made({ what: { snapshot: { camera: 'cam1' } } });
    for (const path of ['clip.mp4', 'snapshot.jpg', 'vod/index.m3u8', 'vod/seg-1-v1.m4s'])
      assert.equal(await status(`${span.url}/${path}`), 200, path);
    assert.equal(await status(`${live.url}/snapshot.jpg`), 200);
    assert.equal(await status(`${one.url}/snapshot.jpg`), 200);
    const stream = new AbortController();
    assert.equal((await visit(`${live.url}/live`, { signal: stream.signal })).status, 200);
    stream.abort();
    assert.deepEqual(asked(), [
      'GET /api/cam1/start/100/end/160.5/clip.mp4',
      'GET /api/cam1/recordings/100/snapshot.jpg',
      'GET /vod/cam1/start/100/end/160.5/index.m3u8',
      'GET /vod/cam1/start/100/end/160.5/seg-1-v1.m4s',
      'GET /api/cam1/latest.jpg',
      'GET /api/cam1/latest.jpg',
      'GET /api/cam1',
    ]);
  });
});

describe('The playlist of a link', () => {
  const spellings: readonly (readonly [string, (path: string) => string])[] = [
    ['relatively', () => ''],
    ['by their path', (path) => path.slice(0, path.lastIndexOf('/') + 1)],
    ['with its address', (path) => `${nvr.url}${path.slice(0, path.lastIndexOf('/') + 1)}`],
  ];
  for (const [how, spell] of spellings)
    it(`leads to segments below the link, where the NVR names them ${how}`, async () => {
      besides = spell;
      for (const what of [EVENT, { recording: { camera: 'cam1', from: 100, to: 160.5 } }]) {
        const { url } = await made({ what });
        const index = `${at.url}${url}/vod/index.m3u8`;
        const answer = await visit(`${url}/vod/index.m3u8`, {
          headers: { range: 'bytes=0-9', 'if-none-match': '"1"' },
        });
        const text = await answer.text();
        assert.deepEqual([answer.status, answer.headers.get('etag')], [200, null]);
        const named = [/URI="(.*)"/.exec(text)?.[1] ?? '', text.split('\n')[3] ?? ''];
        for (const name of named) {
          const { origin, pathname } = new URL(name, index);
          assert.deepEqual([origin, pathname], [at.url, `${url}/vod/${name}`]);
          assert.equal(await status(pathname), 200);
        }
        assert.equal(await status(`${url}/vod/index.m3u8`, { method: 'HEAD' }), 405);
      }
      const directory = '/vod/event/17.5-front';
      assert.deepEqual(asked().slice(0, 3), [
        `GET ${directory}/index.m3u8`,
        `GET ${directory}/init-v1.mp4`,
        `GET ${directory}/seg-1-v1.m4s`,
      ]);
    });

  it('of a review is that of its span', async () => {
    const { url } = await made({ what: { review: '17.5-r' } });
    assert.equal(await status(`${url}/vod/index.m3u8`), 200);
    const part = await visit(`${url}/vod/seg-1-v1.mp4`, { headers: { range: 'bytes=100-199' } });
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 100-199/5000']);
    assert.deepEqual(asked().slice(-2), [
      'GET /vod/cam1/start/17.5/end/77.5/index.m3u8',
      'GET /vod/cam1/start/17.5/end/77.5/seg-1-v1.mp4',
    ]);
  });

  it('is not shown when it leads elsewhere', async () => {
    for (const elsewhere of ['/vod/event/18.5-back/', 'https://other.example/', '../18.5-back/']) {
      besides = () => elsewhere;
      const answer = await visit(`${(await made()).url}/vod/index.m3u8`);
      assert.equal(answer.status, 502);
      assert.ok(!(await answer.text()).includes('seg-1'));
    }
    besides = () => '';
  });
});

describe('Media of a link, which a page of another site shows', () => {
  const CORS = /^access-control-/;
  const corsOf = (answer: Response): string[] =>
    [...answer.headers].filter(([name]) => CORS.test(name)).map(([name, value]) => `${name}: ${value}`);
  const preflight = (path: string): Promise<Response> =>
    visit(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://cast.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range',
      },
    });
  const FOREIGN = {
    headers: { origin: 'https://cast.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
  };

  it('may be read by that page, without credentials', async () => {
    const { url } = await made();
    for (const file of ['snapshot.jpg', 'clip.mp4', 'vod/index.m3u8', 'vod/seg-1-v1.mp4']) {
      const answer = await visit(`${url}/${file}`, FOREIGN);
      await answer.arrayBuffer();
      assert.deepEqual([answer.status, corsOf(answer)], [200, ['access-control-allow-origin: *']], file);
    }
  });

  it('may be asked for by Range: OPTIONS says so, and nothing more', async () => {
    const { url } = await made();
    nvr.received.splice(0);
    for (const path of [`${url}/clip.mp4`, `${url}/vod/seg-1-v1.mp4`, `/s/${'x'.repeat(43)}/clip.mp4`]) {
      const answer = await preflight(path);
      assert.equal(answer.status, 204, path);
      assert.deepEqual(corsOf(answer), [
        'access-control-allow-headers: Range',
        'access-control-allow-methods: GET, HEAD',
        'access-control-allow-origin: *',
        'access-control-max-age: 86400',
      ]);
    }
    assert.deepEqual(nvr.received, []);
  });

  it('is all that may be: no other preflight is answered, and no other answer may be read', async () => {
    const { url } = await made();
    const token = await tokenOf(VERA);
    for (const path of [
      url,
      `${url}/`,
      '/api/events',
      '/api/login',
      '/api/events/17.5-front/clip.mp4',
      '/postern/',
      '/',
    ]) {
      const answer = await preflight(path);
      assert.ok(answer.status >= 400, `${path}: ${answer.status}`);
      assert.deepEqual(corsOf(answer), [], path);
    }
    for (const path of [url, '/api/events/17.5-front/thumbnail.jpg', '/postern/']) {
      const headers = { ...FOREIGN.headers, authorization: `Bearer ${token}` };
      const answer = await visit(path, { headers });
      await answer.arrayBuffer();
      assert.deepEqual(corsOf(answer), [], path);
    }
  });
});

describe('What may not be linked', () => {
  // biome-ignore format: a table
  const rows: readonly (readonly [what: string, by: Person, body: object, status: number])[] = [
    ['a camera that its maker does not see',     CARL, { what: { live: { camera: 'cam2' } } },                                403],
    ['an event of such a camera',                CARL, { what: { event: '18.5-back' } },                                      403],
    ['an event that does not exist, the same',   CARL, { what: { event: '19.5-none' } },                                      403],
    ['a camera that does not exist',             VERA, { what: { snapshot: { camera: 'config' } } },                          403],
    ['a camera by a pattern',                    VERA, { what: { live: { camera: 'cam*' } } },                                400],
    ['all cameras',                              VERA, { what: { live: { camera: 'all' } } },                                 400],
    ['a path in the place of an id',             VERA, { what: { event: '../config' } },                                      400],
    ['a path in the place of a camera',          VERA, { what: { live: { camera: 'cam1/../../config' } } },                   400],
    ['two things at once',                       VERA, { what: { event: '17.5-front', review: 'x' } },                        400],
    ['more than was asked for',                  VERA, { what: { live: { camera: 'cam1', src: 'cam2' } } },                   400],
    ['a span that ends before it begins',        VERA, { what: { recording: { camera: 'cam1', from: 9, to: 8 } } },           400],
    ['a span of more than a day',                VERA, { what: { recording: { camera: 'cam1', from: 0, to: 86_401 } } },      400],
    ['a time that is no plain number',           VERA, { what: { recording: { camera: 'cam1', from: 1e-7, to: 5 } } },        400],
    ['without an end',                           VERA, { what: EVENT, expires_in: null },                                     400],
    ['for longer than links.max_lifetime',       VERA, { what: EVENT, expires_in: 30 * 86_400 + 1 },                          400],
    ['with a misspelt end',                      VERA, { what: EVENT, expires: 60 },                                          422],
    ['with a PIN that is a number',              VERA, { what: EVENT, pin: 4711 },                                            400],
    ['for no viewer',                            VERA, { what: EVENT, uses: 0 },                                              400],
  ];
  for (const [what, by, body, expected] of rows)
    it(what, async () => {
      assert.equal((await ask(body, by)).status, expected);
      assert.deepEqual(asked(), []);
    });

  it('a route of the NVR or of Postern in the place of a camera', async () => {
    const token = await tokenOf(ADMIN_PERSON);
    for (const camera of [
      'config',
      'stats',
      'events',
      'review',
      'profile',
      'tokens',
      'sessions',
      'links',
      'version',
      'auth',
    ])
      for (const what of [{ live: { camera } }, { snapshot: { camera } }, { recording: { camera, from: 1, to: 2 } }])
        assert.ok((await ask({ what }, token)).status >= 400, JSON.stringify(what));
  });

  it('what is older than its maker sees: not at the making, and not when the window has moved on', async () => {
    assert.equal(await asAdmin('/api/roles/week', 'PUT', { cameras: ['cam1'], history_since: '7d' }), 200);
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'week' }), 200);
    const token = await at.logIn(MAKER);
    const now = Math.floor(at.clock.now() / 1000);
    const span = (from: number) => ({
      what: { recording: { camera: 'cam1', from, to: from + 600 } },
      expires_in: 10 * 86_400,
    });
    for (const old of [{ what: EVENT }, span(now - 7 * 86_400 - 1)]) {
      const answer = await ask(old, token);
      assert.deepEqual([answer.status, ((await answer.json()) as { reason: string }).reason], [403, 'history-too-old']);
    }
    assert.deepEqual(asked(), []);
    const link = await made(span(now - 3600), token);
    const live = await made({ what: LIVE, expires_in: 10 * 86_400 }, token);
    for (const file of ['clip.mp4', 'snapshot.jpg', 'vod/index.m3u8'])
      assert.equal(await status(`${link.url}/${file}`), 200);
    at.clock.advance(7 * 86_400);
    nvr.received.splice(0);
    for (const file of ['clip.mp4', 'snapshot.jpg', 'vod/index.m3u8', 'vod/seg-1.m4s'])
      assert.equal(await status(`${link.url}/${file}`), 404, file);
    assert.equal(await status(link.url), 404);
    assert.deepEqual(asked(), []);
    assert.equal(await status(`${live.url}/snapshot.jpg`), 200);
    at.clock.advance(-7 * 86_400);
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'viewer' }), 200);
    tokens.clear();
  });

  it('for longer than a day by a session that was stolen: it asks for a proof again; an API token is asked for none', async () => {
    const [session, fresh] = [await at.logIn(VERA), await at.logIn(VERA)];
    const wanted = { name: 'ha', role: 'viewer', cameras: ['cam1'] };
    const token = ((await (await sendJson(at, '/api/tokens', wanted, fresh)).json()) as { token: string }).token;
    const week = { what: LIVE, expires_in: 7 * 86_400 };
    at.clock.advance(601);
    const refused = await ask(week, session);
    assert.equal(((await refused.json()) as { reason: string }).reason, 'reauthentication-required');
    assert.equal((await ask({ what: LIVE, expires_in: 86_400 }, session)).status, 201);
    assert.equal((await ask({ what: LIVE }, session)).status, 201);
    assert.equal((await ask(week, token)).status, 201);
    const proof = await sendJson(at, '/api/reauthenticate', { password: VERA.password }, session);
    const again = firstCookie(proof).replace(/^[^=]*=/, '');
    assert.equal((await ask(week, again)).status, 201);
  });

  it('anything by a session that ends while the NVR is asked what the event is of', async (t) => {
    const answerAsBefore = nvr.answer;
    t.after(() => {
      nvr.answer = answerAsBefore;
    });
    const held = Promise.withResolvers<() => void>();
    nvr.answer = (request, response, received) => {
      const answer = (): unknown => answerAsBefore(request, response, received);
      if (request.url === '/api/events/17.5-front') held.resolve(() => void answer());
      else answer();
    };
    const token = await at.logIn(MAKER);
    const links = async (): Promise<unknown> => (await at.ask('/api/links', { token: await at.logIn(MAKER) })).json();
    const before = await links();
    const asked = ask({ what: EVENT }, token);
    const letGo = await held.promise;
    assert.ok((await at.ask('/api/logout', { method: 'POST', token })).status < 400);
    nvr.answer = answerAsBefore;
    letGo();
    assert.equal((await asked).status, 401);
    assert.deepEqual(await links(), before);
  });

  it('anything by who may not export, nor by nobody', async () => {
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'mute' }), 200);
    tokens.delete(MAKER);
    assert.equal((await ask({ what: LIVE }, MAKER)).status, 403);
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'viewer' }), 200);
    assert.equal((await sendJson(at, '/api/links', { what: LIVE })).status, 401);
    const internal = await fetch(`${at.internalUrl}/api/links`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ what: LIVE }),
    });
    assert.equal(internal.status, 403);
  });
});

describe('By a link nobody reaches', () => {
  const reach = async (path: (link: Made) => string, expected = 404): Promise<void> => {
    const link = await made();
    const { status: got } = await rawRequest(
      at.port,
      `GET ${path(link)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(got, expected);
    assert.deepEqual(asked(), []);
  };
  const changed = ({ secret }: Made): string => `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
  // biome-ignore format: a table
  const rows: readonly (readonly [what: string, path: (link: Made) => string, status?: number])[] = [
    ['anything with another secret',                 (link) => `/s/${changed(link)}/clip.mp4`],
    ['anything with a part of the secret',           ({ secret }) => `/s/${secret.slice(0, -1)}/clip.mp4`],
    ['anything with more than the secret',           ({ secret }) => `/s/${secret}A/clip.mp4`],
    ['anything with the id of the link',             ({ id }) => `/s/${id}/clip.mp4`],
    ['anything in other letters',                    ({ secret }) => `/S/${secret}/clip.mp4`],
    ['a file that it does not have',                 ({ url }) => `${url}/latest.jpg`],
    ['the live picture by an event',                 ({ url }) => `${url}/live`],
    ['what every object has',                        ({ url }) => `${url}/constructor`],
    ['a path of the NVR',                            ({ url }) => `${url}/api/config`],
    ['another event by dots',                        ({ url }) => `${url}/../18.5-back/clip.mp4`,           400],
    ['another event by encoded dots',                ({ url }) => `${url}/%2e%2e/18.5-back/clip.mp4`,       400],
    ['another event by an encoded slash',            ({ url }) => `${url}/clip.mp4%2f..%2f..%2fconfig`,     400],
    ['another event by a double encoding',           ({ url }) => `${url}/%252e%252e/config`,               400],
    ['anything by an empty segment',                 ({ url }) => `${url}//clip.mp4`,                       400],
    ['anything by a backslash',                      ({ url }) => `${url}\\clip.mp4`,                       400],
    ['a parameter of the video module',              ({ url }) => `${url}/vod/clipFrom/0/index.m3u8`],
    ['a list of the video module',                   ({ url }) => `${url}/vod/,18.5-back,.urlset`],
    ['a file with a slash at its end',               ({ url }) => `${url}/clip.mp4/`],
  ];
  for (const [what, path, expected] of rows) it(what, () => reach(path, expected));

  it('another camera by a query: none of it is passed on', async () => {
    const { url } = await made({ what: { snapshot: { camera: 'cam1' } } });
    assert.equal(await status(`${url}/snapshot.jpg?camera=cam2&cameras=cam2&src=cam2&event=18.5-back&h=9`), 200);
    assert.deepEqual(asked(), ['GET /api/cam1/latest.jpg']);
  });

  it('anything by trying secrets at speed: 60 a minute from one address, below a link as well as at its page', async () => {
    const from = newAddress();
    const statuses: number[] = [];
    for (let guess = 0; guess < 70; guess += 1)
      statuses.push(await status(`/s/${String(guess).padStart(43, 'x')}/clip.mp4`, {}, from));
    assert.deepEqual([statuses.indexOf(429), new Set(statuses).size], [60, 2]);
    assert.equal(await status(`${(await made()).url}/clip.mp4`), 200, 'from another address');
  });

  it('another method than GET and HEAD', async () => {
    const { url } = await made();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal(await status(`${url}/clip.mp4`, { method }), 404, method);
    assert.deepEqual(asked(), []);
  });

  it('a WebSocket below it', async () => {
    const { url } = await made({ what: LIVE });
    for (const path of [url, `${url}/live`, `${url}/ws`]) {
      const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`);
      const [error] = (await once(socket, 'error')) as [Error];
      assert.match(error.message, /404/);
    }
    assert.deepEqual(asked(), []);
  });

  it('an own route or the account of its maker', async () => {
    const { secret, url } = await made();
    const page = await visit(url);
    const headers = { cookie: firstCookie(page), authorization: `Bearer ${secret}` };
    for (const path of ['/api/profile', '/api/links', '/api/tokens', '/api/events', '/api/events/17.5-front/clip.mp4'])
      assert.equal(await status(path, { headers }), 401, path);
    assert.deepEqual(asked(), []);
  });

  it('anything by asking a proxy for it: /auth says no to what stands below a link', async () => {
    const { url } = await made();
    const described = { 'x-original-url': `https://x${url}/clip.mp4`, 'x-original-method': 'GET' };
    assert.ok([401, 403, 404].includes(await status('/auth', { headers: described })));
  });
});

describe('The uses of a link', () => {
  it('are so many viewers, also when all come at once', async () => {
    const link = await made({ what: EVENT, uses: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => status(`${link.url}/clip.mp4`)));
    assert.equal(answers.filter((code) => code === 200).length, 3);
    assert.equal(answers.filter((code) => code === 404).length, 9);
    assert.equal(asked().length, 3);
  });

  it('are one for the ranges, the picture and the page of one viewer within an hour, and burn then', async () => {
    const link = await made({ what: EVENT, uses: 1 });
    const from = newAddress();
    const range = { headers: { range: 'bytes=0-99' } };
    const many = await Promise.all(Array.from({ length: 8 }, () => status(`${link.url}/clip.mp4`, range, from)));
    assert.deepEqual(new Set(many), new Set([206]));
    at.clock.advance(3500);
    assert.equal(await status(`${link.url}/snapshot.jpg`, {}, from), 200);
    assert.equal(await status(link.url, {}, from), 200);
    at.clock.advance(100);
    nvr.received.splice(0);
    assert.equal(await status(`${link.url}/clip.mp4`, range, from), 404);
    assert.equal(await status(link.url, {}, from), 404);
    assert.deepEqual(asked(), []);
  });

  it('are not used up by a look at the page, nor by HEAD; a viewer with its cookie may change the network', async () => {
    const link = await made({ what: EVENT, uses: 1 });
    assert.equal(await status(link.url), 200);
    assert.equal(await status(`${link.url}/clip.mp4`, { method: 'HEAD' }), 200);
    const cookie = firstCookie(await visit(link.url));
    assert.equal(await status(`${link.url}/clip.mp4`, { headers: { cookie } }), 200);
    assert.equal(await status(`${link.url}/clip.mp4`, { headers: { cookie } }), 200);
    assert.equal(await status(`${link.url}/clip.mp4`, { method: 'HEAD' }), 404);
    const other = await made({ what: EVENT, uses: 1 });
    assert.equal(await status(`${other.url}/clip.mp4`), 200);
    assert.equal(await status(`${other.url}/clip.mp4`, { headers: { cookie } }), 404, 'the cookie of another link');
  });

  it('are told to its maker, with when and from where', async () => {
    const link = await made({ what: EVENT, name: 'for the police', notify_on_open: true });
    await status(`${link.url}/clip.mp4`, { headers: { 'user-agent': 'Police/1' } }, '203.0.113.7');
    const list = (await (await at.ask('/api/links', { token: await tokenOf(VERA) })).json()) as Record<
      string,
      unknown
    >[];
    const { openings, ...mine } = list.find(({ id }) => id === link.id) ?? {};
    const now = Math.floor(at.clock.now() / 1000);
    assert.deepEqual(openings, [{ at: now, address: '203.0.113.7', agent: 'Police/1' }]);
    assert.deepEqual([mine['state'], mine['opened'], mine['name']], ['active', 1, 'for the police']);
    assert.ok(!JSON.stringify(list).includes(link.secret));
    const others = (await (await at.ask('/api/links', { token: await tokenOf(CARL) })).json()) as unknown[];
    assert.deepEqual(others, []);
    assert.equal(await revoke(link, CARL), 404);
    const told = async () => (await at.ask('/api/account/events', { token: await tokenOf(VERA) })).text();
    await until('the first opening is told', async () => (await told()).includes('link-first-opened'));
  });
});

describe('A PIN', () => {
  const give = (url: string, pin: string, from?: string): Promise<Response> =>
    visit(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ pin }) },
      from,
    );
  const form = (url: string, pin: string, headers: Record<string, string> = {}): Promise<Response> =>
    visit(url, { method: 'POST', headers, body: new URLSearchParams({ pin }) });

  it('is asked for by the page and by each file, and opens that link alone', async () => {
    const [one, other] = [
      await made({ what: EVENT, pin: '0815', name: 'secret name' }),
      await made({ what: EVENT, pin: '0815' }),
    ];
    const page = await (await visit(one.url)).text();
    assert.ok(page.includes('name="pin"') && !page.includes('secret name') && !page.includes('cam1'));
    assert.equal(await status(`${one.url}/clip.mp4`), 403);
    assert.equal((await give(one.url, '0816')).status, 403);
    assert.deepEqual(asked(), []);
    const right = await form(one.url, '0815', { origin: at.url });
    assert.deepEqual([right.status, right.headers.get('location')], [303, one.url]);
    assert.match(
      right.headers.getSetCookie()[0] ?? '',
      new RegExp(`^postern_link=[\\w.-]+; HttpOnly; Max-Age=86400; Path=${one.url}; SameSite=lax`),
    );
    const headers = { cookie: firstCookie(right) };
    assert.equal(await status(`${one.url}/clip.mp4`, { headers }), 200);
    assert.equal(await status(`${other.url}/clip.mp4`, { headers }), 403, 'the same PIN at another link');
    const forged = { cookie: `${headers.cookie.slice(0, -1)}${headers.cookie.endsWith('A') ? 'B' : 'A'}` };
    assert.equal(await status(`${one.url}/clip.mp4`, { headers: forged }), 403);
    at.clock.advance(86_400);
    assert.equal(await status(`${one.url}/clip.mp4`, { headers }), 404);
  });

  it('is guessed a few times a minute, from however many addresses, and fifty times in all', async () => {
    const link = await made({ what: EVENT, pin: '0815', expires_in: 20 * 86_400 }, await at.logIn(VERA));
    const guesses = await Promise.all(Array.from({ length: 30 }, (_, guess) => give(link.url, String(1000 + guess))));
    assert.deepEqual(
      guesses.map(({ status: code }) => code).filter((code) => code !== 429),
      [403, 403, 403, 403, 403],
    );
    assert.equal((await give(link.url, '0815')).status, 429, 'the right one too');
    for (let tries = 5; tries < 50; tries += 1) {
      at.clock.advance(1800);
      assert.equal((await give(link.url, String(2000 + tries))).status, 403);
    }
    at.clock.advance(86_400);
    assert.equal((await give(link.url, '0815')).status, 404);
    assert.deepEqual(asked(), []);
  });

  it('is guessed at few links from one address', async () => {
    const links = await Promise.all(Array.from({ length: 7 }, () => made({ what: EVENT, pin: '0815' })));
    const answers: number[] = [];
    for (const { url } of links) answers.push((await give(url, '9999', '198.51.100.9')).status);
    assert.deepEqual(answers, [403, 403, 403, 403, 403, 429, 429]);
  });

  it('is taken from no form of another site', async () => {
    const link = await made({ what: EVENT, pin: '0815' });
    for (const origin of ['https://evil.example', 'null']) {
      const answer = await form(link.url, '0815', { origin, 'sec-fetch-site': 'cross-site' });
      assert.deepEqual([answer.status, answer.headers.getSetCookie()], [403, []], origin);
    }
  });
});

describe('A link ends', () => {
  const streamOf = async ({ url }: Made): Promise<IncomingMessage> => {
    const request = get(`${at.url}${url}/live`);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    await once(response, 'data');
    return response;
  };
  const ended = async (stream: IncomingMessage): Promise<void> => {
    await until('the stream ends', () => stream.destroyed || stream.closed);
  };
  /** The end is proved for the next request, and for a stream under way: not each time, because streams are looked at once a second. */
  const endsBy = async (
    act: (link: Made) => Promise<unknown>,
    expected: number,
    { by = VERA, withStream = false }: { readonly by?: Person | string; readonly withStream?: boolean } = {},
  ): Promise<void> => {
    const link = await made({ what: LIVE }, by);
    const stream = withStream ? await streamOf(link) : undefined;
    await act(link);
    if (stream) await ended(stream);
    nvr.received.splice(0);
    assert.equal(await status(`${link.url}/snapshot.jpg`), expected);
    assert.equal(await status(`${link.url}/live`, { method: 'HEAD' }), expected);
    assert.equal(await status(link.url), 404);
    assert.deepEqual(asked(), []);
  };

  it('when it is revoked, in the middle of a stream', () =>
    endsBy(async (link) => assert.equal(await revoke(link), 200), 404, { withStream: true }));

  it('when it is revoked while the NVR has not answered: its visitor is told what every later one is', async (t) => {
    const link = await made({ what: LIVE });
    const answerAsBefore = nvr.answer;
    t.after(() => {
      nvr.answer = answerAsBefore;
    });
    nvr.answer = () => {};
    const visited = visit(`${link.url}/snapshot.jpg`);
    await until('the NVR is asked', () => asked().length > 0);
    assert.equal(await revoke(link), 200);
    const [answer, later] = [await visited, await visit(`${link.url}/snapshot.jpg`)];
    assert.deepEqual([answer.status, await answer.text()], [404, await later.text()]);
  });

  it('at the second of its end, and a clock that is set back does not bring it back', async () => {
    const link = await made({ what: LIVE, expires_in: 600 });
    const stream = await streamOf(link);
    at.clock.advance(599);
    assert.equal(await status(`${link.url}/snapshot.jpg`), 200);
    at.clock.advance(1);
    await ended(stream);
    nvr.received.splice(0);
    assert.equal(await status(`${link.url}/snapshot.jpg`), 404);
    at.clock.advance(-3);
    assert.equal(await status(`${link.url}/snapshot.jpg`), 404);
    at.clock.advance(3);
    assert.deepEqual(asked(), []);
  });

  it('before it was made, by a clock that is set back further', async () => {
    const link = await made();
    at.clock.advance(-3600);
    assert.equal(await status(`${link.url}/clip.mp4`), 404);
    at.clock.advance(3600);
    assert.deepEqual(asked(), []);
  });

  it('when its maker may no longer export, or has another role without the camera', async () => {
    await endsBy(() => asAdmin('/api/users/maker/role', 'PUT', { role: 'mute' }), 404, { by: await at.logIn(MAKER) });
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'viewer' }), 200);
    const back = await made({ what: { live: { camera: 'cam2' } } }, await at.logIn(MAKER));
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'front_only' }), 200);
    assert.equal(await status(`${back.url}/snapshot.jpg`), 404);
    assert.deepEqual(asked(), []);
  });

  it('when the cameras of its maker shrink', async () => {
    assert.equal(await asAdmin('/api/roles/yard', 'PUT', { cameras: ['cam1'] }), 200);
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'yard' }), 200);
    const { url } = await made({ what: { snapshot: { camera: 'cam1' } } }, await at.logIn(MAKER));
    await endsBy(() => asAdmin('/api/roles/yard', 'PUT', { cameras: ['cam2'] }), 404, { by: await at.logIn(MAKER) });
    const told = await (await visit(`${url}/snapshot.jpg`)).text();
    assert.doesNotMatch(told, /cam1|yard|maker/, 'the visitor does not know the camera by its name');
  });

  it('while the account of its maker has no validity, and works again with it', async () => {
    const now = Math.floor(at.clock.now() / 1000);
    const validity = (until: number | null) => asAdmin('/api/users/maker/validity', 'PUT', { valid_until: until });
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'viewer' }), 200);
    const link = await made({ what: LIVE }, await at.logIn(MAKER));
    assert.equal(await validity(now + 60), 200);
    at.clock.advance(61);
    assert.equal(await status(`${link.url}/snapshot.jpg`), 404);
    assert.deepEqual(asked(), []);
    assert.equal(await validity(null), 200);
    assert.equal(await status(`${link.url}/snapshot.jpg`), 200);
  });

  it('with its maker, and does not come back with a new user of that name', async () => {
    assert.equal(await asAdmin('/api/users/maker/role', 'PUT', { role: 'viewer' }), 200);
    await endsBy(
      async () => {
        const proven = await at.logIn(ADMIN_PERSON);
        assert.equal(await asAdmin('/api/users/maker', 'DELETE'), 200);
        at.clock.advance(2);
        const again = { username: MAKER.name, password: MAKER.password, role: 'admin' };
        assert.equal((await sendJson(at, '/api/users', again, proven)).status, 200);
      },
      404,
      { by: await at.logIn(MAKER), withStream: true },
    );
  });

  it('with the API token that made it', async () => {
    const token = await tokenOf(ADMIN_PERSON);
    const answer = await sendJson(at, '/api/reauthenticate', { password: ADMIN_PERSON.password }, token);
    assert.equal(answer.status, 200);
    const fresh = await at.logIn(ADMIN_PERSON);
    const { id, token: text } = (await (
      await sendJson(at, '/api/tokens', { name: 'ha', role: 'viewer', cameras: ['cam1'] }, fresh)
    ).json()) as Record<string, string>;
    assert.equal((await ask({ what: { live: { camera: 'cam2' } } }, text ?? '')).status, 403);
    await endsBy(() => at.ask(`/api/tokens/${id}`, { method: 'DELETE', token: fresh }), 404, { by: text ?? '' });
  });

  it('by the clock, when that API token does: a stream that is open looks again then', async () => {
    const thing = { kind: 'live', camera: 'cam1' } as const;
    const token = { kind: 'api-token', tokenId: 't', expiresAt: 700 } as const;
    const user = MAKER.name as UserName;
    const owner = { name: user, role: VIEWER, scope: ALL_CAMERAS, changesAt: 800, credential: token };
    const unused = async () => undefined;
    const store = { accounts: { findUser: unused } } as unknown as GrantServices['store'];
    const rules = {
      roles: assert.fail,
      authEnabled: true,
      owesFactor: () => false,
      clock: at.clock,
      grants: createGrantMemory({ store, clock: at.clock, grace: createStoreGrace() }),
    };
    const maker = { user, userCreatedAt: 1, tokenId: 't', role: VIEWER };
    const now = await createMakers({ ...rules, callerOfToken: async () => owner })(maker);
    assert.ok(now);
    assert.equal(callerEnd(linkCaller({ id: 'a', thing, expiresAt: 900 }, now)), 700);
  });
});

describe('The secret of a link', () => {
  it('and what it shows stay out of caches, frames and other sites', async () => {
    const link = await made({ what: EVENT, name: '<b>name</b>' });
    const page = await visit(link.url);
    const html = await page.text();
    const of = (answer: Response, names: readonly string[]) => names.map((name) => answer.headers.get(name));
    assert.deepEqual(of(page, ['cache-control', 'referrer-policy', 'x-robots-tag']), [
      'no-store',
      'no-referrer',
      'noindex, nofollow',
    ]);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    assert.ok(html.includes('&lt;b&gt;name&lt;/b&gt;') && !html.includes('<script') && !html.includes('og:image'));
    const file = await visit(`${link.url}/snapshot.jpg`);
    await file.arrayBuffer();
    const names = ['cache-control', 'referrer-policy', 'x-robots-tag', 'content-security-policy', 'set-cookie'];
    assert.deepEqual(of(file, names), [
      'private, no-store',
      'no-referrer',
      'noindex, nofollow',
      "sandbox; frame-ancestors 'none'",
      null,
    ]);
    const asking = await visit((await made({ what: EVENT, pin: '0815' })).url);
    assert.equal(asking.headers.get('referrer-policy'), 'strict-origin');
  });

  it('reaches no log, no audit line, no metric, no explanation and no header of the NVR', async () => {
    const token = await tokenOf(ADMIN_PERSON);
    const { url } = await made();
    await status(url, { headers: { referer: `${at.url}${url}` } });
    await status(`${url}/clip.mp4`, { headers: { referer: `${at.url}${url}` } });
    await status(`${url}/none`);
    const odd = `${url.replace('/s/', '/%73/').slice(0, -1)}%${url.charCodeAt(url.length - 1).toString(16)}`;
    await status(odd);
    await status(`${odd}/clip.mp4`);
    assert.equal(JSON.stringify(at.log).includes(url.slice(3, -1)), false);
    const explained = await at.ask(`/api/explain?method=GET&path=${encodeURIComponent(`${url}/clip.mp4`)}`, { token });
    const explanation = await explained.text();
    assert.match(explanation, /"verdict":"admitted"/);
    const metrics = await (await fetch(`${at.telemetryUrl}/metrics`)).text();
    const told = JSON.stringify([at.log, metrics, explanation, nvr.received]);
    assert.deepEqual(
      secrets.filter((secret) => told.includes(secret)),
      [],
    );
    assert.ok(told.includes('link-opened') && told.includes('link-created') && told.includes('link-revoked'));
  });
});

describe('A link to an event of the database of the NVR', () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-links-'));
  const file = join(directory, 'frigate.db');
  const rows = [
    { id: '1790000001.5-whole', camera: 'cam1', has: 1 },
    { id: '1790000002.5-bare', camera: 'cam1', has: 0 },
    { id: '1790000003.5-back', camera: 'cam2', has: 1 },
  ] as const;
  const [whole, bare, back] = rows.map(({ id }) => ({ event: id }));
  before(async () => {
    copyFileSync(nvrDatabaseFile(), file);
    for (const { id, camera } of rows) EVENTS[id] = camera;
    const database = new DatabaseSync(file);
    const ids = database.prepare('select id from event limit 3').all();
    const change = database.prepare('update event set id = ?, camera = ?, has_clip = ?, has_snapshot = ? where id = ?');
    for (const [index, { id, camera, has }] of rows.entries())
      change.run(id, camera, has, has, String(ids[index]?.['id']));
    database.close();
    const events = { source: 'nvr-database', nvr_database: file };
    assert.equal((await at.reload({ ...CONFIG, events })).isTaken, true);
    // The events backend starts beside the service.
    const token = await tokenOf(VERA);
    await until('it answers', async () => (await at.ask('/api/events?limit=1', { token })).status === 200);
    nvr.received.splice(0);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('knows its camera from there, shows what the event has, and gets the files from the NVR', async () => {
    const { url } = await made({ what: whole });
    const page = await (await visit(url)).text();
    assert.ok(page.includes(`${url}/snapshot.jpg`) && page.includes(`${url}/clip.mp4`), page);
    for (const name of ['thumbnail.jpg', 'snapshot.jpg', 'clip.mp4', 'vod/index.m3u8'])
      assert.equal(await status(`${url}/${name}`), 200, name);
    assert.deepEqual(asked(), [
      'GET /api/events/1790000001.5-whole/thumbnail.jpg',
      'GET /api/events/1790000001.5-whole/snapshot.jpg',
      'GET /api/events/1790000001.5-whole/clip.mp4',
      'GET /vod/event/1790000001.5-whole/index.m3u8',
    ]);
    const other = await (await visit((await made({ what: bare })).url)).text();
    assert.ok(!other.includes('clip.mp4') && !other.includes('snapshot.jpg'));
  });

  it('is made and opened by the camera that stands there: not of another camera, not of an unknown event', async () => {
    assert.equal((await ask({ what: back }, CARL)).status, 403);
    assert.equal((await ask({ what: { event: '1790000009.5-none' } }, CARL)).status, 403);
    assert.equal((await ask({ what: { event: '1790000009.5-none' } }, VERA)).status, 400);
    const link = await made({ what: whole }, CARL);
    assert.equal(await status(`${link.url}/clip.mp4`), 200);
    nvr.received.splice(0);
    assert.equal(await status(`${link.url}/vod/../../${rows[2].id}/clip.mp4`), 404);
    assert.deepEqual(asked(), []);
  });

  it('says that there is no picture or clip, where the NVR is away and the event has none', async () => {
    const [full, empty] = [await made({ what: whole }), await made({ what: bare })];
    const events = { source: 'nvr-database', nvr_database: file };
    const nowhere = { url: 'http://127.0.0.1:9', cameras: ['cam1', 'cam2'] };
    assert.equal((await at.reload({ ...CONFIG, events, nvr: nowhere })).isTaken, true);
    for (const [name, expected] of [
      ['snapshot.jpg', 404],
      ['clip.mp4', 404],
      ['vod/index.m3u8', 404],
      ['preview.gif', 502],
    ] as const) {
      assert.equal(await status(`${full.url}/${name}`), 502, name);
      assert.equal(await status(`${empty.url}/${name}`), expected, name);
    }
    assert.match(await (await visit(`${empty.url}/clip.mp4`)).text(), /has no such picture or clip/);
  });
});
