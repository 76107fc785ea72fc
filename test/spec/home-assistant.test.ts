/** The Home Assistant integration, replayed as it behaves: with a login, and with an API token instead of one. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { instanceInFront } from '../support/instance-in-front.ts';
import { VERA } from '../support/people.ts';
import { logInAt } from '../support/sessions.ts';
import { startInstance } from '../support/start-instance.ts';

const { instance, nvr } = await instanceInFront();

interface Answer {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly type: string | undefined;
  readonly text: string;
}

/** Every request carries a JSON body, GET too; that is why this is not `fetch`. */
function api(method: string, path: string, token?: string, body: object = {}): Promise<Answer> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: instance.port, method, path, headers: { ...headers, ...authorization } };
    const sent = request(options, async (answer) => {
      let received = '';
      for await (const chunk of answer) received += chunk;
      const { 'set-cookie': cookies = [], 'content-type': type } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, cookies, type, text: received });
    });
    sent.once('error', reject).end(text);
  });
}

/** As the integration takes it from the answer: the first Set-Cookie, the part that begins with this very name. */
async function logIn(): Promise<string> {
  const { status, cookies } = await api('POST', '/api/login', undefined, { user: VERA.name, password: VERA.password });
  assert.equal(status, 200);
  const parts = (cookies[0] ?? '').split(';').map((part) => part.trim());
  const [pair = assert.fail('the first Set-Cookie holds no frigate_token')] = parts.filter((part) =>
    part.startsWith('frigate_token='),
  );
  return pair.slice('frigate_token='.length);
}

const partOf = (token: string, at: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString());

describe('The integration with a user and a password', () => {
  it('finds the token in the first cookie: HS256, with a number for its end', async () => {
    const token = await logIn();
    assert.deepEqual(partOf(token, 0), { alg: 'HS256', typ: 'JWT' });
    const { exp } = partOf(token, 1);
    assert.equal(typeof exp, 'number');
    // Every holder of the secret can check it: the NVR's own clients do.
    const secret = readFileSync(join(instance.directory, '.jwt_secret'), 'utf8').trim();
    const [header, payload, signature] = token.split('.');
    const expected = createHmac('sha256', Buffer.from(secret, 'hex'))
      .update(`${header}.${payload}`)
      .digest('base64url');
    assert.equal(signature, expected);
  });

  it('calls what it calls at start and every five seconds, each GET with a body', async () => {
    const token = await logIn();
    nvr.received.length = 0;
    for (const path of ['/api/version', '/api/config', '/api/stats', '/api/events?limit=50&include_thumbnails=0']) {
      const { status, type } = await api('GET', path, token);
      assert.equal(status, 200, path);
      assert.match(type ?? '', path === '/api/version' ? /^text\/plain/ : /^application\/json/);
    }
    const seen = nvr.received.map(({ target, headers }) => [
      target,
      headers.filter(([name]) => ['authorization', 'cookie', 'remote-user', 'remote-role'].includes(name)),
    ]);
    const whoever = [
      ['remote-user', 'vera'],
      ['remote-role', 'viewer'],
    ];
    assert.deepEqual(seen, [
      ['/api/version', whoever],
      ['/api/config', whoever],
      ['/api/stats', whoever],
      ['/api/events?limit=50&include_thumbnails=0', whoever],
    ]);
  });

  it('may log in several times at once, for it has no lock', async () => {
    const tokens = await Promise.all([logIn(), logIn(), logIn(), logIn(), logIn(), logIn(), logIn(), logIn()]);
    for (const token of tokens) assert.equal((await api('GET', '/api/stats', token)).status, 200);
  });

  it('opens its live view with the same header', async () => {
    const headers = { authorization: `Bearer ${await logIn()}` };
    const live = new WebSocket(`ws://127.0.0.1:${instance.port}/live/mse/api/ws?src=cam1`, { headers });
    await once(live, 'open');
    live.terminate();
  });

  it('is told 401 and 403, and never sent to a page', async () => {
    const token = await logIn();
    const statuses = [];
    for (const [method, path, bearer] of [
      ['GET', '/api/stats', undefined],
      ['GET', '/api/stats', 'nonsense'],
      ['GET', '/api/version', 'nonsense'],
      ['GET', '/api/faces', token],
      ['POST', '/api/events/1700000000.1-a/retain', token],
    ] as const) {
      const { status, type } = await api(method, path, bearer);
      assert.match(type ?? '', /^application\/json/);
      statuses.push(status);
    }
    assert.deepEqual(statuses, [401, 401, 401, 403, 403]);
  });

  it('keeps its token over a restart of the service, for the secret stays', async () => {
    const token = await logIn();
    const { directory, clock } = instance;
    const again = await startInstance({ directory, people: [], clock, config: { nvr: { url: nvr.url } } });
    assert.equal((await again.ask('/api/profile', { token })).status, 200);
    await again.close();
  });
});

describe('The integration with an API token', () => {
  const made = async (body: object): Promise<{ id: string; token: string }> =>
    JSON.parse((await api('POST', '/api/tokens', await logIn(), body)).text);

  it('calls the same with it as bearer, and as the password of Basic', async () => {
    const { token } = await made({ name: 'Home Assistant', cameras: ['cam1'] });
    nvr.received.length = 0;
    assert.equal((await api('GET', '/api/version', token)).status, 200);
    const basic = `Basic ${Buffer.from(`whoever:${token}`).toString('base64')}`;
    assert.equal((await instance.ask('/api/version', { headers: { authorization: basic } })).status, 200);
    const shown = nvr.received.map(({ headers }) =>
      headers.filter(([name]) => name === 'authorization' || name.startsWith('remote-')),
    );
    const asVera = [
      ['remote-user', 'vera'],
      ['remote-role', 'viewer'],
    ];
    assert.deepEqual(shown, [asVera, asVera]);
  });

  it('sees the cameras of the token, and not those of its owner', async () => {
    const { token } = await made({ name: 'Home Assistant', cameras: ['cam1'] });
    nvr.received.length = 0;
    const pictures = ['/api/cam1/latest.jpg', '/api/cam2/latest.jpg'].map((path) => api('GET', path, token));
    assert.deepEqual(
      (await Promise.all(pictures)).map(({ status }) => status),
      [200, 403],
    );
    assert.deepEqual(
      nvr.received.map(({ target }) => target),
      ['/api/cam1/latest.jpg'],
    );
  });

  it('goes on with it where every user needs a second factor and its owner has none: only the login is closed', async (t) => {
    const strict = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    t.after(strict.close);
    const session = await strict.logIn(VERA);
    const headers = { 'content-type': 'application/json' };
    const made = await strict.ask('/api/tokens', { method: 'POST', token: session, headers, body: '{"name":"ha"}' });
    const { token } = (await made.json()) as { token: string };
    const changed = { nvr: { url: nvr.url, cameras: ['cam1'] }, auth: { second_factor: 'everyone' } };
    await strict.reload(changed);
    const statusOf = async (credential: string) => (await strict.ask('/api/version', { token: credential })).status;
    assert.deepEqual([await statusOf(session), await statusOf(token)], [403, 200]);
  });

  it('is never locked out of logging in by a program that tries a bad one for ever', async () => {
    const statuses = [];
    for (let times = 0; times < 12; times += 1) {
      statuses.push((await api('GET', '/api/stats', `pst_${'0'.repeat(16)}_${'0'.repeat(64)}`)).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429]);
    const { token } = await made({ name: 'Home Assistant' });
    assert.equal((await api('GET', '/api/stats', token)).status, 200, 'nor is a good token from the same address');
  });

  it('lets Basic passwords of others through to the NVR, where it is their business', async () => {
    nvr.received.length = 0;
    const cookie = `frigate_token=${await logIn()}`;
    await instance.ask('/api/version', { headers: { cookie, authorization: 'Basic eDp5' } });
    assert.deepEqual(nvr.lastHeader('authorization'), ['Basic eDp5']);
  });

  it('is believed by header alone when a browser page of another site makes the request', async () => {
    const { token } = await made({ name: 'x' });
    const put = (authorization: string) =>
      instance.ask('/api/tokens/none', {
        method: 'DELETE',
        headers: { authorization, origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' },
      });
    const basic = `Basic ${Buffer.from(`x:${token}`).toString('base64')}`;
    assert.deepEqual([(await put(`Bearer ${token}`)).status, (await put(basic)).status], [404, 403]);
  });
});

describe('An API token in front of an authentication proxy', () => {
  it('needs no proxy secret, in proxy mode as with accounts', async () => {
    for (const enabled of [true, false]) {
      const config = {
        auth: { enabled, hash_iterations: 1000 },
        proxy: { auth_secret: 'a-secret-of-the-proxy', header_map: { user: 'remote-user', role: 'remote-groups' } },
        nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
      };
      const proxied = await startInstance({ config });
      const secret = { 'x-proxy-secret': 'a-secret-of-the-proxy' };
      const credential = enabled
        ? { authorization: `Bearer ${await logInAt(proxied.url, VERA, secret)}` }
        : { 'remote-user': 'jörg'.normalize(), 'remote-groups': 'viewer' };
      const headers = { 'content-type': 'application/json', ...secret, ...latin1(credential) };
      const answer = await proxied.ask('/api/tokens', { method: 'POST', headers, body: '{"name":"ha"}' });
      assert.equal(answer.status, 201);
      const { token } = (await answer.json()) as { token: string };
      const profile = await proxied.ask('/api/profile', { token });
      const username = enabled ? 'vera' : 'jörg';
      assert.deepEqual(await profile.json(), { username, role: 'viewer', allowed_cameras: ['cam1', 'cam2'] });
      assert.equal((await proxied.ask('/api/profile', { token: `${token.slice(0, -1)}x` })).status, 401);
      await proxied.close();
    }
  });
});

/** Header bytes are UTF-8, which `fetch` takes as Latin-1 text. */
const latin1 = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]));
