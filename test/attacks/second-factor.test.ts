/** Ways around the second factor (SPEC 12): each is refused, and the NVR hears of none. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it, type TestContext } from 'node:test';
import { openForCommands } from '../../src/app/commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import { unixSeconds } from '../../src/domain/clock.ts';
import type { UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { codeOf, enrolled, sendJson } from '../support/second-factor.ts';
import { firstCookie, sessionIdOf, sessionIn } from '../support/sessions.ts';
import { type ConfigTree, type InstanceOptions, type Runtime, startInstance } from '../support/start-instance.ts';

const nvr = await startFakeNvr();
const behind = { url: nvr.url, cameras: ['cam1', 'cam2'] };
const AUTH: ConfigTree = {
  failed_login_rate_limit: '1000/minute',
  trusted_proxies: ['127.0.0.1/32'],
  roles: { front_only: ['cam1'] },
};
const running = (auth: ConfigTree = {}, more: InstanceOptions = {}): Promise<Runtime> =>
  startInstance({ config: { auth: { ...AUTH, ...auth }, nvr: behind }, ...more });
const at = await running();
after(async () => {
  await at.close();
  await nvr.close();
});

let newcomers = 0;
/** A user whom no other test needs. */
async function newcomer(role = 'viewer'): Promise<Person> {
  newcomers += 1;
  const person = { name: `person${newcomers}`, role, password: 'MagnesiumLamp77!' };
  const body = { username: person.name, password: person.password, role };
  assert.equal((await sendJson(at, '/api/users', body, await at.logIn(ADMIN_PERSON))).status, 200);
  return person;
}

interface Login {
  readonly code?: string;
  readonly from?: string;
  readonly cookie?: string;
}
async function logIn({ name, password }: Person, { code, from, cookie }: Login = {}, where = at): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(from && { 'x-forwarded-for': from }),
    ...(cookie && { cookie: `frigate_token=${cookie}` }),
  };
  const body = JSON.stringify({ user: name, password, ...(code !== undefined && { code }) });
  return where.ask('/api/login', { method: 'POST', headers, body });
}
const statusesOf = async (answers: readonly Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).sort();

const directoryOf = (t: TestContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-factor-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

describe('A login with a second factor', () => {
  it('asks for a code after the right password alone, which is no failure', async () => {
    const person = await newcomer();
    const { codeNow } = await enrolled(at, person);
    const wrong = await (await logIn({ ...person, password: 'not the password' })).json();
    assert.deepEqual(wrong, { success: false, message: 'Login failed' });
    const asked = await logIn(person);
    assert.deepEqual([asked.status, asked.headers.getSetCookie()], [401, []]);
    assert.deepEqual(((await asked.json()) as { second_factor: unknown }).second_factor, ['totp']);
    const done = await logIn(person, { code: codeNow() });
    assert.equal(done.status, 200);
    assert.equal((await at.ask('/api/version', { token: sessionIn(done) ?? '' })).status, 200);
    assert.equal(nvr.lastHeader('remote-user')[0], person.name);
  });

  it('takes a code once: again, many at once, and by another process', async (t) => {
    const directory = directoryOf(t);
    const first = await running({}, { directory });
    t.after(() => first.close());
    const { codeNow } = await enrolled(first, VERA);
    const code = codeNow();
    assert.deepEqual(await statusesOf([1, 2, 3].map(() => logIn(VERA, { code }, first))), [200, 401, 401]);
    // On the same store: a replica, or the same after a restart.
    const second = await running({}, { directory, clock: first.clock, people: [] });
    t.after(() => second.close());
    assert.equal((await logIn(VERA, { code }, second)).status, 401);
    const next = codeNow();
    assert.deepEqual(await statusesOf([first, second].map((where) => logIn(VERA, { code: next }, where))), [200, 401]);
  });

  it('takes a recovery code once, of two at once', async () => {
    const person = await newcomer();
    const { recoveryCodes } = await enrolled(at, person);
    const [code = ''] = recoveryCodes;
    assert.deepEqual(await statusesOf([logIn(person, { code }), logIn(person, { code })]), [200, 401]);
    assert.equal((await logIn(person, { code: (recoveryCodes[1] ?? '').toLowerCase() })).status, 200);
  });

  it('stops guesses at one account from many addresses, and not the owner in a browser that is known', async () => {
    const person = await newcomer();
    const { codeNow, token } = await enrolled(at, person);
    for (let guess = 0; guess < 5; guess += 1)
      assert.equal((await logIn(person, { code: '000000', from: `198.51.100.${guess}` })).status, 401);
    const before = nvr.received.length;
    const right = codeNow();
    const stopped = await logIn(person, { code: right, from: '203.0.113.9' });
    assert.deepEqual([stopped.status, Number(stopped.headers.get('retry-after')) > 0], [429, true]);
    assert.equal(nvr.received.length, before);
    assert.equal((await logIn(person, { code: right, from: '203.0.113.10', cookie: token })).status, 200);
    const stranger = await newcomer();
    assert.equal((await logIn(stranger, { from: '198.51.100.0' })).status, 200, 'another account from there');
  });

  it('locks nobody out who does not have the password', async () => {
    const person = await newcomer();
    const { codeNow } = await enrolled(at, person);
    for (let guess = 0; guess < 30; guess += 1)
      await logIn({ ...person, password: 'not it' }, { code: '000000', from: `198.51.101.${guess}` });
    assert.equal((await logIn(person, { code: codeNow(), from: '203.0.113.11' })).status, 200);
  });
});

const loginHead = { ':method': 'POST', ':path': '/api/login', 'content-type': 'application/json' };
const sessionOf = ([, cookies]: readonly [unknown, unknown]): string =>
  /frigate_token=([^;]+)/.exec(String(cookies))?.[1] ?? '';

describe('Around the second factor', async () => {
  const person = await newcomer();
  const old = await at.logIn(person);
  const { token } = await enrolled(at, person);
  const basic = `Basic ${Buffer.from(`${person.name}:${person.password}`).toString('base64')}`;
  const asked = { 'x-original-url': 'http://nvr.test/api/version', 'x-original-method': 'GET' };
  // biome-ignore format: a table
  const ways: [way: string, path: string, headers: Record<string, string>][] = [
    ['the cookie of before',                        '/api/version', { cookie: `frigate_token=${old}` }],
    ['the token of before as bearer',               '/api/version', { authorization: `Bearer ${old}` }],
    ['the token of before at /auth',                '/auth',        { cookie: `frigate_token=${old}` }],
    ['the token of before, asked about by a proxy', '/auth',        { cookie: `frigate_token=${old}`, ...asked }],
    ['name and password as Basic',                  '/api/version', { authorization: basic }],
    ['name and password as Basic, asked about',     '/auth',        { authorization: basic, ...asked }],
  ];
  for (const [way, path, headers] of ways) {
    it(`there is no way by ${way}`, async () => {
      const before = nvr.received.length;
      const answer = await at.ask(path, { headers });
      assert.deepEqual([answer.status, answer.headers.getSetCookie(), nvr.received.length], [401, [], before]);
    });
  }

  it('there is no way by a WebSocket, nor by logging in with an old session at hand', async () => {
    const before = nvr.received.length;
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const head = ['GET /ws HTTP/1.1', 'Host: nvr.test', ...upgrade, key, `Cookie: frigate_token=${old}`, '', ''];
    assert.match((await rawRequest(at.port, head.join('\r\n'))).text, /^HTTP\/1\.1 401 /);
    assert.equal((await logIn(person, { cookie: old })).status, 401);
    assert.equal(nvr.received.length, before);
  });

  it('there is no way by HTTP/2, whose login asks for the code too', async (t) => {
    const directory = directoryOf(t);
    const secure = await startInstance({ config: { auth: AUTH, nvr: behind, tls: { enabled: true } }, directory });
    t.after(() => secure.close());
    const session = connect(`https://127.0.0.1:${secure.port}`, { rejectUnauthorized: false });
    t.after(() => session.destroy());
    const ask = async (headers: OutgoingHttpHeaders, body = ''): Promise<[status: unknown, cookies: unknown]> => {
      const stream = session.request(headers, { endStream: body === '' });
      if (body !== '') stream.end(body);
      const [answer] = (await once(stream, 'response')) as [Record<string, unknown>];
      stream.resume();
      return [answer[':status'], answer['set-cookie']];
    };
    const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
    const { name, password } = VERA;
    const known = (await store.accounts.findUser(name)) ?? { passwordChangedAt: null };
    const first = { epoch: 'e', recoveryCodes: [], known };
    const before = sessionOf(await ask(loginHead, JSON.stringify({ user: name, password })));
    await store.secondFactor.startTotp(name as UserName, 'k.sealed', Number.MAX_SAFE_INTEGER);
    await store.secondFactor.confirmTotp(name as UserName, { sealed: 'k.sealed', step: 1, first });
    await store.close();
    const received = nvr.received.length;
    assert.deepEqual(await ask(loginHead, JSON.stringify({ user: name, password })), [401, undefined]);
    assert.equal((await ask({ ':path': '/api/version', cookie: `frigate_token=${before}` }))[0], 401);
    assert.equal(nvr.received.length, received);
  });

  it('a factor that is removed and set up again revives no session', async () => {
    const twice = await newcomer();
    const before = await at.logIn(twice);
    const { token: within } = await enrolled(at, twice);
    const removed = await sendJson(at, '/api/second-factor/totp', {}, within, 'DELETE');
    assert.equal(removed.status, 200);
    for (const dead of [before, within]) assert.equal((await at.ask('/api/version', { token: dead })).status, 401);
    assert.equal((await at.ask('/api/version', { token: sessionIn(removed) ?? '' })).status, 200);
  });

  it('the session that set it up goes on', async () => {
    assert.equal((await at.ask('/api/version', { token })).status, 200);
  });
});

describe('The form without script', () => {
  const HEADERS = { 'content-type': 'application/x-www-form-urlencoded', origin: '' };
  const post = (body: Record<string, string>, cookie = ''): Promise<Response> =>
    at.ask('/login', {
      method: 'POST',
      headers: { ...HEADERS, origin: at.url, host: `127.0.0.1:${at.port}`, cookie },
      body: new URLSearchParams(body).toString(),
    });
  const stepIn = (answer: Response): string => firstCookie(answer);

  it('takes two steps, and the first one gives nothing that opens anything', async () => {
    const person = await newcomer();
    const { codeNow } = await enrolled(at, person);
    const first = await post({ user: person.name, password: person.password });
    const [line = ''] = first.headers.getSetCookie();
    assert.match(line, /^postern_step=[\w.-]+; HttpOnly; Max-Age=300; Path=\/login; SameSite=strict$/);
    assert.match(await first.text(), /id="first-step" disabled/);
    const ticket = stepIn(first).slice('postern_step='.length);
    const before = nvr.received.length;
    for (const headers of [
      { cookie: `frigate_token=${ticket}` },
      { authorization: `Bearer ${ticket}` },
      { cookie: stepIn(first) },
    ])
      assert.equal((await at.ask('/api/version', { headers })).status, 401);
    assert.equal(nvr.received.length, before);
    const second = await post({ code: codeNow() }, stepIn(first));
    assert.equal(second.status, 303);
    const [session = '', cleared = ''] = second.headers.getSetCookie();
    assert.match(session, /^frigate_token=/);
    assert.match(cleared, /^postern_step=; .*Max-Age=0/);
  });

  it('takes the code of the person whose password was right, and of none else', async () => {
    const [person, other] = [await newcomer(), await newcomer()];
    await enrolled(at, person);
    const { codeNow } = await enrolled(at, other);
    const ticket = stepIn(await post({ user: person.name, password: person.password }));
    const answer = await post({ code: codeNow() }, ticket);
    assert.deepEqual([answer.status, answer.headers.getSetCookie()], [401, []]);
  });

  it('begins anew after five minutes, after another password, and without a ticket', async () => {
    const person = await newcomer();
    const { codeNow } = await enrolled(at, person);
    const ticket = stepIn(await post({ user: person.name, password: person.password }));
    const admin = await at.logIn(ADMIN_PERSON);
    const path = `/api/users/${person.name}/password`;
    assert.equal((await sendJson(at, path, { password: 'CalciumCandle55?' }, admin, 'PUT')).status, 200);
    assert.equal((await post({ code: codeNow() }, ticket)).status, 401);
    assert.equal((await post({ code: codeNow() })).status, 401);
    const again = stepIn(await post({ user: person.name, password: 'CalciumCandle55?' }));
    at.clock.advance(301);
    assert.match(await (await post({ code: codeNow() }, again)).text(), /took too long/);
  });

  it('gives a session of its own to a browser in which another one was planted', async () => {
    const [person, planter] = [await newcomer(), await newcomer()];
    const planted = await at.logIn(planter);
    const { codeNow } = await enrolled(at, person);
    const first = await post({ user: person.name, password: person.password }, `frigate_token=${planted}`);
    const second = await post({ code: codeNow() }, `frigate_token=${planted}; ${stepIn(first)}`);
    const session = sessionIn(second) ?? '';
    assert.notEqual(sessionIdOf(session), sessionIdOf(planted));
    assert.equal(
      ((await (await at.ask('/api/profile', { token: session })).json()) as { username: string }).username,
      person.name,
    );
  });
});

describe('Setting up a factor', () => {
  it('is not done by a page of another site', async () => {
    const person = await newcomer();
    const token = await at.logIn(person);
    for (const path of ['/api/second-factor/totp', '/api/second-factor/totp/confirm', '/api/reauthenticate']) {
      const headers = {
        cookie: `frigate_token=${token}`,
        'sec-fetch-site': 'cross-site',
        'content-type': 'application/json',
      };
      assert.equal((await at.ask(path, { method: 'POST', headers, body: '{}' })).status, 403);
    }
    assert.deepEqual(await (await at.ask('/api/second-factor', { token })).json(), {
      required: false,
      totp: false,
      passkeys: [],
      recovery_codes_left: 0,
    });
  });

  it('is won by one of two who race for it, and the other session is over', async () => {
    const person = await newcomer();
    const [one, other] = [await at.logIn(person), await at.logIn(person)];
    const offers = [];
    for (const token of [one, other]) {
      const offer = await (await sendJson(at, '/api/second-factor/totp', {}, token)).json();
      offers.push((offer as { secret: string }).secret);
    }
    at.clock.advance(30);
    const codes = offers.map((secret) => codeOf(secret, unixSeconds(at.clock)));
    const confirm = (token: string, code = '') => sendJson(at, '/api/second-factor/totp/confirm', { code }, token);
    assert.equal((await confirm(one, codes[0])).status, 400, 'the later secret waits');
    const [won, lost = 0] = await statusesOf([confirm(other, codes[1]), confirm(other, codes[1])]);
    assert.deepEqual([won, [401, 409].includes(lost)], [200, true]);
    for (const token of [one, other]) assert.equal((await at.ask('/api/version', { token })).status, 401);
  });
});

describe('A factor that is set up or removed', () => {
  it('is recorded also where the session cannot go on: the account has it, or has lost it', async () => {
    const where = await running({}, { people: [ADMIN_PERSON, VERA] });
    const database = new DatabaseSync(join(where.directory, 'postern.db'));
    const told = (): unknown[] =>
      where.log
        .filter(({ logger, what }) => logger === 'service.audit' && /^second-factor-/.test(String(what)))
        .map(({ what, user, factor, verdict }) => [what, user, factor, verdict]);
    const added = ['second-factor-added', 'vera', 'totp', 'allowed'];
    const damaged = (text: string | null) =>
      database.exec(`update users set other_roles = ${text === null ? 'null' : `'${text}'`} where name = 'vera'`);
    /** The account cannot be read any more, from the moment on in which the factor is written. */
    const asItChanges = `create trigger damage after update of has_factor on users
      begin update users set other_roles = '{' where name = new.name; end`;
    try {
      database.exec(asItChanges);
      const session = await where.logIn(VERA);
      const offer = await sendJson(where, '/api/second-factor/totp', {}, session);
      const { secret } = (await offer.json()) as { secret: string };
      const code = codeOf(secret, unixSeconds(where.clock));
      assert.equal((await sendJson(where, '/api/second-factor/totp/confirm', { code }, session)).status, 500);
      assert.deepEqual(told(), [added]);
      damaged(null);
      where.clock.advance(60_000);
      const again = await logIn(VERA, { code: codeOf(secret, unixSeconds(where.clock)) }, where);
      const removal = { method: 'DELETE', token: sessionIn(again) ?? '' };
      assert.equal((await where.ask('/api/second-factor/totp', removal)).status, 500);
      assert.deepEqual(told(), [added, ['second-factor-removed', 'vera', 'totp', 'allowed']]);
    } finally {
      database.close();
      await where.close();
    }
  });
});

describe('A session that is not proven', () => {
  const STALE_SECONDS = 601;
  const REASON = 'reauthentication-required';
  const reasonOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { reason?: string }).reason;

  it('opens none of the doors, until the password or a code is given again', async () => {
    const [person, other] = [await newcomer('admin'), await newcomer()];
    const { codeNow, token: fresh } = await enrolled(at, person);
    await enrolled(at, other);
    const target = sessionIdOf(await at.logIn(ADMIN_PERSON));
    // biome-ignore format: a table
    const doors: [method: string, path: string, body: object, status: number][] = [
      ['POST',   '/api/second-factor/totp',                  {},                200],
      ['POST',   '/api/second-factor/totp/confirm',          { code: '000000' }, 400],
      ['POST',   '/api/second-factor/recovery-codes',        {},                200],
      ['POST',   '/api/tokens',                              { name: 'x' },     201],
      ['DELETE', `/api/users/${other.name}/second-factor`,   {},                200],
      ['DELETE', `/api/users/${other.name}/sign-ins/home`,   {},                409],
      ['POST',   '/api/closed-guests/forget',                { provider: 'home', subject: 'x' }, 409],
      ['DELETE', `/api/sessions/${target}`,                  {},                200],
      ['DELETE', '/api/second-factor/totp',                  {},                200],
    ];
    at.clock.advance(STALE_SECONDS);
    const state = () => at.ask('/api/second-factor', { token: fresh }).then((answer) => answer.text());
    const before = await state();
    for (const [method, path, body] of doors) {
      const answer = await sendJson(at, path, body, fresh, method);
      assert.deepEqual([path, answer.status, await reasonOf(answer)], [path, 403, REASON]);
    }
    assert.equal(await state(), before);
    const proven = await sendJson(at, '/api/reauthenticate', { code: codeNow() }, fresh);
    assert.equal(proven.status, 200);
    const token = sessionIn(proven) ?? '';
    assert.equal(sessionIdOf(token), sessionIdOf(fresh), 'the same session');
    for (const [method, path, body, status] of doors)
      assert.deepEqual([path, (await sendJson(at, path, body, token, method)).status], [path, status]);
  });

  it('is not proven by a renewal, nor by a wrong password, and guesses at it are limited', async () => {
    const person = await newcomer();
    const token = await at.logIn(person);
    at.clock.advance(STALE_SECONDS);
    const renewed = sessionIn(await at.ask('/auth', { headers: { cookie: `frigate_token=${token}` } })) ?? '';
    assert.notEqual(renewed, '');
    assert.equal(await reasonOf(await sendJson(at, '/api/tokens', { name: 'x' }, renewed)), REASON);
    for (let guess = 0; guess < 5; guess += 1)
      assert.equal((await sendJson(at, '/api/reauthenticate', { password: 'not it' }, token)).status, 401);
    assert.equal((await sendJson(at, '/api/reauthenticate', { password: person.password }, token)).status, 429);
    assert.equal((await logIn(person)).status, 200, 'a login is not kept from the owner');
  });

  it('is asked for before an admin is made, demoted, ended or deleted, or another gets a password, whatever the key says', async () => {
    const [person, victim, guest] = [await newcomer('admin'), await newcomer(), await newcomer('admin')];
    const day = 86_400;
    // biome-ignore format: a table
    const doors: [method: string, path: string, body: object][] = [
      ['POST', '/api/users',                             { username: 'intruder', password: 'CalciumCandle55?', role: 'admin' }],
      ['PUT',  `/api/users/${victim.name}/role`,         { role: 'admin' }],
      ['PUT',  `/api/users/${victim.name}/password`,     { password: 'CalciumCandle55?' }],
      ['PUT',  `/api/users/${guest.name}/validity`,      { valid_until: unixSeconds(at.clock) + 30 * day }],
      ['PUT',  `/api/users/${guest.name}/role`,          { role: 'viewer' }],
      ['PUT',  `/api/users/${guest.name}/role`,          { source: 'provider' }],
      ['DELETE', `/api/users/${guest.name}`,             {}],
      ['POST', '/api/users/delete',                      { name: guest.name }],
      ['DELETE', `/api/users/${victim.name}/second-factor`, {}],
      ['POST', `/api/users/${victim.name}/invitation`,   { role: 'admin' }],
      ['POST', '/api/tokens',                            { name: 'x', role: 'admin' }],
    ];
    const session = await at.logIn(person);
    const made = await sendJson(at, '/api/tokens', { name: 'x', role: 'admin', manage_accounts: true }, session);
    const { token } = (await made.json()) as { token: string };
    at.clock.advance(STALE_SECONDS);
    const before = nvr.received.length;
    for (const credential of [session, token])
      for (const [method, path, body] of doors)
        assert.deepEqual([path, await reasonOf(await sendJson(at, path, body, credential, method))], [path, REASON]);
    assert.equal(nvr.received.length, before);
    assert.equal((await logIn(victim)).status, 200, 'the password is the old one');
    const listed = await at.ask('/api/users', { token: session });
    const roles = new Map(
      ((await listed.json()) as { username: string; role: string }[]).map((u) => [u.username, u.role]),
    );
    assert.deepEqual(
      [roles.get('intruder'), roles.get(victim.name), roles.get(guest.name)],
      [undefined, 'viewer', 'admin'],
    );
    const proven = sessionIn(await sendJson(at, '/api/reauthenticate', { password: person.password }, session)) ?? '';
    assert.equal((await sendJson(at, `/api/users/${guest.name}`, {}, proven, 'DELETE')).status, 200);
  });

  it('is of no matter on the internal port, which has nothing to prove', async () => {
    const admin = await newcomer('admin');
    const removed = await fetch(`${at.internalUrl}/api/users/${admin.name}`, { method: 'DELETE' });
    assert.equal(removed.status, 200, await removed.text());
    assert.equal((await logIn(admin)).status, 401);
  });

  it('is told to the NVR’s pages by a sentence that names the page of the console', async () => {
    const session = await at.logIn(await newcomer('admin'));
    at.clock.advance(STALE_SECONDS);
    const body = { username: 'intruder', password: 'CalciumCandle55?', role: 'admin' };
    const told = (await (await sendJson(at, '/api/users', body, session)).json()) as { message: string; page: string };
    assert.equal(told.page, '/postern/settings/users');
    assert.match(told.message, /In a browser, open \/postern\/settings\/users/);
    assert.equal(
      (await at.ask(told.page, { headers: { cookie: `frigate_token=${session}`, accept: 'text/html' } })).status,
      200,
    );
  });

  it('changes no user and no role either with "strict", and as before without', async (t) => {
    const strict = await running({ reauthenticate: 'strict' });
    t.after(() => strict.close());
    // biome-ignore format: a table
    const changes: [method: string, path: string, body: object][] = [
      ['PUT',    '/api/users/carl/role',             { role: 'viewer' }],
      ['PUT',    '/api/users/carl/password',         { password: 'CalciumCandle55?' }],
      ['PUT',    '/api/roles/night',                 { cameras: ['cam1'] }],
      ['PUT',    '/api/config/set?auth.roles.day=cam1', {}],
      ['DELETE', '/api/users/carl',                  {}],
    ];
    const [users, roles] = ['/postern/settings/users', '/postern/settings/roles'];
    /** The status, or the page that the refusal names: the NVR's own pages, which send all of these, show it. */
    const outcomes = async (where: Runtime): Promise<unknown[]> => {
      const token = await where.logIn(ADMIN_PERSON);
      where.clock.advance(STALE_SECONDS);
      const found = [];
      for (const [method, path, body] of changes) {
        const answer = await sendJson(where, path, body, token, method);
        found.push(answer.status === 403 ? Object(await answer.json()).page : answer.status);
      }
      return found;
    };
    assert.deepEqual(await outcomes(strict), [users, users, roles, roles, users]);
    assert.deepEqual(await outcomes(at), [200, users, 200, 200, 200]);
  });

  it('is no matter for API tokens: they pass no such door, whatever they were made for', async () => {
    const [person, other] = [await newcomer('admin'), await newcomer()];
    const session = await at.logIn(person);
    const made = await sendJson(at, '/api/tokens', { name: 'x', role: 'admin', manage_accounts: true }, session);
    const { token } = (await made.json()) as { token: string };
    const { token: others } = await enrolled(at, other);
    const doors: [method: string, path: string][] = [
      ['POST', '/api/tokens'],
      ['POST', '/api/reauthenticate'],
      ['DELETE', `/api/users/${other.name}/second-factor`],
      ['DELETE', `/api/sessions/${sessionIdOf(session)}`],
    ];
    for (const [method, path] of doors)
      assert.deepEqual([path, await reasonOf(await sendJson(at, path, { name: 'x' }, token, method))], [path, REASON]);
    assert.equal((await sendJson(at, '/api/second-factor/totp', {}, token)).status, 403);
    for (const alive of [session, others]) assert.equal((await at.ask('/api/profile', { token: alive })).status, 200);
    assert.equal((await at.ask('/api/version', { token })).status, 200, 'elsewhere a token asks for no code');
  });
});

describe('A user who must set up a factor', () => {
  it('can do nothing else, on any way, until it is done', async (t) => {
    const instance = await running({ second_factor: 'everyone' });
    t.after(() => instance.close());
    const token = await instance.logIn(VERA);
    const cookie = { cookie: `frigate_token=${token}` };
    const before = nvr.received.length;
    for (const path of ['/api/version', '/api/events', '/auth', '/api/tokens', '/api/sessions', '/nowhere'])
      assert.equal((await instance.ask(path, { headers: cookie })).status, 403, path);
    const asked = { 'x-original-url': 'http://nvr.test/api/version', 'x-original-method': 'GET' };
    assert.equal((await instance.ask('/auth', { headers: { ...cookie, ...asked } })).status, 403);
    const page = await instance.ask('/', { headers: { ...cookie, accept: 'text/html' } });
    assert.deepEqual([page.status, page.headers.get('location')], [302, '/postern/?next=%2F']);
    assert.equal(nvr.received.length, before);
    assert.equal((await instance.ask('/api/profile', { headers: cookie })).status, 200);
    const done = await enrolled(instance, VERA);
    const admin = (await enrolled(instance, ADMIN_PERSON)).token;
    const explained = async (user: string): Promise<unknown> =>
      (
        (await (await instance.ask(`/api/explain?user=${user}&path=/api/version`, { token: admin })).json()) as {
          reason: unknown;
        }
      ).reason;
    assert.deepEqual([await explained('carl'), await explained('vera')], ['second-factor-required', undefined]);
    assert.equal((await instance.ask('/api/version', { token: done.token })).status, 200);
    assert.equal(nvr.lastHeader('remote-user')[0], VERA.name);
    assert.equal((await instance.ask('/api/version', { token })).status, 401, 'the session of before');
  });

  it('is the admin alone with "admins", and a reload makes it so for sessions that are there', async (t) => {
    const instance = await running();
    t.after(() => instance.close());
    const [admin, vera] = [await instance.logIn(ADMIN_PERSON), await instance.logIn(VERA)];
    await instance.reload({ auth: { ...AUTH, second_factor: 'admins' }, nvr: behind });
    const statuses = [admin, vera].map(async (token) => (await instance.ask('/api/version', { token })).status);
    assert.deepEqual(await Promise.all(statuses), [403, 200]);
    const { codeNow } = await enrolled(instance, ADMIN_PERSON);
    await instance.reload({ auth: { ...AUTH, second_factor: 'off' }, nvr: behind });
    assert.equal((await logIn(ADMIN_PERSON, {}, instance)).status, 200, 'off asks nobody');
    const own = await instance.ask('/api/second-factor', { token: await instance.logIn(VERA) });
    assert.equal(((await own.json()) as { off?: boolean }).off, true, 'and offers none');
    await instance.reload({ auth: AUTH, nvr: behind });
    assert.equal((await logIn(ADMIN_PERSON, { code: codeNow() }, instance)).status, 200);
  });
});

describe('The command line', () => {
  it('helps the last admin who has lost the phone; the sessions of before are over', async (t) => {
    const directory = directoryOf(t);
    const instance = await running({}, { directory });
    t.after(() => instance.close());
    const { token } = await enrolled(instance, ADMIN_PERSON);
    const commands = await openForCommands(
      { directory, schema: configSchema, env: {}, clock: instance.clock },
      'change',
    );
    const reset = () => commands.ask('DELETE /api/users/{user}/second-factor', { params: { user: 'admin' } });
    await reset();
    await assert.rejects(reset, /^Error: admin has no second factor$/);
    await commands.close();
    assert.equal((await logIn(ADMIN_PERSON, {}, instance)).status, 200);
    assert.equal((await instance.ask('/api/version', { token })).status, 401);
  });
});

describe('Another signing secret', () => {
  it('makes codes useless, never the factor: recovery codes go on, and the log says what to do', async (t) => {
    const directory = directoryOf(t);
    const first = await running({}, { directory });
    const { codeNow, recoveryCodes } = await enrolled(first, VERA);
    await first.close();
    writeFileSync(join(directory, '.jwt_secret'), 'b'.repeat(128), { mode: 0o600 });
    const second = await running({}, { directory, clock: first.clock, people: [] });
    t.after(() => second.close());
    const told = second.log.filter(({ msg }) => /codes cannot be checked.*second-factor reset/.test(String(msg)));
    assert.deepEqual(
      told.map(({ users }) => users),
      [1],
    );
    assert.equal((await logIn(VERA, {}, second)).status, 401);
    assert.equal((await logIn(VERA, { code: codeNow() }, second)).status, 401);
    const [code = ''] = recoveryCodes;
    const back = await logIn(VERA, { code }, second);
    assert.equal(back.status, 200);
    const again = await enrolled(second, { ...VERA }, sessionIn(back));
    assert.equal((await logIn(VERA, { code: again.codeNow() }, second)).status, 200);
  });
});
