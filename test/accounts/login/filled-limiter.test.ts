/** A flood of failures from many addresses fills the memory of the login limiter: who can still log in (SPEC 4.5). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startAccountServer } from '../support/account-server.ts';
import { PASSWORD, person } from '../support/people.ts';

const REMEMBERED = 10;
const HOME = '192.0.2.7';
const FOREIGN_TOKEN = `pst_${'a'.repeat(16)}_${'b'.repeat(64)}`;
/** Each in a network of its own. */
const stranger = (number: number): string => `198.18.${number}.1`;

async function startSmall(t: TestContext) {
  const server = await startAccountServer(t, { limit: '2/minute', remembered: REMEMBERED });
  await server.store.addUser(await person('vera'));
  const post = (path: string, address: string, body: unknown, cookie = '') =>
    server.send('POST', path, { body, headers: { 'x-test-address': address, ...(cookie && { cookie }) } });
  const login = (address: string, password: string) => post('/api/login', address, { user: 'vera', password });
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof login>>): string =>
    headers['set-cookie']?.[0]?.split(';')[0] ?? assert.fail('no cookie');
  /** More of them than the limiter remembers, each until it is limited; gives the last answers. */
  const flood = async (password: string): Promise<number[]> => {
    const last: number[] = [];
    for (let at = 0; at < 2 * REMEMBERED; at += 1) {
      for (let times = 0; times < 2; times += 1) await login(stranger(at), password);
      last.push((await login(stranger(at), password)).status);
    }
    return last;
  };
  return { ...server, post, login, cookieOf, flood };
}

const EACH_LIMITED = Array<number>(2 * REMEMBERED).fill(429);

describe('The login while strangers fill its limiter', () => {
  it('is open for everybody when they send made-up tokens, which cost no hash', async (t) => {
    const { login, flood } = await startSmall(t);
    assert.deepEqual(await flood(FOREIGN_TOKEN), EACH_LIMITED);
    assert.equal((await login('203.0.113.1', 'a-wrong-password')).status, 401);
    assert.equal((await login('203.0.113.2', PASSWORD)).status, 200);
  });

  it('is open for everybody when they send a good token that was not made for logins', async (t) => {
    const { login, post, cookieOf, flood } = await startSmall(t);
    const made = await post('/api/tokens', HOME, { name: 'a' }, cookieOf(await login(HOME, PASSWORD)));
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(await flood(JSON.parse(made.text).token), EACH_LIMITED);
    assert.equal((await login('203.0.113.2', PASSWORD)).status, 200);
  });

  it('is open for who logged in from there before when they guess passwords, and asks that person again anywhere', async (t) => {
    const { login, post, cookieOf, flood } = await startSmall(t);
    const cookie = cookieOf(await login(HOME, PASSWORD));
    await flood('a-wrong-password');
    assert.equal((await login('203.0.113.1', PASSWORD)).status, 429, 'the bucket of new addresses is full');
    assert.equal((await login(HOME, PASSWORD)).status, 200);
    const again = await post('/api/reauthenticate', '203.0.113.2', { password: PASSWORD }, cookie);
    assert.equal(again.status, 200, again.text);
  });
});
