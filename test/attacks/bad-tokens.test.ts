/** Invalid API tokens are counted apart from logins, so that a broken client locks no user out (SPEC 4.4). */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { watchInstance } from './support/watched-instance.ts';

const { instance, nvr } = await watchInstance({
  auth: { failed_login_rate_limit: '3/minute', roles: { front_only: ['cam1'] }, hash_iterations: 1000 },
});
const ID = '0123456789abcdef';
const SECRET = 'a'.repeat(64);
const BAD = `pst_${ID}_${SECRET}`;
const basic = (token: string): string => `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}`;

beforeEach(() => instance.clock.advance(60));

const ask = (authorization: string): Promise<Response> =>
  instance.ask('/api/version', { headers: { authorization, 'user-agent': 'a broken client' } });

async function statusesOf(authorization: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let turn = 0; turn < times; turn += 1) statuses.push((await ask(authorization)).status);
  return statuses;
}

const TEN = Array<number>(10).fill(401);

describe('A client with a bad API token', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, authorization: string][] = [
    ['that was never made',      `Bearer ${BAD}`],
    ['that is half of one',      'Bearer pst_0123'],
    ['as a password of Basic',   basic(BAD)],
  ];
  for (const [sentence, authorization] of rows) {
    it(`${sentence} is told to slow down after ten, and to try again in a minute`, async () => {
      assert.deepEqual(await statusesOf(authorization, 12), [...TEN, 429, 429]);
      const limited = await ask(authorization);
      assert.equal(limited.headers.get('retry-after'), '60');
      const message = 'Too many bad API tokens came from this address: try again in a minute.';
      assert.deepEqual(await limited.json(), { success: false, message, reason: 'tokens-limited' });
      instance.clock.advance(60);
      assert.deepEqual(await statusesOf(authorization, 1), [401]);
      assert.deepEqual(nvr.received, []);
    });
  }

  it('has ten guesses and no more when they come at once', async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await ask(`Bearer ${BAD}`)).status));
    assert.deepEqual(
      [statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 429).length],
      [10, 40],
    );
  });

  it('does not lock out logins or good tokens from its address', async () => {
    const headers = { 'content-type': 'application/json' };
    const token = await instance.logIn(ADMIN_PERSON);
    const made = await instance.ask('/api/tokens', { method: 'POST', token, headers, body: '{"name":"good"}' });
    const { token: good } = (await made.json()) as { token: string };
    await statusesOf(`Bearer ${BAD}`, 11);
    assert.equal((await ask(`Bearer ${good}`)).status, 200);
    assert.equal((await ask(basic(good))).status, 200);
    assert.equal((await instance.ask('/api/version', { token: await instance.logIn(VERA) })).status, 200);
    // Nor do wrong passwords count as bad tokens.
    const guess = () =>
      instance.ask('/api/login', { method: 'POST', headers, body: '{"user":"vera","password":"wrong"}' });
    for (const status of [401, 401, 401, 429]) assert.equal((await guess()).status, status);
    assert.equal((await ask(`Bearer ${good}`)).status, 200);
  });

  it('leaves a line for each until it is limited, with which token it was, and never its secret', async () => {
    const known = instance.log.length;
    await statusesOf(`Bearer ${BAD}`, 14);
    const lines = instance.log.slice(known).filter(({ logger }) => logger === 'service.audit');
    const line = { what: 'token-refused', from: '127.0.0.1', verdict: 'refused', reason: 'unknown', tokenId: ID };
    assert.deepEqual(
      lines.map(({ what, from, verdict, reason, tokenId }) => ({ what, from, verdict, reason, tokenId })),
      Array(10).fill(line),
    );
    assert.equal(JSON.stringify(instance.log).includes(SECRET), false);
  });
});
