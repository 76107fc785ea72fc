/** A session that is not renewed keeps nothing open: sockets, pictures and logs end with its latest token (SPEC 4.2). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { firstCookie, sessionIdOf } from '../support/sessions.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SESSION_LENGTH = 600;
const COOKIE = 'frigate_token';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
  nvr.answer = (request, response) => {
    if (request.url === '/api/config') return void response.end('{"cameras":{"cam1":{},"cam2":{}}}');
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace' }).write('begun');
  };
});
after(() => nvr.close());

async function started(t: TestContext): Promise<Runtime> {
  const instance = await startInstance({
    config: {
      nvr: { url: nvr.url },
      events: { source: 'nvr' },
      auth: { session_length: SESSION_LENGTH, refresh_time: 60, roles: {} },
    },
    people: [ADMIN_PERSON, VERA],
  });
  t.after(instance.close);
  return instance;
}

interface Open {
  readonly ended: Promise<unknown>;
  hasEnded(): boolean;
}

function watched(ended: Promise<unknown>): Open {
  let isOver = false;
  const end = ended.then((value) => {
    isOver = true;
    return value;
  });
  return { ended: end, hasEnded: () => isOver };
}

async function socketAt(instance: Runtime, path: string, cookie: string): Promise<Open> {
  const socket = new WebSocket(`ws://127.0.0.1:${instance.port}${path}`, { headers: { cookie } });
  await once(socket, 'open');
  return watched(once(socket, 'close').then(([code]) => code));
}

async function streamAt(instance: Runtime, path: string, cookie: string): Promise<Open> {
  const asked = get(`${instance.url}${path}`, { headers: { cookie } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).resume();
  return watched(new Promise((resolve) => answer.once('close', () => resolve('cut'))));
}

const cookieOf = async (instance: Runtime, person: Person): Promise<string> =>
  `${COOKIE}=${await instance.logIn(person)}`;

const PATHS = {
  sockets: ['/live/jsmpeg/cam1', '/live/jsmpeg/cam2', '/ws'],
  streams: ['/api/cam1', '/api/logs/frigate?stream=true'],
};

const openAll = (instance: Runtime, cookie: string): Promise<Open[]> =>
  Promise.all([
    ...PATHS.sockets.map((path) => socketAt(instance, path, cookie)),
    ...PATHS.streams.map((path) => streamAt(instance, path, cookie)),
  ]);

const renewed = async (instance: Runtime, cookie: string): Promise<string> => {
  const answer = await fetch(`${instance.url}/auth`, { headers: { cookie } });
  assert.equal(answer.status, 202);
  return firstCookie(answer);
};

const ids = async (instance: Runtime, cookie: string): Promise<string[]> => {
  const answer = await fetch(`${instance.url}/api/sessions`, { headers: { cookie } });
  return ((await answer.json()) as { id: string }[]).map(({ id }) => id);
};

describe('What a session holds open', { timeout: 300_000 }, () => {
  it('ends when the session is over', async (t) => {
    const instance = await started(t);
    const all = await openAll(instance, await cookieOf(instance, ADMIN_PERSON));
    instance.clock.advance(SESSION_LENGTH);
    assert.deepEqual(await Promise.all(all.map(({ ended }) => ended)), [4401, 4401, 4401, 'cut', 'cut']);
  });

  it('goes on when the session was renewed, though the renewed token is never shown, and ends with that', async (t) => {
    const instance = await started(t);
    const cookie = await cookieOf(instance, ADMIN_PERSON);
    const all = await openAll(instance, cookie);
    const unrenewed = await socketAt(instance, '/live/jsmpeg/cam1', await cookieOf(instance, VERA));
    instance.clock.advance(SESSION_LENGTH - 100);
    await renewed(instance, cookie);
    instance.clock.advance(200);
    assert.equal(await unrenewed.ended, 4401);
    assert.deepEqual(
      all.map((open) => open.hasEnded()),
      all.map(() => false),
    );
    instance.clock.advance(SESSION_LENGTH - 200);
    await Promise.all(all.map(({ ended }) => ended));
  });

  it('is ended by a logout with a token that is over, while a renewed one lives', async (t) => {
    const instance = await started(t);
    const cookie = await cookieOf(instance, ADMIN_PERSON);
    instance.clock.advance(SESSION_LENGTH - 100);
    const fresh = await renewed(instance, cookie);
    const all = await openAll(instance, fresh);
    instance.clock.advance(200);
    assert.equal((await fetch(`${instance.url}/api/profile`, { headers: { cookie } })).status, 401);
    const out = await fetch(`${instance.url}/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' });
    assert.equal(out.status, 303);
    await Promise.all(all.map(({ ended }) => ended));
    assert.equal((await fetch(`${instance.url}/api/profile`, { headers: { cookie: fresh } })).status, 401);
  });

  it('is ended by a logout with every cookie of the name that the browser shows', async (t) => {
    const instance = await started(t);
    const [one, other] = [await instance.logIn(VERA), await instance.logIn(VERA)];
    const cookie = `${COOKIE}=${one}; ${COOKIE}=${other}`;
    await instance.ask('/logout', { method: 'POST', headers: { cookie } });
    const asked = [one, other].map((token) => instance.ask('/api/profile', { token }));
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      [401, 401],
    );
  });

  it('is not ended by a forged token', async (t) => {
    const instance = await started(t);
    const cookie = await cookieOf(instance, ADMIN_PERSON);
    const [head, body] = cookie.split('.');
    await fetch(`${instance.url}/logout`, {
      method: 'POST',
      headers: { cookie: `${head}.${body}.AAAA` },
      redirect: 'manual',
    });
    assert.equal((await fetch(`${instance.url}/api/profile`, { headers: { cookie } })).status, 200);
  });

  it('can be ended by an admin for as long as it goes on: the renewed session is listed', async (t) => {
    const instance = await started(t);
    const cookie = await cookieOf(instance, VERA);
    const open = await socketAt(instance, '/live/jsmpeg/cam1', cookie);
    await fetch(`${instance.url}/api/profile`, { headers: { cookie } });
    instance.clock.advance(SESSION_LENGTH - 100);
    await renewed(instance, cookie);
    instance.clock.advance(200);
    const admin = await cookieOf(instance, ADMIN_PERSON);
    assert.ok((await ids(instance, admin)).includes(sessionIdOf(cookie)));
    const ended = await fetch(`${instance.url}/api/sessions/${sessionIdOf(cookie)}`, {
      method: 'DELETE',
      headers: { cookie: admin },
    });
    assert.equal(ended.status, 200);
    assert.equal(await open.ended, 4401);
  });
});
