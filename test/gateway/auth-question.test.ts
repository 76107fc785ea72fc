/** `/auth` without a description: is the caller authenticated? (interface 5.1.5, SPEC 4.2) */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { CARL } from '../support/people.ts';
import { type ConfigTree, startInstance } from '../support/start-instance.ts';

const PATHS = ['/auth', '/api/auth', '/auth?x=1'];
const STRANGER = { success: false, message: 'Authentication required', reason: 'no-credentials' };

async function instance(t: TestContext, config: ConfigTree = {}) {
  const started = await startInstance({ config });
  t.after(started.close);
  return started;
}

describe('/auth', () => {
  for (const path of PATHS) {
    for (const method of ['GET', 'HEAD']) {
      it(`answers ${method} ${path} with 202, who it is, a fresh cookie (interface 5.1.5)`, async (t) => {
        const { ask, logIn, clock } = await instance(t);
        const cookie = `frigate_token=${await logIn(CARL)}`;
        clock.advance(100);
        const { status, headers, ...answer } = await readBy(ask(path, { method, headers: { cookie } }));
        assert.deepEqual(
          [status, answer.text, headers.get('content-type'), headers.get('cache-control')],
          [202, '', null, 'no-store'],
        );
        assert.deepEqual([headers.get('remote-user'), headers.get('remote-role')], ['carl', 'front_only']);
        const [line = ''] = headers.getSetCookie();
        const token = /^frigate_token=([^;]+); HttpOnly; Max-Age=86400; Path=\/; SameSite=lax$/.exec(line)?.[1];
        assert.equal(claimsOf(token).exp - claimsOf(token).iat, 86_400);
        assert.equal(claimsOf(token).iat, Math.floor(clock.now() / 1000));
      });
    }
  }

  it('gives a bearer no cookie', async (t) => {
    const { ask, logIn } = await instance(t);
    const { status, headers } = await ask('/auth', { token: await logIn(CARL) });
    assert.deepEqual([status, headers.getSetCookie()], [202, []]);
  });

  it('is 401 for a stranger, with the way to the login page', async (t) => {
    const { ask } = await instance(t);
    const { status, headers, text } = await readBy(ask('/api/auth'));
    assert.deepEqual(
      [status, JSON.parse(text), headers.get('location'), headers.get('remote-user')],
      [401, STRANGER, '/login', null],
    );
  });

  it('is 401 without a body for HEAD', async (t) => {
    const { ask } = await instance(t);
    const { status, text } = await readBy(ask('/auth', { method: 'HEAD' }));
    assert.deepEqual([status, text], [401, '']);
  });

  it('shows an unknown caller no login in proxy mode: the proxy handles the login', async (t) => {
    const { ask } = await instance(t, { auth: { enabled: false }, proxy: { header_map: { user: 'remote-user' } } });
    const { status, headers } = await ask('/auth');
    assert.deepEqual([status, headers.get('location')], [401, null]);
  });

  it('writes a name from a proxy in ASCII, as the NVR is told it', async (t) => {
    const { ask } = await instance(t, {
      auth: { enabled: false },
      proxy: { header_map: { user: 'x-forwarded-user' }, default_role: 'viewer' },
    });
    const name = Buffer.from('Zoë 日').toString('latin1');
    const { status, headers } = await ask('/auth', { headers: { 'x-forwarded-user': name } });
    assert.deepEqual([status, headers.get('remote-user')], [202, 'Zo%C3%AB%20%E6%97%A5']);
  });

  it('is anonymous with role admin on the internal listener (interface 5.6)', async (t) => {
    const { internalUrl } = await instance(t);
    const { status, headers } = await fetch(`${internalUrl}/auth`);
    assert.deepEqual([status, headers.get('remote-user'), headers.get('remote-role')], [202, 'anonymous', 'admin']);
  });
});

async function readBy(asked: Promise<Response>) {
  const answer = await asked;
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const claimsOf = (token = ''): { exp: number; iat: number } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
