/** Three replicas on one PostgreSQL and one Redis: a guesser gets no more tries at three than at one (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { guessesFrom, limitedConfig, logInFrom } from '../limits/support/guesses.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { enrolled } from '../support/second-factor.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { startRedis, type TestRedis, withoutRedis } from '../support/servers/redis.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

const COUNT = 5;
const REPLICAS = 3;
const CODES_A_MINUTE = 5;
/** Without Redis each replica allows a third, rounded up. */
const ALONE = Math.ceil(COUNT / REPLICAS) * REPLICAS;

describe('Three replicas', { skip: withoutPostgres || withoutRedis, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let replicas: Replicas;
  before(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const config = limitedConfig({ redis_url: redis.url, replicas: REPLICAS }, `${COUNT}/minute;8/hour`);
    replicas = await startReplicas(REPLICAS, await postgres.newDatabase(), config);
  });
  after(async () => {
    await replicas.close();
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  const at = (number: number): Runtime => replicas.all[number % REPLICAS] ?? assert.fail();
  /** So many at once, at each replica in turn. */
  const atOnce = async (times: number, guess: (at: Runtime, number: number) => Promise<unknown>): Promise<unknown[]> =>
    (await Promise.all(Array.from({ length: times }, (_, number) => guess(at(number), number)))).flat();
  const passed = (statuses: readonly unknown[]): number => {
    assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
    return statuses.filter((status) => status === 401).length;
  };
  const advance = (seconds: number): void => {
    for (const { clock } of replicas.all) clock.advance(seconds);
  };

  it('check no more wrong passwords than one, however they are sent', async () => {
    const address = '192.0.2.1';
    assert.equal(passed(await atOnce(45, (replica) => guessesFrom(replica, address, VERA, 1))), COUNT);
    for (let number = 0; number < REPLICAS; number += 1) assert.equal(await logInFrom(at(number), address, VERA), 429);
    advance(60);
    assert.equal(passed(await atOnce(30, (replica) => guessesFrom(replica, address, CARL, 1))), 3, 'the hour is full');
    advance(3600);
    assert.equal(await logInFrom(at(1), address, VERA), 200);
  });

  it('take a /64 for one client, and give back nothing for another that succeeds', async () => {
    const guesses = atOnce(40, (replica, number) => guessesFrom(replica, `2001:db8:0:7::${number + 1}`, VERA, 1));
    const successes = atOnce(20, (replica, number) => logInFrom(replica, `2001:db8:0:8::${number + 1}`, CARL));
    assert.equal(passed(await guesses), COUNT);
    assert.deepEqual(new Set(await successes), new Set([200]));
  });

  it('check no more wrong codes for one account than one, from however many addresses', async () => {
    await enrolled(at(0), ADMIN_PERSON);
    const guess = (replica: Runtime, number: number) =>
      logInFrom(replica, `198.51.100.${number + 1}`, ADMIN_PERSON, '000000');
    assert.equal(passed(await atOnce(30, guess)), CODES_A_MINUTE);
  });

  it('let right passwords pass side by side, though they are more than the limit', async () => {
    const all = await atOnce(18, (replica) => logInFrom(replica, '192.0.2.30', VERA));
    assert.deepEqual(new Set(all), new Set([200]));
    assert.equal(
      passed(await atOnce(20, (replica) => guessesFrom(replica, '192.0.2.30', VERA, 1))),
      COUNT,
      'all is given back',
    );
  });

  it('count no address in a form that can be read, and nothing that stays', async () => {
    const keys = redis.ask('keys', '*');
    assert.match(keys, /^postern:limits:login:\{[\w-]{22}\}:client:[\w-]{22}$/m);
    assert.doesNotMatch(keys, /192\.0|2001/);
    const late = `local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', key) < 0 then n = n + 1 end end return n`;
    assert.equal(redis.ask('eval', late, '0'), '0');
  });

  it('ask Redis for logins only: not for requests, and not for bad API tokens', async () => {
    const token = await at(0).logIn(VERA);
    const asked = (): string | undefined =>
      redis
        .ask('info', 'commandstats')
        .split(/\r?\n/)
        .find((line) => line.startsWith('cmdstat_evalsha:'));
    const before = asked();
    for (const credential of [token, `pst_0123456789abcdef_${'0'.repeat(64)}`, token])
      await atOnce(12, (replica) => replica.ask('/api/profile', { token: credential }));
    assert.equal(asked(), before);
    await at(0).logIn(VERA);
    assert.notEqual(asked(), before);
  });

  it('give a guesser no more than both limits together while the ways to Redis are cut again and again', async () => {
    const address = '192.0.2.50';
    const changes = (): number =>
      replicas.all.flatMap(({ log }) => log).filter(({ msg }) => /failed logins are counted/.test(String(msg))).length;
    let tries = 0;
    for (let times = 0; times < 2; times += 1) {
      const before = changes();
      const guesses = atOnce(30, (replica) => guessesFrom(replica, address, VERA, 2));
      const successes = atOnce(30, (replica, number) => logInFrom(replica, `198.51.${number}.1`, CARL));
      redis.ask('client', 'kill', 'type', 'normal', 'skipme', 'yes');
      assert.deepEqual(new Set(await successes), new Set([200]), 'right passwords pass meanwhile');
      tries += (await guesses).filter((status) => status === 401).length;
      await until('all have healed', () => changes() >= before + 2 * REPLICAS);
    }
    assert.ok(tries >= COUNT && tries <= COUNT + ALONE, `${tries} guesses`);
    assert.equal(passed(await atOnce(9, (replica) => guessesFrom(replica, '192.0.2.51', VERA, 1))), COUNT);
  });
});
