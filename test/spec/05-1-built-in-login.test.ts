/** Interface 5.1: built-in authentication on port 8971, sentence by sentence, over real HTTP. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { instanceInFront } from '../support/instance-in-front.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';

const { instance, nvr } = await instanceInFront();

const login = (body: unknown, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
  instance.ask('/api/login', { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
const credentials = ({ name, password }: { name: string; password: string }) => ({ user: name, password });
const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0] ?? '';
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const profile = (options: { token?: string; cookie?: string }) =>
  instance.ask('/api/profile', {
    ...(options.token === undefined ? {} : { token: options.token }),
    headers: options.cookie === undefined ? {} : { cookie: options.cookie },
  });

describe('5.1 Built-in authentication', () => {
  it('1. Passwords are hashed with PBKDF2-SHA256: the store holds nothing else', () => {
    const db = new DatabaseSync(join(instance.directory, 'postern.db'), { readOnly: true });
    const rows = db.prepare('select password_hash from users').all();
    db.close();
    assert.equal(rows.length, 3);
    for (const row of rows)
      assert.match(String(row['password_hash']), /^pbkdf2_sha256\$1000\$[0-9a-f]{32}\$[A-Za-z0-9+/]{43}=$/);
  });

  it('1. The minimum password length is 12 characters', async () => {
    const token = await instance.logIn(ADMIN_PERSON);
    const make = (password: string) =>
      instance.ask('/api/users', {
        method: 'POST',
        token,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: `u${password.length}`, password, role: 'viewer' }),
      });
    assert.deepEqual([(await make('elevenchars')).status, (await make('twelve-chars')).status], [400, 200]);
  });

  it('2. A successful login issues a JWT with an expiration and sets it as a cookie', async () => {
    const answer = await login(credentials(VERA));
    assert.deepEqual(
      [answer.status, await answer.json(), answer.headers.getSetCookie().length],
      [200, { success: true }, 1],
    );
    assert.match(
      cookieOf(answer),
      /^frigate_token=[\w-]+\.[\w-]+\.[\w-]+; HttpOnly; Max-Age=86400; Path=\/; SameSite=lax$/,
    );
    const { sub, role, iat, exp } = claimsOf(cookieOf(answer));
    assert.deepEqual({ sub, role, life: exp - iat }, { sub: 'vera', role: 'viewer', life: 86_400 });
  });

  it('2. The cookie is refreshed automatically as needed', async () => {
    const token = await instance.logIn(VERA);
    const cookie = `frigate_token=${token}`;
    assert.equal(cookieOf(await profile({ cookie })), '');
    instance.clock.advance(86_400 - 1000);
    const renewed = cookieOf(await profile({ cookie }));
    assert.equal(claimsOf(renewed).exp - claimsOf(token).exp, 86_400 - 1000);
    const forwarded = await instance.ask('/api/version', { headers: { cookie } });
    assert.match(cookieOf(forwarded), /^frigate_token=/, 'what is forwarded is refreshed too');
  });

  it('3. The same token is accepted as Authorization: Bearer', async () => {
    const token = await instance.logIn(VERA);
    const answer = await profile({ token });
    assert.deepEqual(await answer.json(), { username: 'vera', role: 'viewer', allowed_cameras: ['cam1', 'cam2'] });
    const lower = await instance.ask('/api/profile', { headers: { Authorization: `bearer ${token}` } });
    assert.equal(lower.status, 200);
  });

  it('3. A bearer token that is bad is refused, though the cookie beside it is good', async () => {
    const cookie = `frigate_token=${await instance.logIn(VERA)}`;
    const forged = `${(await instance.logIn(VERA)).split('.').slice(0, 2).join('.')}.c2ln`;
    const answer = await instance.ask('/api/profile', { token: forged, headers: { cookie } });
    assert.equal(answer.status, 401);
  });

  it('4. Tokens are valid for the configured session length', async () => {
    const token = await instance.logIn(VERA);
    instance.clock.advance(86_399);
    assert.equal((await profile({ token })).status, 200);
    instance.clock.advance(1);
    assert.equal((await profile({ token })).status, 401);
  });

  it('5. Tokens are refreshed when the /auth endpoint is visited', async () => {
    for (const path of ['/auth', '/api/auth']) {
      const token = await instance.logIn(CARL);
      instance.clock.advance(60);
      const answer = await instance.ask(path, { headers: { cookie: `frigate_token=${token}` } });
      assert.deepEqual(
        [answer.status, await answer.text(), answer.headers.get('remote-user'), answer.headers.get('remote-role')],
        [202, '', 'carl', 'front_only'],
      );
      assert.equal(claimsOf(cookieOf(answer)).exp - claimsOf(token).exp, 60);
    }
  });

  it('5. /auth refuses an unknown caller, and never by a redirect', async () => {
    const answer = await instance.ask('/auth', { headers: { accept: 'text/html', 'sec-fetch-mode': 'navigate' } });
    assert.deepEqual([answer.status, answer.headers.get('remote-user')], [401, null]);
  });

  it("6. Tokens are invalidated when the user's password changes", async () => {
    const [old, other] = [await instance.logIn(CARL), await instance.logIn(CARL)];
    instance.clock.advance(1);
    const changed = await instance.ask('/api/users/carl/password', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', cookie: `frigate_token=${old}` },
      body: JSON.stringify({ old_password: CARL.password, password: 'NewerPassw0rd!!!-new' }),
    });
    assert.equal(changed.status, 200);
    assert.deepEqual([(await profile({ token: old })).status, (await profile({ token: other })).status], [401, 401]);
    const kept = cookieOf(changed).split(';')[0] ?? '';
    assert.equal(
      (await profile({ cookie: kept })).status,
      200,
      'the session that changed it goes on with a fresh cookie',
    );
  });

  it('7. /logout clears the session cookie', async () => {
    for (const path of ['/logout', '/api/logout']) {
      const token = await instance.logIn(VERA);
      const answer = await instance.ask(path, { headers: { cookie: `frigate_token=${token}` } });
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/login']);
      assert.match(cookieOf(answer), /^frigate_token=; .*Max-Age=0;/);
      assert.equal((await profile({ token })).status, 401, 'the token is void, not only forgotten');
    }
  });

  it('9. When authentication is enabled, roles are validated from the JWT: from the user it names, as the user is now', async () => {
    const [vera, admin] = [await instance.logIn(VERA), await instance.logIn(ADMIN_PERSON)];
    const asAdmin = (path: string, method: string, body?: object) =>
      instance.ask(path, {
        method,
        token: admin,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body ?? {}),
      });
    assert.equal((await asAdmin('/api/users/vera/role', 'PUT', { role: 'front_only' })).status, 200);
    assert.deepEqual(await (await profile({ token: vera })).json(), {
      username: 'vera',
      role: 'front_only',
      allowed_cameras: ['cam1'],
    });
    assert.equal((await asAdmin('/api/users/vera', 'DELETE')).status, 200);
    assert.equal((await profile({ token: vera })).status, 401);
    nvr.received.length = 0;
    assert.equal((await instance.ask('/api/version', { token: vera })).status, 401);
    assert.deepEqual(nvr.received, []);
  });
});

describe('5.1.4 A session length of 0', () => {
  it('requires login after a very short timeout, and is never refreshed', async () => {
    const strict = await startInstance({ config: { auth: { session_length: 0, hash_iterations: 1000 } } });
    const token = await strict.logIn(VERA);
    const seen = await strict.ask('/auth', { headers: { cookie: `frigate_token=${token}` } });
    assert.deepEqual([seen.status, seen.headers.getSetCookie()], [202, []]);
    strict.clock.advance(10);
    assert.equal((await strict.ask('/auth', { token })).status, 401);
    await strict.close();
  });
});
