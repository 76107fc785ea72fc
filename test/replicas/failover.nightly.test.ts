/** Several hosts in `store.url`: the one that takes writes is used, and found anew after a failover, without a restart (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CARL, type Person, VERA } from '../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

const READ_WRITE = '?target_session_attrs=read-write';

describe('Two Posterns on a PostgreSQL with a standby', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  let replicas: Replicas;
  let [one, two]: Runtime[] = [];
  before(async () => {
    primary = await startPostgres();
    await primary.newDatabase();
    standby = await primary.startStandby();
    // The standby comes first: it is left for the server that takes writes.
    const url = `postgres://postern@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/store_1${READ_WRITE}`;
    replicas = await startReplicas(2, url);
    [one, two] = replicas.all;
  });
  after(async () => {
    await replicas?.close();
    await standby?.stop();
    await primary?.stop();
  });

  const at = (replica: Runtime | undefined): Runtime => replica ?? assert.fail('it was not started');
  const profile = async (replica: Runtime | undefined, token: string): Promise<number> =>
    (await at(replica).ask('/api/profile', { token })).status;
  const ready = async (replica: Runtime | undefined): Promise<number> =>
    (await fetch(`${at(replica).telemetryUrl}/readyz`)).status;
  const canLogIn = (replica: Runtime | undefined, person: Person): Promise<boolean> =>
    at(replica)
      .logIn(person)
      .then(
        () => true,
        () => false,
      );
  /** An end of a session on one of them holds on the other. */
  const assertInStep = async (): Promise<void> => {
    const token = await at(one).logIn(CARL);
    assert.equal(await profile(two, token), 200);
    await at(one).ask('/logout', { token, method: 'POST' });
    await until('the other refuses it', async () => (await profile(two, token)) === 401);
  };

  it('use the host that takes writes', assertInStep);

  it('go on with the standby once it is promoted, and what was ended stays ended', async () => {
    const [vera, carl] = [await at(one).logIn(VERA), await at(one).logIn(CARL)];
    assert.equal(await profile(one, carl), 200);
    await at(two).ask('/logout', { token: carl, method: 'POST' });
    await until('the other has heard of it', async () => (await profile(one, carl)) === 401);
    assert.equal(await profile(one, vera), 200);
    await until('the standby has it', async () => isEnded(standby));
    await primary.kill();
    assert.equal(await canLogIn(one, VERA), false);
    await standby.promote();
    await until('both are ready again', async () => (await ready(one)) === 200 && (await ready(two)) === 200);
    await until('logins work again', async () => (await canLogIn(one, VERA)) && canLogIn(two, VERA));
    assert.deepEqual([await profile(one, vera), await profile(two, carl)], [200, 401]);
    await assertInStep();
  });

  it('leave a server that refuses writes for the one that takes them', async () => {
    await primary.stop();
    primary = await standby.startStandby();
    // The same address as before is not to be had: the new standby listens elsewhere, so a third Postern is told of it.
    const url = `postgres://postern@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/store_1${READ_WRITE}`;
    const more = await startReplicas(1, url);
    const third = more.all[0];
    try {
      const vera = await at(third).logIn(VERA);
      await until('the standby has it', async () => isThere(primary));
      await primary.promote();
      await standby.run('alter system set default_transaction_read_only = on');
      await standby.run('select pg_reload_conf()');
      await until(
        'a logout is taken',
        async () => (await at(third).ask('/logout', { token: vera, method: 'POST' })).status !== 503,
      );
      assert.equal(await profile(third, vera), 401);
      await until('it is ready', async () => (await ready(third)) === 200);
      assert.equal(await canLogIn(third, VERA), true);
    } finally {
      await more.close();
    }
  });
});

const holds = (server: TestPostgres, condition: string): Promise<boolean> =>
  server.run(`do $$ begin assert ${condition}; end $$`, 'store_1').then(
    () => true,
    () => false,
  );
const isEnded = (server: TestPostgres): Promise<boolean> => holds(server, '(select count(*) from revoked_tokens) >= 2');
const isThere = (server: TestPostgres): Promise<boolean> => holds(server, '(select count(*) from users) > 0');
