import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { parseHash } from '../../../src/accounts/passwords/password-hash.ts';
import type { AccountStore } from '../../../src/store/accounts/accounts.ts';
import { startAccountServer } from '../support/account-server.ts';
import type { Answered } from '../support/ask.ts';
import { openInstanceStore, PASSWORD, person } from '../support/people.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const VERA = { user: 'vera', password: PASSWORD };
const WRONG = { user: 'vera', password: 'not the password' };
const FAILED = { success: false, message: 'Login failed' };
const TYPE = { 'content-type': 'application/json' };

async function loginServerOfVera(
  t: Parameters<typeof startAccountServer>[0],
  options: Parameters<typeof startAccountServer>[1] = {},
) {
  const started = await startAccountServer(t, options);
  await started.store.addUser(await person('vera'));
  const login = (body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
    started.send('POST', '/api/login', { body, headers });
  return { ...started, login };
}

describe('POST /api/login', () => {
  it('answers a good login with success, the session cookie as the only one, and nothing to cache', async (t) => {
    const { login, send, heard } = await loginServerOfVera(t);
    const { status, json, headers } = await login(VERA);
    assert.deepEqual([status, json, headers['cache-control']], [200, { success: true }, 'no-store']);
    const [cookie = '', ...others] = headers['set-cookie'] ?? [];
    assert.match(cookie, /^frigate_token=[\w-]+\.[\w-]+\.[\w-]+; HttpOnly; Max-Age=86400; Path=\/; SameSite=lax$/);
    assert.deepEqual(others, []);
    const profile = await send('GET', '/api/profile', { headers: { cookie: cookie.split(';')[0] ?? '' } });
    assert.deepEqual(profile.json, {
      username: 'vera',
      role: 'viewer',
      allowed_cameras: ['garden', 'patio_1', 'street'],
    });
    assert.deepEqual(heard.logins, ['success']);
    assert.deepEqual(heard.audit, [
      { what: 'login', who: 'vera', credential: 'session:ID', from: '192.0.2.1', verdict: 'allowed', requestId: 'r1' },
    ]);
  });

  it('gives a token that is good as a bearer too (interface 5.1.3)', async (t) => {
    const { login, send } = await loginServerOfVera(t);
    const token = /=([^;]+)/.exec((await login(VERA)).headers['set-cookie']?.[0] ?? '')?.[1];
    assert.equal((await send('GET', '/api/profile', { headers: { authorization: `Bearer ${token}` } })).status, 200);
  });

  it('marks the cookie Secure for a client that came over TLS', async (t) => {
    const { login } = await loginServerOfVera(t, { state: { clientEncrypted: true } });
    assert.match((await login(VERA)).headers['set-cookie']?.[0] ?? '', /; Secure$/);
  });

  const refused: [sentence: string, body: object, who: string | undefined][] = [
    ['a wrong password', WRONG, 'vera'],
    ['an unknown user', { ...VERA, user: 'ghost' }, 'ghost'],
    ['an empty user and password', { user: '', password: '' }, undefined],
    ['a name in another case', { ...VERA, user: 'Vera' }, 'Vera'],
    ['a name with a blank', { ...VERA, user: 'vera ' }, undefined],
    ['a name with NUL', { ...VERA, user: 'vera\0' }, undefined],
    ['a full-width name', { ...VERA, user: 'ｖera' }, undefined],
    ['a password typed where the name goes, without logging it', { user: 'correct horse!', password: '' }, undefined],
    ['a user whose stored hash is malformed', { user: 'broken', password: PASSWORD }, 'broken'],
  ];
  for (const [sentence, body, who] of refused) {
    it(`answers ${sentence} like any other failure, at the cost of one hash`, async (t) => {
      const { login, store, heard } = await loginServerOfVera(t);
      await store.addUser({ ...(await person('broken')), passwordHash: 'pbkdf2_sha256$600000$nosalt' });
      const { status, json, headers } = await login(body);
      assert.deepEqual([status, json, heard.hashes, heard.logins], [401, FAILED, 1, ['bad_credentials']]);
      assert.deepEqual([headers['set-cookie'], headers['location']], [undefined, undefined]);
      assert.deepEqual(heard.audit[0], {
        what: 'login',
        who,
        from: '192.0.2.1',
        verdict: 'refused',
        reason: 'bad-credentials',
        requestId: 'r1',
        ...(who !== undefined && (await store.findUser(who)) === undefined && { unknown: true }),
      });
    });
  }

  const text = (value: unknown): string => JSON.stringify(value);
  // biome-ignore format: a table
  const malformed: [sentence: string, body: string | Buffer, headers: Record<string, string>, status: number, said: RegExp][] = [
    ['no password',              text({ user: 'vera' }), {}, 422, /body\.password: Field required/],
    ['no user',                  text({ password: PASSWORD }), {}, 422, /body\.user: Field required/],
    ['a user in a list',         text({ ...VERA, user: ['vera'] }), {}, 422, /body\.user: Input should be a string/],
    ['a user that is an object', text({ ...VERA, user: { $ne: null } }), {}, 422, /body\.user: Input should be a string/],
    ['a password that is null',  text({ ...VERA, password: null }), {}, 422, /body\.password: Input should be a string/],
    ['a password with NUL',      text({ ...VERA, password: `${PASSWORD}\0` }), {}, 422, /NUL/],
    ['a lone surrogate',         '{"user":"vera","password":"\\ud800aaaaaaaaaaa"}', {}, 422, /well-formed/],
    ['1025 bytes of password',   text({ ...VERA, password: 'a'.repeat(1025) }), {}, 422, /at most 1024 bytes/],
    ['a prototype for a body',   '{"__proto__":{"user":"vera","password":"x"}}', {}, 422, /body\.user: Field required/],
    ['a list',                   text([VERA]), {}, 422, /should be an object/],
    ['null',                     'null', {}, 422, /should be an object/],
    ['half an object',           '{"user":', {}, 422, /not JSON/],
    ['nothing',                  '', {}, 422, /not JSON/],
    ['4,000 brackets',           '['.repeat(4000), {}, 422, /not JSON/],
    ['bytes that are not UTF-8', Buffer.from('{"user":"\xff","password":"x"}', 'latin1'), {}, 422, /not JSON/],
    ['UTF-16',                   Buffer.from(text(VERA), 'utf16le'), {}, 422, /not JSON/],
    ['a byte order mark',        `\ufeff${text(VERA)}`, {}, 422, /not JSON/],
    ['a form',                   'user=vera&password=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, /application\/json/],
    ['plain text',               text(VERA), { 'content-type': 'text/plain' }, 415, /application\/json/],
    ['another kind of JSON',     text(VERA), { 'content-type': 'application/json-seq' }, 415, /application\/json/],
    ['no type',                  text(VERA), { 'content-type': '' }, 415, /application\/json/],
    ['another charset',          text(VERA), { 'content-type': 'application/json; charset=utf-7' }, 415, /UTF-8/],
    ['a charset hidden in two',  text(VERA), { 'content-type': 'application/json; charset=utf-8; charset=utf-7' }, 415, /UTF-8/],
    ['a compressed body',        text(VERA), { 'content-encoding': 'gzip' }, 415, /Content-Encoding/],
    ['8,193 bytes',              text(VERA).padEnd(8193), {}, 413, /too large/],
  ];
  for (const [sentence, body, headers, status, said] of malformed) {
    it(`answers ${sentence} with ${status}, in words, without a hash or a place in the limit`, async (t) => {
      const { login, heard } = await loginServerOfVera(t, { limit: '1/hour' });
      const answered = await login(body, headers);
      const json = answered.json as { success: boolean; message: string; detail?: unknown[] };
      assert.deepEqual([answered.status, json.success], [status, false]);
      assert.match(json.message, said);
      assert.equal(Array.isArray(json.detail), status === 422);
      assert.deepEqual(
        [heard.hashes, heard.logins, answered.headers['set-cookie']],
        [0, ['invalid_request'], undefined],
      );
      assert.equal((await login(VERA)).status, 200);
    });
  }

  // biome-ignore format: a table
  const untyped: [sentence: string, headers: Record<string, string>, status: number][] = [
    ['no browser is taken as JSON', {}, 200],
    ['a page of the service is refused', { origin: 'http://127.0.0.1' }, 415],
    ['a page whose origin is hidden is refused', { origin: 'null' }, 415],
    ['a browser that sends no Origin is refused', { 'sec-fetch-site': 'same-origin' }, 415],
    ['no browser, and compressed, is refused', { 'content-encoding': 'gzip' }, 415],
  ];
  for (const [sentence, headers, status] of untyped) {
    it(`without a Content-Type from ${sentence}`, async (t) => {
      const { port, heard } = await loginServerOfVera(t);
      const path = `http://127.0.0.1:${port}/api/login`;
      const sent = request(path, { method: 'POST', headers });
      sent.end(text(VERA));
      const [answer]: IncomingMessage[] = await once(sent, 'response');
      answer?.resume();
      assert.deepEqual([answer?.statusCode, heard.hashes], [status, status === 200 ? 1 : 0]);
    });
  }

  const accepted: [sentence: string, body: string, type: string][] = [
    ['a charset of utf-8', text(VERA), 'application/json; charset=utf-8'],
    ['a quoted charset in capitals', text(VERA), 'Application/JSON;charset="UTF-8"'],
    ['other parameters', text(VERA), 'application/json; profile=x'],
    ['fields that it does not know', text({ ...VERA, remember: true, role: 'admin' }), 'application/json'],
    ['8,192 bytes', text(VERA).padEnd(8192), 'application/json'],
  ];
  for (const [sentence, body, type] of accepted) {
    it(`takes ${sentence}`, async (t) => {
      const { login } = await loginServerOfVera(t);
      assert.equal((await login(body, { 'content-type': type })).status, 200);
    });
  }

  it('says 404 when authentication is disabled', async (t) => {
    const { login, heard } = await loginServerOfVera(t, { settings: { authEnabled: false } });
    const { status, json } = await login(VERA);
    assert.deepEqual(
      [status, json],
      [404, { success: false, message: 'Authentication is disabled', reason: 'login-off' }],
    );
    assert.deepEqual(heard.logins, ['disabled']);
  });

  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    it(`does not take ${method}`, async (t) => {
      const { send } = await loginServerOfVera(t);
      const { status, headers } = await send(method, '/api/login?user=vera&password=only-looking-around');
      assert.deepEqual([status, headers['allow'], headers['set-cookie']], [405, 'POST', undefined]);
    });
  }

  for (const path of ['/API/login', '/api/login/', '/api/Login']) {
    it(`is not ${path}`, async (t) => {
      const { send } = await loginServerOfVera(t);
      assert.equal((await send('POST', path, { body: VERA })).status, 404);
    });
  }

  it('counts a body without a length while it reads', async (t) => {
    const { port, heard } = await loginServerOfVera(t);
    const head =
      'POST /api/login HTTP/1.1\r\nHost: nvr\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await said(port, head + `2000\r\n${' '.repeat(8192)}\r\n`.repeat(2));
    assert.match(answer, /^HTTP\/1\.1 413 .*Connection: close/s);
    assert.deepEqual(heard.logins, ['invalid_request']);
  });

  it('does not wait for a body that says it is too large', async (t) => {
    const { port } = await loginServerOfVera(t);
    const head =
      'POST /api/login HTTP/1.1\r\nHost: nvr\r\nContent-Type: application/json\r\nContent-Length: 8193\r\n\r\n';
    assert.match(await said(port, head), /^HTTP\/1\.1 413 .*Connection: close/s);
  });

  it('waits for a body no longer than it should (G28)', async (t) => {
    const { port, heard } = await loginServerOfVera(t, { settings: { bodySeconds: 0.05 } });
    const head =
      'POST /api/login HTTP/1.1\r\nHost: nvr\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"user"';
    assert.match(await said(port, head), /^HTTP\/1\.1 408 .*Connection: close.*took too long/s);
    assert.deepEqual(heard.logins, ['invalid_request']);
  });

  it('counts as an error, and fails, when the store does; the client keeps its place', async (t) => {
    const records = await openInstanceStore(t);
    const { accounts } = records;
    let isBroken = true;
    const store: AccountStore = {
      ...accounts,
      findUser: (name) => (isBroken ? Promise.reject(new Error('disk')) : accounts.findUser(name)),
    };
    const { login, heard } = await loginServerOfVera(t, { store, records, limit: '1/hour' });
    assert.equal((await login(VERA)).status, 500);
    isBroken = false;
    assert.equal((await login(VERA)).status, 200);
    assert.deepEqual(heard.logins, ['error', 'success']);
  });
});

/** Everything the server says until it hangs up. */
const said = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket
      .on('data', (chunk) => (text += chunk))
      .on('error', reject)
      .on('close', () => resolve(text));
    socket.write(bytes);
  });

describe('POST /api/login, guessed at', () => {
  it('computes exactly 5 hashes for 50 parallel wrong passwords at 5/minute (G02)', async (t) => {
    const { login, heard } = await loginServerOfVera(t, { limit: '5/minute' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => login(WRONG)));
    const count = (status: number): number => answers.filter((answered) => answered.status === status).length;
    assert.deepEqual([count(401), count(429), heard.hashes], [5, 45, 5]);
  });

  it('answers 429 with Retry-After to a limited client, even with the right password, without hashing (G03)', async (t) => {
    const { login, clock, heard } = await loginServerOfVera(t, { limit: '2/minute;20/hour' });
    await login(WRONG);
    clock.advance(10);
    await login(WRONG);
    const { status, json, headers } = await login(VERA);
    const message = 'Too many failed attempts: try again in 50 s.';
    assert.deepEqual([status, headers['retry-after'], headers['set-cookie']], [429, '50', undefined]);
    const told = { reason: 'rate-limited', values: { seconds: 50 } };
    assert.deepEqual(json, { success: false, message, ...told, error: 'Rate limit exceeded: 2 per 1 minute' });
    assert.deepEqual(
      [heard.hashes, heard.logins.at(-1), heard.audit.at(-1)?.reason],
      [2, 'rate_limited', 'rate-limited'],
    );
    clock.advance(49);
    assert.equal((await login(VERA)).status, 429);
    clock.advance(1);
    assert.equal((await login(VERA)).status, 200);
  });

  it('names the window as the reference does', async (t) => {
    const { login } = await loginServerOfVera(t, { limit: '0/5 minutes' });
    assert.deepEqual((await login(VERA)).json, {
      success: false,
      message: 'Too many failed attempts: try again in 300 s.',
      reason: 'rate-limited',
      values: { seconds: 300 },
      error: 'Rate limit exceeded: 0 per 5 minute',
    });
  });

  it('counts failures only: any number of good logins passes', async (t) => {
    const { login, heard } = await loginServerOfVera(t, { limit: '1/hour' });
    for (let login_ = 0; login_ < 10; login_ += 1) assert.equal((await login(VERA)).status, 200);
    assert.deepEqual(heard.logins, Array(10).fill('success'));
  });

  it('does not forgive failures for a success (G04)', async (t) => {
    const { login } = await loginServerOfVera(t, { limit: '2/minute' });
    const statuses = [];
    for (const body of [WRONG, VERA, WRONG, VERA]) statuses.push((await login(body)).status);
    assert.deepEqual(statuses, [401, 200, 401, 429]);
  });

  it('limits each client by itself', async (t) => {
    const { login } = await loginServerOfVera(t, { limit: '1/minute' });
    const from = async (address: string) => (await login(WRONG, { 'x-test-address': address })).status;
    assert.deepEqual([await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.1')], [401, 401, 429]);
  });

  it('is busy when too many passwords wait, and that costs no place in the limit', async (t) => {
    const { login, heard } = await loginServerOfVera(t, { limit: '1/hour', hashing: { concurrency: 0, queue: 0 } });
    const answers = [await login(VERA), await login(WRONG)];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['retry-after']]),
      Array(2).fill([503, '5']),
    );
    assert.deepEqual([heard.logins, heard.hashes], [['busy', 'busy'], 0]);
    assert.deepEqual(
      heard.audit.map(({ what, who, reason }) => [what, who, reason]),
      [
        ['login', 'vera', 'busy'],
        ['login', 'vera', 'busy'],
      ],
    );
  });
});

describe('POST /api/login and older hashes', () => {
  it('raises the iterations at a good login, which ends no session', async (t) => {
    const { login, send, store } = await loginServerOfVera(t, { hashing: { iterations: 30 } });
    const cookie = (await login(VERA)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    assert.equal(parseHash((await store.findUser('vera'))?.passwordHash ?? '')?.iterations, 30);
    assert.equal((await login(VERA)).status, 200);
    assert.equal((await send('GET', '/api/profile', { headers: { cookie } })).status, 200);
  });

  it('leaves them at a failed one', async (t) => {
    const { login, store } = await loginServerOfVera(t, { hashing: { iterations: 30 } });
    await login(WRONG);
    assert.equal(parseHash((await store.findUser('vera'))?.passwordHash ?? '')?.iterations, 10);
  });
});

describe('A restart', () => {
  it('keeps users and logouts, and forgets failures (interface 5.4)', async (t) => {
    const directory = tempDirectory(t);
    const before = await loginServerOfVera(t, { records: await openInstanceStore(t, directory), limit: '1/hour' });
    const cookie = (await before.login(VERA)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const kept = (await before.login(VERA)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    await before.send('POST', '/api/logout', { headers: { cookie } });
    assert.deepEqual([(await before.login(WRONG)).status, (await before.login(VERA)).status], [401, 429]);

    const { send } = await startAccountServer(t, { records: await openInstanceStore(t, directory), limit: '1/hour' });
    const profile = async (session: string) =>
      (await send('GET', '/api/profile', { headers: { cookie: session } })).status;
    assert.deepEqual([await profile(cookie), await profile(kept)], [401, 200]);
    assert.equal((await send('POST', '/api/login', { body: VERA, headers: TYPE })).status, 200);
  });
});
