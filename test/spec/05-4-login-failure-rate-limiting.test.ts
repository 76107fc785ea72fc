/** Interface 5.4: login failure rate limiting, sentence by sentence, over real HTTP. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const auth = (more: ConfigTree = {}): ConfigTree => ({
  auth: { hash_iterations: 1000, failed_login_rate_limit: '5/minute;7/hour', ...more },
});

const attempt = (instance: Runtime, password: string, headers: Record<string, string> = {}) =>
  fetch(`${instance.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ user: 'vera', password }),
  });

const statusesOf = async (answers: Promise<Response>[]): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const wrong = (instance: Runtime, times: number, headers?: Record<string, string>) =>
  statusesOf(Array.from({ length: times }, () => attempt(instance, 'a wrong password', headers)));

describe('5.4 Login failure rate limiting', () => {
  let instance: Runtime;
  beforeEach(async () => {
    instance = await startInstance({ config: auth() });
  });
  afterEach(() => instance.close());

  it('limits the login endpoint when failures exceed any clause, however many come at once', async () => {
    assert.deepEqual(await wrong(instance, 200), { 401: 5, 429: 195 });
  });

  it('counts failures, and no login that succeeds', async () => {
    for (let times = 0; times < 10; times += 1) assert.equal((await attempt(instance, VERA.password)).status, 200);
    assert.deepEqual(await wrong(instance, 6), { 401: 5, 429: 1 });
    assert.equal((await attempt(instance, VERA.password)).status, 429, 'the right password waits too');
  });

  it('says how long to wait, right to the second, and in the words of the NVR', async () => {
    await wrong(instance, 5);
    instance.clock.advance(20);
    const answer = await attempt(instance, VERA.password);
    assert.equal(answer.headers.get('retry-after'), '40');
    assert.deepEqual(await answer.json(), {
      success: false,
      message: 'Too many failed attempts: try again in 40 s.',
      reason: 'rate-limited',
      values: { seconds: 40 },
      error: 'Rate limit exceeded: 5 per 1 minute',
    });
    instance.clock.advance(39);
    assert.equal((await attempt(instance, VERA.password)).status, 429);
    instance.clock.advance(1);
    assert.equal((await attempt(instance, VERA.password)).status, 200);
  });

  it('limits by the longer clause too', async () => {
    assert.deepEqual(await wrong(instance, 5), { 401: 5 });
    instance.clock.advance(60);
    assert.deepEqual(await wrong(instance, 5), { 401: 2, 429: 3 });
    const answer = await attempt(instance, VERA.password);
    assert.equal(answer.headers.get('retry-after'), '3540');
    assert.equal(((await answer.json()) as { error: string }).error, 'Rate limit exceeded: 7 per 1 hour');
  });

  it('counts guesses at the own password as well', async () => {
    const token = await instance.logIn(VERA);
    const guess = () =>
      instance.ask('/api/users/vera/password', {
        method: 'PUT',
        token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ old_password: 'a wrong password', password: 'another-password' }),
      });
    assert.deepEqual(await statusesOf(Array.from({ length: 8 }, guess)), { 401: 5, 429: 3 });
    assert.equal((await attempt(instance, VERA.password)).status, 429);
  });

  it('writes a line for each refusal, with who, from where and with what', async () => {
    await wrong(instance, 6, { 'user-agent': 'a guesser\t1' });
    const lines = instance.log.filter(({ logger }) => logger === 'service.audit');
    const shown = lines.map(({ what, who, from, agent, verdict, reason }) => ({
      what,
      who,
      from,
      agent,
      verdict,
      reason,
    }));
    const line = { what: 'login', who: 'vera', from: '127.0.0.1', agent: 'a guesser\t1', verdict: 'refused' };
    const sorted = shown.sort((a, b) => String(a.reason).localeCompare(String(b.reason)));
    assert.deepEqual(sorted, [
      ...Array.from({ length: 5 }, () => ({ ...line, reason: 'bad-credentials' })),
      { ...line, reason: 'rate-limited' },
    ]);
  });
});

describe('5.4 Behind a proxy', () => {
  let instance: Runtime;
  before(async () => {
    instance = await startInstance({ config: auth({ trusted_proxies: ['127.0.0.1/32', '10.0.0.0/8'] }) });
  });
  after(() => instance.close());

  // biome-ignore format: a table
  const rows: [sentence: string, one: string, other: string, isSame: boolean][] = [
    ['two clients have a limit each',                       '203.0.113.1', '203.0.113.2', false],
    ['what a client writes to the left is not looked at',   '1.1.1.1, 203.0.113.3', '2.2.2.2, 203.0.113.3', true],
    ['trusted hops are stepped over',                       '203.0.113.4, 10.1.1.1', '203.0.113.4, 10.2.2.2', true],
    ['ports are cut off',                                   '203.0.113.5:1111', '203.0.113.5:2222', true],
    ['an IPv4 address mapped into IPv6 is itself',          '::ffff:203.0.113.6', '203.0.113.6', true],
    ['an IPv6 client is its /64',                           '2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
    ['another /64 is another client',                       '2001:db8:0:2::1', '2001:db8:0:3::1', false],
    ['a zone is cut off',                                   'fe80::7%eth0', '[fe80::7%wlan0]:443', true],
    ['nonsense counts for the hop that reports it',         'unknown, 10.0.0.9', '_hidden, 10.0.0.9', true],
  ];
  for (const [sentence, one, other, isSame] of rows) {
    it(sentence, async () => {
      assert.deepEqual(await wrong(instance, 6, { 'x-forwarded-for': one }), { 401: 5, 429: 1 });
      const answer = await attempt(instance, VERA.password, { 'x-forwarded-for': other });
      assert.equal(answer.status, isSame ? 429 : 200);
    });
  }

  it('a header of 10 KB is read from its right end, and is no way around', async () => {
    const padded = (seed: number) => `${`${seed}.1.1.1, `.repeat(1200).slice(0, 10_000)}, 203.0.113.77`;
    const answers = Array.from({ length: 6 }, (_, at) =>
      attempt(instance, 'wrong password', { 'x-forwarded-for': padded(at) }),
    );
    assert.deepEqual(await statusesOf(answers), { 401: 5, 429: 1 });
  });

  it('without auth.trusted_proxies limits apply to the proxy address', async () => {
    const untrusting = await startInstance({ config: auth() });
    const answers = [1, 2, 3, 4, 5, 6].map((at) =>
      attempt(untrusting, 'wrong password', { 'x-forwarded-for': `203.0.113.${at}` }),
    );
    assert.deepEqual(await statusesOf(answers), { 401: 5, 429: 1 });
    await untrusting.close();
  });
});

describe('5.4 Restarting the service', () => {
  it('resets the rate limits; users, API tokens and what was revoked stay', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-restart-'));
    const first = await startInstance({ directory, config: auth() });
    const [ended, open] = [await first.logIn(VERA), await first.logIn(VERA)];
    const json = { 'content-type': 'application/json' };
    const asAdmin = { token: await first.logIn(ADMIN_PERSON), headers: json };
    const made = async () => {
      const answer = await first.ask('/api/tokens', { ...asAdmin, method: 'POST', body: '{"name":"ha"}' });
      return (await answer.json()) as { id: string; token: string };
    };
    const [revoked, kept] = [await made(), await made()];
    await first.ask(`/api/tokens/${revoked.id}`, { ...asAdmin, method: 'DELETE' });
    await first.ask('/api/roles/guard', { ...asAdmin, method: 'PUT', body: '{"cameras":["cam1"]}' });
    await first.ask('/api/users/carl/role', { ...asAdmin, method: 'PUT', body: '{"role":"guard"}' });
    await first.ask('/api/logout', { method: 'POST', token: ended });
    await wrong(first, 6);
    assert.equal((await attempt(first, VERA.password)).status, 429);
    await first.close();

    const second = await startInstance({ directory, config: auth(), people: [], clock: first.clock });
    assert.equal((await attempt(second, VERA.password)).status, 200);
    const status = async (token: string) => (await second.ask('/api/profile', { token })).status;
    const statuses = await Promise.all([ended, open, revoked.token, kept.token].map(status));
    assert.deepEqual(statuses, [401, 200, 401, 200]);
    const roles = (await (await second.ask('/api/roles', { token: kept.token })).json()) as {
      role: string;
      users: number;
    }[];
    assert.deepEqual(
      roles.map(({ role, users }) => [role, users]),
      [
        ['admin', 1],
        ['viewer', 1],
        ['front_only', 0],
        ['guard', 1],
      ],
    );
    await second.close();
    rmSync(directory, { recursive: true });
  });
});
