/** `auth.password_login`: who may use a password, what stays without one, and the way in when no provider answers (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openForCommands } from '../../src/app/commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { enrolled, sendJson } from '../support/second-factor.ts';
import { sessionIn } from '../support/sessions.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SITE = { public_url: 'https://nvr.example.com' };
const LISTENERS = { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', shutdown_grace: 1 };
const OIDC = [{ name: 'home', issuer: 'https://id.example.com', client_id: 'postern' }];
const ROLES = { hash_iterations: 1000, roles: { front_only: ['cam1'] } };

describe('Password login', () => {
  let nvr: FakeNvr;
  let at: Runtime;
  let sessions: { readonly admin: string; readonly vera: string };
  let apiToken: string;
  before(async () => {
    nvr = await startFakeNvr();
    const auth = { ...ROLES, oidc: OIDC };
    at = await startInstance({ config: { server: { ...LISTENERS, ...SITE }, auth, nvr: { url: nvr.url } } });
    sessions = { admin: await at.logIn(ADMIN_PERSON), vera: await at.logIn(VERA) };
    const made = await sendJson(at, '/api/tokens', { name: 'ha' }, sessions.vera);
    apiToken = ((await made.json()) as { token: string }).token;
  });
  after(async () => {
    await at.close();
    await nvr.close();
  });

  const allow = async (password_login: 'everyone' | 'admins' | 'none'): Promise<void> => {
    const config = { server: { ...LISTENERS, ...SITE }, auth: { ...ROLES, oidc: OIDC, password_login } };
    const { isTaken } = await at.reload({ ...config, nvr: { url: nvr.url } });
    assert.ok(isTaken);
  };
  const logIn = ({ name }: Person, password: string): Promise<Response> =>
    sendJson(at, '/api/login', { user: name, password });
  const told = async (answer: Response): Promise<unknown[]> => {
    const { reason } = (await answer.json()) as { reason?: string };
    return [answer.status, reason, answer.headers.getSetCookie().length];
  };
  const byForm = async ({ name, password }: Person): Promise<Response> =>
    at.ask('/login', {
      method: 'POST',
      headers: {
        'sec-fetch-site': 'same-origin',
        'accept-language': 'de',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ user: name, password }).toString(),
    });
  const refusedLogins = () => at.log.filter(({ what, verdict }) => what === 'login' && verdict === 'refused');
  const linkOf = async (name: string): Promise<string> => {
    const command = await openForCommands(
      { directory: at.directory, schema: configSchema, env: {}, clock: at.clock },
      'change',
    );
    try {
      const params = { user: name };
      const { url } = await command.ask<{ url: string }>('POST /api/users/{user}/invitation', { params });
      return new URL(url).pathname;
    } finally {
      await command.close();
    }
  };

  it('is refused after the right password alone, so that a stranger is told nothing', async () => {
    await allow('admins');
    assert.deepEqual(await told(await logIn(VERA, 'wrong')), [401, undefined, 0]);
    assert.deepEqual(await told(await logIn(VERA, VERA.password)), [403, 'password-off', 0]);
    assert.deepEqual(await told(await logIn(ADMIN_PERSON, ADMIN_PERSON.password)), [200, undefined, 1]);
    await allow('none');
    assert.deepEqual(await told(await logIn(ADMIN_PERSON, 'wrong')), [401, undefined, 0]);
    assert.deepEqual(await told(await logIn(ADMIN_PERSON, ADMIN_PERSON.password)), [403, 'password-off', 0]);
    assert.equal(refusedLogins().at(-1)?.['reason'], 'password-off');
    const metrics = await (await fetch(`${at.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /^postern_logins_total\{result="password_off"\} 2$/m);
  });

  it('is refused by the form, in the language of the person', async () => {
    await allow('none');
    const answer = await byForm(VERA);
    assert.equal(answer.status, 403);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    assert.match(await answer.text(), /Die Anmeldung mit Passwort ist hier abgeschaltet/);
  });

  it('counts as no failure where the password is right', async () => {
    await allow('none');
    for (let tries = 0; tries < 8; tries += 1) assert.equal((await logIn(VERA, VERA.password)).status, 403);
  });

  it('leaves sessions and API tokens, and proves nothing in them any more', async () => {
    await allow('none');
    assert.equal((await at.ask('/api/config', { token: sessions.vera })).status, 200);
    assert.equal((await at.ask('/api/config', { token: apiToken })).status, 200);
    const proof = await sendJson(at, '/api/reauthenticate', { password: VERA.password }, sessions.vera);
    assert.deepEqual(await told(proof), [403, 'password-off', 0]);
    const wrong = await sendJson(at, '/api/reauthenticate', { password: 'wrong' }, sessions.vera);
    assert.equal(wrong.status, 401);
    await allow('everyone');
    assert.equal((await sendJson(at, '/api/reauthenticate', { password: VERA.password }, sessions.vera)).status, 200);
  });

  it('is no proof by the change of a password: the session goes on with the login and the proof of before', async () => {
    await allow('none');
    const token = sessions.vera;
    at.clock.advance(700);
    const change = { password: 'Iridium.Lamp.Later.78', old_password: VERA.password };
    const changed = await at.ask(`/api/users/${VERA.name}/password`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', cookie: `frigate_token=${token}` },
      body: JSON.stringify(change),
    });
    const session = sessionIn(changed) ?? assert.fail(String(changed.status));
    assert.equal((await at.ask('/api/profile', { token: session })).status, 200);
    assert.deepEqual(await told(await sendJson(at, '/api/tokens', { name: 'x' }, session)), [
      403,
      'reauthentication-required',
      0,
    ]);
    await allow('everyone');
    sessions = { ...sessions, vera: await at.logIn({ ...VERA, password: change.password }) };
    const back = { password: VERA.password, old_password: change.password };
    assert.equal((await sendJson(at, '/api/users/vera/password', back, sessions.vera, 'PUT')).status, 200);
  });

  it('is refused at the second step, too, when it was turned off after the first', async () => {
    await allow('everyone');
    const vera = await enrolled(at, VERA);
    const step = await byForm(VERA);
    assert.equal(step.status, 401);
    await allow('none');
    const [cookie = ''] = step.headers.getSetCookie();
    const answer = await at.ask('/login', {
      method: 'POST',
      headers: {
        'sec-fetch-site': 'same-origin',
        cookie: cookie.slice(0, cookie.indexOf(';')),
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ code: vera.codeNow() }).toString(),
    });
    assert.equal(answer.status, 403);
    assert.match(await answer.text(), /Password login is off here/);
    await sendJson(at, `/api/users/${VERA.name}/second-factor`, {}, sessions.admin, 'DELETE');
  });

  describe('in an emergency', () => {
    const first = 'Iridium.Lamp.First.77';
    const second = 'Iridium.Lamp.Second.77';

    it('is not needed: a link of the command line opens a session of an admin, once', async () => {
      await allow('none');
      const link = await linkOf(ADMIN_PERSON.name);
      const accepted = await sendJson(at, link, { password: first });
      assert.equal(accepted.status, 200);
      const session = sessionIn(accepted) ?? '';
      assert.equal((await at.ask('/api/users', { token: session })).status, 200);
      assert.deepEqual(await told(await sendJson(at, link, { password: second })), [404, 'invitation-void', 0]);
      assert.deepEqual(await told(await logIn(ADMIN_PERSON, first)), [403, 'password-off', 0]);
    });

    it('leads to the console by the form of the page', async () => {
      const link = await linkOf(ADMIN_PERSON.name);
      const answer = await at.ask(link, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ password: second, again: second }).toString(),
      });
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/postern/']);
      assert.equal((await at.ask('/api/users', { token: sessionIn(answer) ?? '' })).status, 200);
    });

    it('opens no session for others, nor by the link of another admin', async () => {
      const forVera = await sendJson(at, await linkOf(VERA.name), { password: first });
      assert.deepEqual([forVera.status, sessionIn(forVera)], [200, undefined]);
      const admin = sessionIn(await sendJson(at, await linkOf(ADMIN_PERSON.name), { password: first })) ?? '';
      await sendJson(at, '/api/users', { username: 'chief', password: second, role: 'admin' }, admin);
      const made = await sendJson(at, '/api/users/chief/invitation', {}, admin);
      const { url } = (await made.json()) as { url: string };
      const accepted = await sendJson(at, new URL(url).pathname, { password: first });
      assert.deepEqual([accepted.status, sessionIn(accepted)], [200, undefined]);
    });

    it('opens a session where the password is good for a login too, which it is again with the key', async () => {
      await allow('admins');
      const accepted = await sendJson(at, await linkOf(ADMIN_PERSON.name), { password: second });
      assert.equal((await at.ask('/api/users', { token: sessionIn(accepted) ?? '' })).status, 200);
      assert.equal((await logIn(ADMIN_PERSON, second)).status, 200);
    });

    it('is never a way around a second factor', async () => {
      await allow('admins');
      const { token } = await enrolled(at, { ...ADMIN_PERSON, password: second });
      await allow('none');
      const accepted = await sendJson(at, await linkOf(ADMIN_PERSON.name), { password: first });
      assert.deepEqual([accepted.status, sessionIn(accepted)], [200, undefined]);
      assert.equal((await at.ask('/api/users', { token })).status, 401);
    });
  });

  it('is warned of at a start while no admin has another way in', async () => {
    const isWarned = (): boolean =>
      at.log.some(({ msg }) => /^auth\.password_login is none, and no admin/.test(String(msg)));
    await allow('everyone');
    at.log.length = 0;
    await allow('none');
    assert.ok(isWarned());
    const store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
    const admin = (await store.accounts.findUser('chief')) ?? assert.fail('no chief');
    const signIn = { provider: 'home', issuer: OIDC[0]?.issuer ?? '', subject: 'c', user: admin.name };
    await store.signIns.connect({ ...signIn, connectedAt: 1, lastUsedAt: 1 }, admin.createdAt);
    await store.close();
    await allow('everyone');
    at.log.length = 0;
    await allow('none');
    assert.ok(!isWarned());
  });
});
