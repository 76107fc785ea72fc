/** Three replicas on one PostgreSQL: a guesser gets no more tries at three than at one (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { enrolled } from '../support/second-factor.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { guessesFrom, limitedConfig, logInFrom } from './support/guesses.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

const COUNT = 5;
const REPLICAS = 3;
const CODES_A_MINUTE = 5;

describe('Three replicas', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  let url: string;
  let replicas: Replicas;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
    replicas = await startReplicas(REPLICAS, url, limitedConfig(`${COUNT}/minute;8/hour`));
  });
  after(async () => {
    await replicas.close();
    await postgres.stop();
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

  it('feel it when an admin lifts a limit at one of them, and count on from there', async () => {
    const address = '192.0.2.70';
    assert.equal(passed(await atOnce(12, (replica) => guessesFrom(replica, address, VERA, 1))), COUNT);
    const token = await at(0).logIn(ADMIN_PERSON);
    const list = async (from: Runtime): Promise<{ id: string; subject: string; names: string[] }[]> =>
      (await (await from.ask('/api/status/limits', { token })).json()) as never;
    const limit = (await list(at(1))).find(({ subject }) => subject === address) ?? assert.fail('it is not listed');
    assert.deepEqual(limit.names, ['vera']);
    const lifted = await at(2).ask(`/api/status/limits/${limit.id}`, { method: 'DELETE', token });
    assert.equal(lifted.status, 200, await lifted.text());
    // The clock of each stands at its own start: what comes now is behind the lift by all of them.
    advance(20);
    assert.equal(passed(await atOnce(30, (replica) => guessesFrom(replica, address, VERA, 1))), COUNT, 'as many anew');
    for (let number = 0; number < REPLICAS; number += 1) {
      assert.equal(await logInFrom(at(number), address, VERA), 429);
      assert.ok((await list(at(number))).some(({ subject }) => subject === address));
    }
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

  /** Attempts as they are stored. */
  const stored = async (): Promise<readonly { attempt: string; key: string; is_over: boolean }[]> => {
    const store = await openStore({ url, readOnly: true });
    const { rows } = await sql<{ attempt: string; key: string; is_over: boolean }>`
      select attempt, key, is_over from login_attempts order by attempt, key`.execute(store.db);
    await store.close();
    return rows;
  };

  it('count no address in a form that can be read, and give back what did not fail', async () => {
    const rows = await stored();
    assert.ok(rows.some(({ key }) => /^client:[\w-]{22}$/.test(key)) && rows.some(({ key }) => /^network:/.test(key)));
    for (const { key } of rows) assert.match(key, /^(?:client|network|code):[\w-]{22}$/);
    await until('right passwords are given back', async () => (await stored()).every(({ is_over }) => is_over));
  });

  it('write attempts for logins only: not for requests, and not for bad API tokens', async () => {
    const token = await at(0).logIn(VERA);
    await until('it is given back', async () => (await stored()).every(({ is_over }) => is_over));
    const before = await stored();
    for (const credential of [token, `pst_0123456789abcdef_${'0'.repeat(64)}`, token])
      await atOnce(12, (replica) => replica.ask('/api/profile', { token: credential }));
    assert.deepEqual(await stored(), before);
    await guessesFrom(at(0), '192.0.2.60', VERA, 1);
    assert.notDeepEqual(await stored(), before);
  });

  it('check no password while the store is away, and count on afterwards where they were', async () => {
    const address = '192.0.2.50';
    assert.equal(passed(await atOnce(9, (replica) => guessesFrom(replica, '192.0.2.51', VERA, 1))), COUNT);
    assert.deepEqual(await guessesFrom(at(0), address, CARL, 2), [401, 401]);
    await postgres.kill();
    const away = await atOnce(12, (replica) => guessesFrom(replica, address, CARL, 1));
    assert.deepEqual(new Set(away), new Set([503]));
    await postgres.start();
    await until('the store is back', async () => (await logInFrom(at(1), '198.51.100.1', CARL)) === 200);
    const after = await atOnce(20, (replica) => guessesFrom(replica, address, CARL, 1));
    assert.equal(after.filter((status) => status === 401).length, COUNT - 2);
    assert.deepEqual(await guessesFrom(at(2), '192.0.2.51', VERA, 1), [429]);
  });
});
