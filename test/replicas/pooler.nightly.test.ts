/** Replicas behind a PgBouncer that works by transactions, with nothing set but `store.listen_url` (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { runPostern } from '../support/run-postern.ts';
import { startPgbouncer, type TestPgbouncer, withoutPgbouncer } from '../support/servers/pgbouncer.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { startReplicas } from './support/replicas.ts';

describe('Behind a PgBouncer', { skip: withoutPostgres || withoutPgbouncer, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  let bouncer: TestPgbouncer;
  before(async () => {
    postgres = await startPostgres();
    bouncer = await startPgbouncer(postgres.port);
  });
  after(async () => {
    await bouncer?.stop();
    await postgres?.stop();
  });

  const place = async () => {
    const direct = await postgres.newDatabase();
    return { direct, pooled: direct.replace(`:${postgres.port}/`, `:${bouncer.port}/`) };
  };

  it('replicas start, log in, change, and hear of each other', async (test) => {
    const { direct, pooled } = await place();
    const { all, close } = await startReplicas(2, direct, { store: { url: pooled, listen_url: direct } });
    test.after(close);
    const [one = assert.fail(), two = assert.fail()] = all;
    const [admin, vera] = [await one.logIn(ADMIN_PERSON), await two.logIn(VERA)];
    const status = async (token: string) => (await two.ask('/api/profile', { token })).status;
    assert.equal(await status(vera), 200);
    const changed = await one.ask('/api/users/vera/role', {
      method: 'PUT',
      token: admin,
      headers: { 'content-type': 'application/json' },
      body: '{"role":"front_only"}',
    });
    assert.equal(changed.status, 200, await changed.text());
    await until('the other replica knows', async () => {
      const answer = await two.ask('/api/profile', { token: vera });
      return ((await answer.json()) as { role: string }).role === 'front_only';
    });
    await one.ask('/logout', { method: 'POST', token: vera });
    await until('the session is over', async () => (await status(vera)) === 401);
    assert.equal((await fetch(`${one.telemetryUrl}/readyz`)).status, 200);
  });

  it('a reader leaves nothing behind that stops a writer', async () => {
    const { direct, pooled } = await place();
    await (await openStore({ url: pooled, listenUrl: direct })).close();
    const reader = await openStore({ url: pooled, readOnly: true });
    assert.deepEqual(await reader.accounts.listUsers(), []);
    await reader.close();
    const writer = await openStore({ url: pooled, listenUrl: direct });
    await writer.probe();
    await writer.close();
  });

  it('a start without store.listen_url says what to set', async () => {
    const { pooled } = await place();
    await assert.rejects(openStore({ url: pooled }), /set store\.listen_url/);
  });

  it('postern check says it too, and finds nothing where store.listen_url is set', async () => {
    const { direct, pooled } = await place();
    const check = (env: Record<string, string>) =>
      runPostern(['check'], { env: { POSTERN__STORE__URL: pooled, POSTERN__SERVER__TELEMETRY: 'false', ...env } });
    const deaf = await check({});
    assert.equal(deaf.code, 1);
    assert.match(deaf.stderr, /store\.url: changes of the store are not received: .* set store\.listen_url/);
    const { code, stderr } = await check({ POSTERN__STORE__LISTEN_URL: direct });
    assert.deepEqual([code, stderr], [0, '']);
  });
});
