import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { INTERNAL_CALLER } from '../../../src/domain/caller.ts';
import { type AccountServerOptions, startAccountServer } from '../support/account-server.ts';
import { PASSWORD, person } from '../support/people.ts';

const STRANGER = { success: false, message: 'Authentication required', reason: 'no-credentials' };
const CLEARED = 'frigate_token=; HttpOnly; Max-Age=0; Path=/; SameSite=lax';

/** A send at which gus, a gardener, has a session. */
async function loginServerOfGus(t: TestContext, options: AccountServerOptions = {}) {
  const started = await startAccountServer(t, options);
  const gus = await person('gus', { role: 'gardener' });
  await started.store.addUser(gus);
  const token = await started.sessions.issue(gus);
  const cookie = { cookie: `frigate_token=${token}` };
  const bearer = { authorization: `Bearer ${token}` };
  const statusOf = async (method: string, path: string, headers = cookie) =>
    (await started.send(method, path, { headers })).status;
  return { ...started, token, cookie, bearer, statusOf };
}

const cookieOf = (headers: { 'set-cookie'?: string[] | undefined }): string => headers['set-cookie']?.join('|') ?? '';

describe('GET /api/profile', () => {
  it('says who calls, as what, with which cameras', async (t) => {
    const { send, cookie } = await loginServerOfGus(t);
    const { status, json, headers } = await send('GET', '/api/profile', { headers: cookie });
    assert.deepEqual(
      [status, json],
      [200, { username: 'gus', role: 'gardener', allowed_cameras: ['garden', 'patio_1'] }],
    );
    assert.equal(headers['cache-control'], 'no-store');
  });

  it('is anonymous with role admin on the internal listener (interface 5.6)', async (t) => {
    const { send } = await loginServerOfGus(t, { caller: INTERNAL_CALLER });
    const expected = { username: 'anonymous', role: 'admin', allowed_cameras: ['garden', 'patio_1', 'street'] };
    assert.deepEqual((await send('GET', '/api/profile')).json, expected);
  });

  it('is 401 for a stranger, with the way to the login page', async (t) => {
    const { send } = await loginServerOfGus(t, { state: { basePath: '/nvr' } });
    const { status, json, headers } = await send('GET', '/api/profile');
    assert.deepEqual([status, json, headers['location']], [401, STRANGER, '/nvr/login']);
  });

  it('shows an unknown caller no login in proxy mode: the proxy handles the login', async (t) => {
    const { send } = await loginServerOfGus(t, { settings: { authEnabled: false } });
    const { status, headers } = await send('GET', '/api/profile');
    assert.deepEqual([status, headers['location']], [401, undefined]);
  });
});

describe('/logout', () => {
  for (const path of ['/logout', '/api/logout']) {
    for (const method of ['GET', 'POST']) {
      it(`ends the session by ${method} ${path}, clears the cookie, leads to the login page (interface 5.1.7)`, async (t) => {
        const { send, cookie, statusOf, bearer, heard } = await loginServerOfGus(t);
        const { status, headers } = await send(method, path, { headers: cookie });
        assert.deepEqual([status, headers['location'], cookieOf(headers)], [303, '/login', CLEARED]);
        assert.deepEqual(
          [await statusOf('GET', '/api/profile'), (await send('GET', '/api/profile', { headers: bearer })).status],
          [401, 401],
        );
        assert.deepEqual(heard.audit, [
          {
            what: 'logout',
            who: 'gus',
            credential: 'session:ID',
            from: '192.0.2.1',
            verdict: 'allowed',
            requestId: 'r1',
          },
        ]);
      });
    }
  }

  it('leads to proxy.logout_url where there is one', async (t) => {
    const { send, cookie } = await loginServerOfGus(t, { settings: { logoutUrl: 'https://sso.example.net/logout' } });
    assert.equal(
      (await send('GET', '/logout', { headers: cookie })).headers['location'],
      'https://sso.example.net/logout',
    );
  });

  it('clears the cookie of an unknown caller too', async (t) => {
    const { send, heard } = await loginServerOfGus(t);
    const { status, headers } = await send('GET', '/logout', { headers: { cookie: 'frigate_token=old' } });
    assert.deepEqual([status, cookieOf(headers), heard.audit], [303, CLEARED, []]);
  });

  const fetched = (site: string, mode: string) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': mode });
  const rows: [sentence: string, headers: Record<string, string>, status: number][] = [
    ['is refused for an image on another site', fetched('cross-site', 'no-cors'), 403],
    ['is refused for a script on another site', fetched('cross-site', 'cors'), 403],
    ['follows a link on another site', fetched('cross-site', 'navigate'), 303],
    ['follows a script of our own page', fetched('same-origin', 'cors'), 303],
    ['follows what a person typed', fetched('none', 'navigate'), 303],
  ];
  for (const [sentence, headers, status] of rows) {
    it(sentence, async (t) => {
      const { send, cookie, statusOf } = await loginServerOfGus(t);
      assert.equal((await send('GET', '/logout', { headers: { ...cookie, ...headers } })).status, status);
      assert.equal(await statusOf('GET', '/api/profile'), status === 403 ? 200 : 401);
    });
  }

  it('ends nothing by HEAD', async (t) => {
    const { statusOf } = await loginServerOfGus(t);
    assert.deepEqual([await statusOf('HEAD', '/logout'), await statusOf('GET', '/api/profile')], [405, 200]);
  });
});

describe('GET /api/auth/first_time_login', () => {
  it('is true from a new password until an admin has logged in', async (t) => {
    const { send, store } = await loginServerOfGus(t, { isPasswordNew: true });
    await store.addUser(await person('boss', { role: 'admin' }));
    const said = [];
    for (const user of ['nobody', 'gus', 'boss']) {
      said.push((await send('GET', '/api/auth/first_time_login')).json);
      await send('POST', '/api/login', { body: { user, password: PASSWORD } });
    }
    said.push((await send('GET', '/api/auth/first_time_login')).json);
    const rows = [true, true, true, false].map((awaited) => ({ admin_first_time_login: awaited }));
    assert.deepEqual(said, rows);
  });

  it('is false otherwise', async (t) => {
    const { send } = await loginServerOfGus(t);
    assert.deepEqual((await send('GET', '/api/auth/first_time_login')).json, { admin_first_time_login: false });
  });
});
