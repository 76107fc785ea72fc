/** `POST /api/login` with an API token in the place of the password: a session that is worth exactly the token (SPEC 4.1, 4.4). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { enrolled, sendJson } from '../support/second-factor.ts';
import { sessionIn } from '../support/sessions.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

interface MadeToken {
  readonly id: string;
  readonly token: string;
}

const DAY = 86_400;

describe('An API token in the place of the password', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let admin: string;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, auth: { session_length: 30 * DAY } },
    });
  });
  beforeEach(async () => {
    instance.clock.advance(3600); // no failure counts any more
    admin = await instance.logIn(ADMIN_PERSON);
    nvr.received.length = 0;
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const make = async (more: object = {}, owner = ADMIN_PERSON): Promise<MadeToken> => {
    const session = owner === ADMIN_PERSON ? admin : await instance.logIn(owner);
    const body = { name: 'home assistant', role: owner.role, login: true, ...more };
    const made = await sendJson(instance, '/api/tokens', body, session);
    assert.equal(made.status, 201, await made.clone().text());
    return (await made.json()) as MadeToken;
  };
  const logIn = (user: string, password: string) => sendJson(instance, '/api/login', { user, password });
  const sessionOf = async ({ token }: MadeToken, { name } = ADMIN_PERSON): Promise<string> => {
    const answer = await logIn(name, token);
    assert.equal(answer.status, 200, await answer.text());
    return sessionIn(answer) ?? assert.fail('no session cookie');
  };
  const status = async (token: string, path: string, method = 'GET', body?: object): Promise<number> => {
    const text =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return (await instance.ask(path, { token, method, ...text })).status;
  };
  const person = async (name: string, role: string): Promise<Person> => {
    const password = 'GoldPassw0rd!!!';
    assert.equal(await status(admin, '/api/users', 'POST', { username: name, password, role }), 200);
    return { name, role, password };
  };

  it('gives a session that sees the cameras of the token, though its owner sees all', async () => {
    const session = await sessionOf(await make({ role: 'viewer', cameras: ['cam1'] }));
    const profile = (await (await instance.ask('/api/profile', { token: session })).json()) as object;
    assert.deepEqual(profile, { username: 'admin', role: 'viewer', allowed_cameras: ['cam1'] });
    assert.equal(await status(session, '/api/cam1/latest.jpg'), 200);
    nvr.received.length = 0;
    assert.equal(await status(session, '/api/cam2/latest.jpg'), 403);
    assert.equal(await status(session, '/api/restart', 'POST', {}), 403);
    assert.deepEqual(nvr.received, []);
  });

  it('works where everybody needs a second factor, and where its owner has one', async () => {
    const owner = await person('factored', 'viewer');
    const made = await make({}, owner);
    await enrolled(instance, owner);
    const session = await sessionOf(made, owner);
    assert.equal(await status(session, '/api/stats'), 200);
    assert.equal((await logIn(owner.name, owner.password)).status, 401);
  });

  it('is refused when it was not made for it, when it is of another person, and when it is none', async () => {
    const plain = await make({ login: false });
    const { token } = await make();
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    const attempts: [user: string, password: string, reason: string][] = [
      ['admin', plain.token, 'token-not-for-login'],
      [VERA.name, token, 'token-of-another'],
      ['nobody', token, 'bad-token'],
      ['admin', wrong, 'bad-token'],
    ];
    for (const [user, password, reason] of attempts) {
      const refused = await logIn(user, password);
      assert.deepEqual([refused.status, refused.headers.getSetCookie()], [401, []], reason);
      assert.deepEqual(await refused.json(), { success: false, message: 'Login failed' });
      const line = instance.log.findLast(({ what }) => what === 'login');
      assert.deepEqual([line?.['verdict'], line?.['reason']], ['refused', reason]);
    }
  });

  it('is limited as passwords are', async () => {
    const { token } = await make();
    for (let guess = 1; guess <= 5; guess += 1)
      assert.equal((await logIn('admin', `pst_${'0'.repeat(16)}_${'0'.repeat(64)}`)).status, 401);
    const limited = await logIn('admin', token);
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get('retry-after')) > 0);
    instance.clock.advance(3600);
    assert.equal((await logIn('admin', token)).status, 200);
  });

  it('is recorded as a login with the token, which was used then', async () => {
    const made = await make();
    await sessionOf(made);
    const line = instance.log.findLast(({ what }) => what === 'login');
    assert.deepEqual(
      [line?.['who'], line?.['credential'], line?.['verdict']],
      ['admin', `token:${made.id}`, 'allowed'],
    );
    const tokens = (await (await instance.ask('/api/tokens', { token: admin })).json()) as Record<string, unknown>[];
    const used = tokens.find(({ id }) => id === made.id);
    assert.deepEqual([used?.['login'], used?.['last_used_from']], [true, '127.0.0.1']);
  });

  it('ends with the token, also where a stream is open, and a logout ends the session alone', async () => {
    const made = await make();
    const [one, two] = [await sessionOf(made), await sessionOf(made)];
    const streamOf = async (session: string): Promise<WebSocket> => {
      const headers = { authorization: `Bearer ${session}` };
      const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/ws`, { headers });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    };
    const [second, first] = [await streamOf(two), await streamOf(one)];
    assert.equal((await instance.ask('/logout', { token: one, method: 'POST' })).status, 303);
    assert.deepEqual([await status(one, '/api/stats'), await status(two, '/api/stats')], [401, 200]);
    await until('the stream of the first has ended', () => first.readyState === WebSocket.CLOSED);
    assert.equal(second.readyState, WebSocket.OPEN);
    assert.equal(await status(admin, `/api/tokens/${made.id}`, 'DELETE'), 200);
    assert.equal(await status(two, '/api/stats'), 401);
    await until('the stream of the second has ended', () => second.readyState === WebSocket.CLOSED);
  });

  it('never outlives the token, and is not renewed', async () => {
    const end = Math.floor(instance.clock.now() / 1000) + DAY;
    const answer = await logIn('admin', (await make({ expires_at: end })).token);
    const session = sessionIn(answer) ?? assert.fail();
    assert.equal(JSON.parse(Buffer.from(session.split('.')[1] ?? '', 'base64url').toString()).exp, end);
    instance.clock.advance(DAY - 10);
    const cookie = `frigate_token=${session}`;
    for (const path of ['/api/stats', '/auth']) {
      const near = await instance.ask(path, { headers: { cookie } });
      assert.ok(near.ok, path);
      assert.deepEqual(near.headers.getSetCookie(), []);
    }
    instance.clock.advance(10);
    assert.equal(await status(session, '/api/stats'), 401);
  });

  it('shrinks with its owner: another role, the end of a guest, a deleted account, one made again', async () => {
    const owner = await person('guest', 'viewer');
    const session = await sessionOf(await make({}, owner), owner);
    assert.equal(await status(session, '/api/cam2/latest.jpg'), 200);
    assert.equal(await status(admin, '/api/users/guest/role', 'PUT', { role: 'front_only' }), 200);
    assert.equal(await status(session, '/api/cam2/latest.jpg'), 403);
    const now = Math.floor(instance.clock.now() / 1000);
    assert.equal(await status(admin, '/api/users/guest/validity', 'PUT', { valid_until: now + 60 }), 200);
    instance.clock.advance(61);
    assert.equal(await status(session, '/api/cam1/latest.jpg'), 403);
    assert.equal(await status(admin, '/api/users/guest/validity', 'PUT', { valid_until: null }), 200);
    assert.equal(await status(session, '/api/cam1/latest.jpg'), 200);
    assert.equal(await status(admin, '/api/users/guest', 'DELETE'), 200);
    assert.equal(await status(session, '/api/cam1/latest.jpg'), 401);
    await person('guest', 'viewer');
    assert.equal(await status(session, '/api/cam1/latest.jpg'), 401);
  });

  it('tells a guest who has ended so, only with the right token', async () => {
    const owner = await person('ended', 'viewer');
    const made = await make({}, owner);
    const now = Math.floor(instance.clock.now() / 1000);
    assert.equal(await status(admin, '/api/users/ended/validity', 'PUT', { valid_until: now + 1 }), 200);
    instance.clock.advance(2);
    assert.equal((await logIn('ended', made.token)).status, 403);
  });

  it('outlives a new password of its owner, as the token does', async () => {
    const owner = await person('changing', 'viewer');
    const session = await sessionOf(await make({}, owner), owner);
    const password = 'OtherPassw0rd!!!';
    assert.equal(await status(admin, '/api/users/changing/password', 'PUT', { password }), 200);
    assert.equal(await status(session, '/api/stats'), 200);
  });

  // biome-ignore format: a table
  const DOORS: [method: string, path: string, body?: object][] = [
    ['POST',   '/api/tokens',                   { name: 'another', login: true }],
    ['PUT',    '/api/users/admin/password',     { password: 'OtherPassw0rd!!!', old_password: ADMIN_PERSON.password }],
    ['PUT',    '/api/users/vera/password',      { password: 'OtherPassw0rd!!!' }],
    ['POST',   '/api/users',                    { username: 'thief', password: 'OtherPassw0rd!!!', role: 'admin' }],
    ['PUT',    '/api/users/vera/role',          { role: 'admin' }],
    ['POST',   '/api/reauthenticate',           { password: ADMIN_PERSON.password }],
    ['POST',   '/api/second-factor/totp',       {}],
    ['GET',    '/api/second-factor'],
    ['POST',   '/api/invitations',              { username: 'friend', role: 'viewer' }],
    ['PUT',    '/api/roles/wider',              { cameras: ['*'] }],
    ['DELETE', '/api/sessions/00000000-0000-0000-0000-000000000000'],
  ];
  for (const [method, path, body] of DOORS)
    for (const by of ['bearer', 'cookie'])
      it(`may do what the token may, and no more: ${method} ${path} by ${by}`, async () => {
        const made = await make();
        const session = await sessionOf(made);
        const asked = (authorization: Record<string, string>) =>
          instance.ask(path, {
            method,
            headers: { 'content-type': 'application/json', 'x-csrf-token': '1', ...authorization },
            ...(body && { body: JSON.stringify(body) }),
          });
        const byToken = await asked({ authorization: `Bearer ${made.token}` });
        const bySession = await asked(
          by === 'cookie' ? { cookie: `frigate_token=${session}` } : { authorization: `Bearer ${session}` },
        );
        assert.equal(bySession.status, byToken.status);
        assert.ok(byToken.status >= 400 && byToken.status < 500, `${byToken.status}`);
      });

  it('is a credential that browsers add by themselves, when it comes by cookie', async () => {
    const session = await sessionOf(await make());
    const foreign = { cookie: `frigate_token=${session}`, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
    nvr.received.length = 0;
    const answer = await instance.ask('/api/restart', { method: 'POST', headers: foreign });
    assert.deepEqual([answer.status, nvr.received], [403, []]);
  });

  it('takes the place of no session of its owner, and is listed as none', async () => {
    const made = await make({}, CARL);
    for (let login = 0; login < 3; login += 1) await sessionOf(made, CARL);
    const carl = await instance.logIn(CARL);
    const listed = (await (await instance.ask('/api/sessions', { token: carl })).json()) as { current: boolean }[];
    assert.equal(listed.filter(({ current }) => !current).length, 1, 'the one that made the token');
  });

  it('is no person for the login limit: it shows no browser that logged in before', async () => {
    const session = await sessionOf(await make());
    const cookie = `frigate_token=${session}`;
    for (let guess = 1; guess <= 5; guess += 1)
      await instance.ask('/api/login', {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ user: 'admin', password: 'WrongPassw0rd!!' }),
      });
    assert.equal((await logIn('admin', ADMIN_PERSON.password)).status, 429);
  });

  it('is made by a person alone, and not with another word than true or false', async () => {
    for (const login of ['yes', 1]) assert.equal(await status(admin, '/api/tokens', 'POST', { name: 'x', login }), 400);
  });
});
