/** PostgreSQL that is killed, frozen or locked: refused with 503 in time, nothing ended is accepted, and all heals without a restart. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { findStoreFault } from '../../src/domain/store/store-fault.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

/** An API token that is well formed: the store must be asked for it. */
const UNKNOWN = 'pst_0123456789abcdef_'.padEnd(85, '0');

describe('A PostgreSQL that fails', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres;
  let database: string;
  let replicas: Replicas;
  let one: Runtime;
  before(async () => {
    postgres = await startPostgres();
    database = await postgres.newDatabase();
    replicas = await startReplicas(1, database);
    one = replicas.all[0] ?? assert.fail();
  });
  after(async () => {
    await replicas.close();
    await postgres.stop();
  });

  const profile = async (token: string): Promise<number> => (await one.ask('/api/profile', { token })).status;
  const logOut = (token: string): Promise<Response> =>
    one.ask('/logout', { method: 'POST', headers: { cookie: `frigate_token=${token}` } });
  const isRefused = (answer: Response): void =>
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
  const healed = (token: string): Promise<void> => until('it heals', async () => (await profile(token)) === 200);

  it('in the middle of transactions refuses them, and the process lives', async () => {
    const store = await openStore({ url: database });
    const faults: unknown[] = [];
    let began = (): void => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    let goOn = (): void => {};
    const gone = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const work = store.db
      .transaction()
      .execute(async (transaction) => {
        await transaction.selectFrom('users').select('name').execute();
        began();
        await gone;
        await transaction.deleteFrom('users').where('name', '=', 'nobody').execute();
      })
      .catch((fault: unknown) => faults.push(fault));
    await begun;
    await postgres.kill();
    goOn();
    await work;
    assert.equal(findStoreFault(faults[0]), 'unreachable', String(faults[0]));
    await postgres.start();
    await store.close();
  });

  it('is killed: refused at once, a logout ends the session all the same, and it heals', async () => {
    await until('a login works', async () =>
      one.logIn(VERA).then(
        () => true,
        () => false,
      ),
    );
    const [vera, carl] = [await one.logIn(VERA), await one.logIn(CARL)];
    assert.deepEqual([await profile(vera), await profile(carl)], [200, 200]);
    await postgres.kill();
    isRefused(await one.ask('/api/profile', { token: UNKNOWN }));
    const answer = await logOut(carl);
    isRefused(answer);
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^frigate_token=;/);
    await postgres.start();
    await healed(vera);
    assert.equal(await profile(carl), 401);
    assert.equal((await fetch(`${one.telemetryUrl}/readyz`)).status, 200);
  });

  it('is frozen: every answer comes in time, and it heals', async () => {
    const [vera, carl] = [await one.logIn(VERA), await one.logIn(CARL)];
    postgres.signal('SIGSTOP');
    let answered = 0;
    const asked = [...Array.from({ length: 12 }, () => one.ask('/api/profile', { token: UNKNOWN })), logOut(carl)];
    const counted = asked.map(async (answer) => {
      isRefused(await answer);
      answered += 1;
    });
    for (let times = 0; times < 3; times += 1) await fetch(`${one.telemetryUrl}/readyz`);
    assert.equal(answered, 0, '/readyz is answered before PostgreSQL is given up');
    await Promise.all(counted);
    assert.equal((await fetch(`${one.telemetryUrl}/readyz`)).status, 503);
    postgres.signal('SIGCONT');
    await healed(vera);
    assert.equal(await profile(carl), 401);
  });

  it('whose revocations another client has locked: reads go on, a write is refused', async () => {
    const admin = await one.logIn(ADMIN_PERSON);
    const other = new pg.Client({ connectionString: database });
    await other.connect();
    await other.query('begin; lock table revoked_tokens in exclusive mode');
    const answer = await logOut(admin);
    assert.equal(await profile(admin), 401);
    await other.query('rollback');
    await other.end();
    isRefused(answer);
    const vera = await one.logIn(VERA);
    assert.equal(await profile(vera), 200);
  });
});
