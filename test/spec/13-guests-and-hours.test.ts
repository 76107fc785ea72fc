/** Guests before, in and after their time, and roles outside their hours: what the NVR did not get is the proof (SPEC 13). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { unixSeconds } from '../../src/domain/clock.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const GUEST: Person = { name: 'greta', role: 'viewer', password: 'CobaltPassw0rd!!' };
const CLEANER: Person = { name: 'clara', role: 'cleaner', password: 'NickelPassw0rd!!' };
/** Monday, 11:00 in Berlin: the cleaner's role is open from 07:00 to 18:00. */
const MONDAY = Date.parse('2026-11-23T10:00:00Z');
const HOUR = 3600;

let nvr: FakeNvr;
let at: Runtime;
let admin: string;

before(async () => {
  nvr = await startFakeNvr();
  nvr.answer = (request, response) => {
    if (request.url === '/api/config') return void response.end('{"cameras":{"cam1":{},"cam2":{}}}');
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace' }).write('begun');
    if (request.url !== '/api/cam1') response.end();
  };
  at = await startInstance({
    clock: movableClock(MONDAY),
    config: {
      nvr: { url: nvr.url },
      events: { source: 'nvr' },
      auth: {
        timezone: 'Europe/Berlin',
        session_length: 30 * 86_400,
        trusted_proxies: ['127.0.0.1'],
        roles: { cleaner: { cameras: ['cam1'], hours: ['Mon-Fri 07:00-18:00'] } },
      },
    },
    people: [ADMIN_PERSON, VERA, CLEANER],
  });
  admin = await at.logIn(ADMIN_PERSON);
});
after(async () => {
  await at.close();
  await nvr.close();
});

/** The gate's own questions have no request id. */
const forwarded = (): string[] =>
  nvr.received.filter(({ headers }) => headers.some(([name]) => name === 'x-request-id')).map(({ target }) => target);

const now = (): number => unixSeconds(at.clock);

async function asAdmin(
  method: string,
  path: string,
  body: object = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  const answer = await at.ask(path, {
    method,
    token: admin,
    headers: { 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

const logInAs = (person: Pick<Person, 'name' | 'password'>): Promise<Response> =>
  at.ask('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: person.name, password: person.password }),
  });

const byForm = (person: Person, language: string): Promise<Response> =>
  at.ask('/login', {
    method: 'POST',
    headers: { origin: at.url, 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
    body: new URLSearchParams({ user: person.name, password: person.password }),
  });

/** Every way in at once: a request, the question of a proxy, a token, a navigation. */
async function statusesOf(token: string, apiToken: string): Promise<Record<string, number>> {
  const asked = (path: string, headers: Record<string, string> = {}, bearer = token) =>
    at.ask(path, { token: bearer, headers }).then((answer) => answer.text().then(() => answer.status));
  const of = { 'x-original-url': `${at.url}/api/cam1/latest.jpg`, 'x-original-method': 'GET' };
  return {
    request: await asked('/api/cam1/latest.jpg'),
    question: await asked('/auth', of),
    itself: await asked('/auth'),
    'API token': await asked('/api/cam1/latest.jpg', {}, apiToken),
    page: await asked('/review', { accept: 'text/html' }),
    'own route': await asked('/api/sessions'),
    profile: await asked('/api/profile'),
  };
}
const all = (status: number, more: object = {}) => ({
  request: status,
  question: status,
  itself: status,
  'API token': status,
  page: status,
  'own route': status,
  profile: status,
  ...more,
});

/** A picture that never ends, a WebSocket that is judged, and one that is not. */
async function openStreams(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const asked = get(`${at.url}/api/cam1`, { headers });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).resume();
  const socket = async (path: string) => {
    const opened = new WebSocket(`ws://127.0.0.1:${at.port}${path}`, { headers });
    await once(opened, 'open');
    return opened;
  };
  const sockets = [await socket('/ws'), await socket('/live/jsmpeg/cam1')];
  const ended = Promise.all([
    new Promise((resolve) => answer.once('close', resolve)),
    ...sockets.map((opened) => once(opened, 'close')),
  ]);
  const areOpen = () => !answer.destroyed && sockets.every(({ readyState }) => readyState === WebSocket.OPEN);
  return { areOpen, codes: ended.then(([, ...closed]) => closed.map(([code]) => code)) };
}

async function apiTokenOf(person: Person, session: string): Promise<string> {
  // A fresh login is a proof by itself.
  const made = await at.ask('/api/tokens', {
    method: 'POST',
    token: session,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: `of ${person.name}` }),
  });
  const { token } = (await made.json()) as { token?: string };
  return token ?? assert.fail(`no token: ${made.status}`);
}

describe('A guest', () => {
  it('is made by the API, is listed with its time, and others are as before', async () => {
    const times = { valid_from: now() + HOUR, valid_until: now() + 3 * HOUR };
    const { name: username, password, role } = GUEST;
    // biome-ignore format: a table
    const bad: readonly [body: object, status: number][] = [
      [{ valid_from: 'tomorrow' },                          422],
      [{ valid_until: 1.5 },                                422],
      [{ valid_until: -1 },                                 422],
      [{ valid_until: Date.now() },                         422],
      [{ valid_from: now() + 5, valid_until: now() + 5 },   400],
      [{ valid_until: now() },                              400],
    ];
    for (const [body, status] of bad)
      assert.equal((await asAdmin('POST', '/api/users', { username, password, role, ...body })).status, status);
    assert.equal((await asAdmin('POST', '/api/users', { username, password, role, ...times })).status, 200);
    const { json } = await asAdmin('GET', '/api/users');
    assert.deepEqual(json, [
      { username: 'admin', role: 'admin', role_source: 'postern', last_login_at: now() },
      { username: 'clara', role: 'cleaner', role_source: 'postern' },
      { username: 'greta', role: 'viewer', role_source: 'postern', ...times },
      { username: 'vera', role: 'viewer', role_source: 'postern' },
    ]);
  });

  it('is told before the time from when on, after the right password only', async () => {
    const early = await logInAs(GUEST);
    assert.equal(early.status, 403);
    assert.equal(early.headers.get('retry-after'), String(HOUR));
    assert.equal(early.headers.getSetCookie().length, 0);
    assert.deepEqual(await early.json(), {
      success: false,
      message: 'Your account may not be used yet. It may be used from 2026-11-23 12:00 (Europe/Berlin) on.',
      reason: 'account-not-begun',
      opens_at: now() + HOUR,
    });
    const stranger = await logInAs({ ...GUEST, password: 'not the password' });
    const nobody = await logInAs({ name: 'nobody', password: 'not the password' });
    assert.deepEqual([stranger.status, await stranger.json()], [nobody.status, await nobody.json()]);
    const form = await byForm(GUEST, 'de');
    assert.equal(form.status, 403);
    assert.match(
      await form.text(),
      /Ihr Konto ist noch nicht gültig\. Der Zugriff ist ab Montag, 23\.\u00A0November 2026 um\u00A012:00\u00A0MEZ möglich\./,
    );
    assert.ok(
      at.log.some(
        ({ what, reason, user, who }) =>
          what === 'login' && reason === 'account-not-begun' && (user ?? who) === 'greta',
      ),
    );
  });

  it('may do in its time what its role may; at the second of its end everything ends, open streams within a second', {
    timeout: 60_000,
  }, async () => {
    at.clock.advance(HOUR);
    const token = await at.logIn(GUEST);
    const apiToken = await apiTokenOf(GUEST, token);
    assert.deepEqual(await statusesOf(token, apiToken), all(200, { question: 202, itself: 202 }));
    const streams = await openStreams(token);
    const byToken = await openStreams(apiToken);
    at.clock.advance(2 * HOUR - 1);
    assert.deepEqual(await statusesOf(token, apiToken), all(200, { question: 202, itself: 202 }));
    assert.equal(streams.areOpen() && byToken.areOpen(), true);
    at.clock.advance(1);
    nvr.received.length = 0;
    assert.deepEqual(await statusesOf(token, apiToken), all(403, { profile: 401 }));
    const asked = performance.now();
    assert.deepEqual(await streams.codes, [4403, 4403]);
    assert.deepEqual(await byToken.codes, [4403, 4403]);
    // Two looks a second: a busy machine has some more.
    assert.ok(performance.now() - asked < 5000);
    assert.deepEqual(forwarded(), []);
    const late = await logInAs(GUEST);
    assert.deepEqual(
      [late.status, late.headers.get('retry-after'), await late.json()],
      [
        403,
        null,
        {
          success: false,
          message: 'Your account has ended: ask an administrator to extend it.',
          reason: 'account-ended',
        },
      ],
    );
  });

  it('is extended and ended by the API, and goes on with the session that it had', async () => {
    const { status } = await asAdmin('PUT', '/api/users/greta/validity', {
      valid_until: now() + HOUR,
      valid_from: null,
    });
    assert.equal(status, 200);
    const token = await at.logIn(GUEST);
    const listed = (await asAdmin('GET', '/api/users')).json as unknown as Record<string, unknown>[];
    assert.deepEqual(
      listed.find(({ username }) => username === 'greta'),
      { username: 'greta', role: 'viewer', role_source: 'postern', valid_until: now() + HOUR, last_login_at: now() },
    );
    const streams = await openStreams(token);
    assert.equal((await asAdmin('PUT', '/api/users/greta/validity', { valid_until: now() })).status, 200);
    assert.deepEqual(await streams.codes, [4403, 4403]);
    assert.equal((await at.ask('/api/profile', { token })).status, 401);
    assert.equal((await at.ask('/logout', { token, method: 'POST' })).status, 303);
    for (const [body, expected] of [
      [{ until: 1 }, 422],
      [{ valid_until: 'x' }, 422],
      [{ valid_from: now(), valid_until: now() - 5 }, 400],
    ] as const)
      assert.equal((await asAdmin('PUT', '/api/users/greta/validity', body)).status, expected);
    assert.equal((await asAdmin('PUT', '/api/users/nobody/validity', {})).status, 404);
    assert.ok(at.log.some(({ what, user }) => what === 'validity-changed' && user === 'greta'));
  });

  it('is never the last admin: one whose account lasts must stay', async () => {
    admin = await at.logIn(ADMIN_PERSON); // the proof of the first login is too old
    const boss = { username: 'boss', password: 'CopperPassw0rd!!', role: 'admin', valid_until: now() + HOUR };
    assert.equal((await asAdmin('POST', '/api/users', boss)).status, 200);
    assert.equal((await asAdmin('PUT', '/api/users/admin/validity', { valid_until: now() + HOUR })).status, 403);
    const token = await at.logIn({ name: 'boss', password: boss.password, role: 'admin' });
    assert.equal((await at.ask('/api/users', { token })).status, 200);
    assert.equal((await asAdmin('DELETE', '/api/users/boss')).status, 200);
  });

  it('gets an invitation that ends with the account, and none after its end', async () => {
    const until = now() + HOUR;
    const made = await asAdmin('POST', '/api/users/ivan/invitation', { role: 'viewer', valid_until: until });
    assert.deepEqual([made.status, made.json['expires_at']], [201, until]);
    const accept = (password: string) =>
      at.ask(String(made.json['url']), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ password }),
      });
    assert.equal((await asAdmin('PUT', '/api/users/ivan/validity', { valid_until: now() })).status, 200);
    assert.equal((await accept('SilverPassw0rd!!')).status, 404);
    assert.equal((await asAdmin('POST', '/api/users/ivan/invitation')).status, 400);
  });
});

describe('A role that is made in the console', () => {
  it('has limits as one in the file has, which stay when only its cameras are changed', async () => {
    const limits = { deny: ['talk'], hours: ['Sat 09:00-12:00'], history_since: '1d' };
    const put = (body: object) => asAdmin('PUT', '/api/roles/helper', body);
    const listed = async () =>
      ((await asAdmin('GET', '/api/roles')).json as unknown as { role: string }[]).find(
        ({ role }) => role === 'helper',
      );
    assert.equal((await put({ cameras: ['cam1'], ...limits })).status, 200);
    assert.deepEqual(await listed(), { role: 'helper', cameras: ['cam1'], source: 'store', users: 0, ...limits });
    const hana = { name: 'hana', password: 'HeliumPassw0rd!!', role: 'helper' };
    assert.equal((await asAdmin('POST', '/api/users', { ...hana, username: hana.name })).status, 200);
    assert.equal((await logInAs(hana)).status, 403);
    assert.equal((await put({ cameras: ['cam1', 'cam2'] })).status, 200);
    assert.deepEqual(await listed(), {
      role: 'helper',
      cameras: ['cam1', 'cam2'],
      source: 'store',
      users: 1,
      ...limits,
    });
    assert.equal((await put({ cameras: ['cam1'], hours: null, deny: ['live'] })).status, 200);
    const token = await at.logIn(hana);
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token })).status, 403);
    const old = `/vod/cam1/start/${now() - 86_401}/end/${now()}/x.m3u8`;
    assert.deepEqual(await (await at.ask(old, { token })).json(), {
      success: false,
      message: 'Your role does not see anything that old.',
      reason: 'history-too-old',
    });
    assert.equal((await at.ask(`/vod/cam1/start/${now() - 86_400}/end/${now()}/x.m3u8`, { token })).status, 200);
    // biome-ignore format: a table
    const bad: readonly [body: object, said: RegExp][] = [
      [{ hours: ['Mon 7-18'] },      /^The role helper: hours: "Mon 7-18" is not days with a span of hours: write/],
      [{ hours: 'Mon 07:00-18:00' }, /^The role helper: hours should be a list/],
      [{ deny: ['fly'] },            /^The role helper: deny: "fly" is not one of live, history, export, ptz, talk/],
      [{ history_since: 7 },         /^The role helper: history_since should be a text/],
      [{ history_since: 'ever' },    /^The role helper: history_since: "ever" does not say how far back/],
    ];
    for (const [body, said] of bad) {
      const { status, json } = await put({ cameras: ['cam1'], ...body });
      assert.equal(status, 400);
      assert.match(String(json['message']), said);
    }
  });
});

describe('A role with hours', () => {
  it('is refused at the second of its closing, with when it opens again; its streams end', {
    timeout: 60_000,
  }, async () => {
    // 14:00 in Berlin.
    const token = await at.logIn(CLEANER);
    const apiToken = await apiTokenOf(CLEANER, token);
    const streams = await openStreams(token);
    assert.deepEqual(await statusesOf(token, apiToken), all(200, { question: 202, itself: 202 }));
    at.clock.advance(Date.parse('2026-11-23T17:00:00Z') / 1000 - now() - 1);
    assert.deepEqual(await statusesOf(token, apiToken), all(200, { question: 202, itself: 202 }));
    assert.equal(streams.areOpen(), true);
    at.clock.advance(1);
    nvr.received.length = 0;
    assert.deepEqual(await statusesOf(token, apiToken), all(403, { profile: 401 }));
    assert.deepEqual(await streams.codes, [4403, 4403]);
    assert.deepEqual(forwarded(), []);
    const refused = await at.ask('/api/cam1/latest.jpg', { token });
    assert.deepEqual(
      [refused.status, refused.headers.get('retry-after'), await refused.json()],
      [
        403,
        String(13 * HOUR),
        {
          success: false,
          message: 'Your role may not be used at this time. It may be used from 2026-11-24 07:00 (Europe/Berlin) on.',
          reason: 'outside-hours',
          opens_at: Date.parse('2026-11-24T06:00:00Z') / 1000,
        },
      ],
    );
    const page = await at.ask('/review', { token, headers: { accept: 'text/html', 'accept-language': 'de' } });
    assert.match(
      await page.text(),
      /Ihre Rolle erlaubt zu dieser Zeit keinen Zugriff\. Der Zugriff ist ab Dienstag, 24\.\u00A0November 2026 um\u00A007:00\u00A0MEZ möglich\./,
    );
    assert.equal((await logInAs(CLEANER)).status, 403);
    const socket = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [403, String(13 * HOUR)]);
    at.clock.advance(13 * HOUR);
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token })).status, 200);
  });
});
