/** Three replicas on one PostgreSQL, and sign-ins with a provider: one finishes what another began, and all hear that it ends. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { oidcConfig, Visitor, vouch } from '../features/oidc/support/browser.ts';
import { CLIENT, type FakeProvider, startFakeProvider } from '../features/oidc/support/fake-provider.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

describe('Sign-ins with a provider on replicas', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres;
  let url: string;
  let replicas: Replicas;
  let provider: FakeProvider;
  const now = (): number => Math.floor(Date.now() / 1000);
  before(async () => {
    postgres = await startPostgres();
    provider = await startFakeProvider(now);
    const config = { nvr: { cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider) };
    url = await postgres.newDatabase();
    replicas = await startReplicas(3, url, config);
  });
  after(async () => {
    await replicas.close();
    await Promise.all([postgres.stop(), provider.close()]);
  });
  beforeEach(() => {
    provider.answers = {};
  });

  const at = (index: number): Runtime => replicas.all[index] ?? assert.fail('it was not started');
  /** The same browser, whose next requests go to that replica. */
  const sentTo = (index: number, visitor: Visitor): Visitor => {
    const other = new Visitor(at(index));
    visitor.copyTo(other);
    return other;
  };
  const statusesOf = (visitor: Visitor): Promise<readonly number[]> =>
    Promise.all(replicas.all.map(async (_, index) => (await sentTo(index, visitor).ask('GET', '/api/profile')).status));

  /** Begun at one replica and finished at another. */
  async function signIn(sub: string, sid: string): Promise<Visitor> {
    const begun = new Visitor(at(0));
    const { asked } = await begun.begin();
    await vouch(provider, { sub, sid, groups: ['front'], nonce: asked.get('nonce') });
    const finished = sentTo(1, begun);
    assert.equal((await finished.comeBack({ asked }, { iss: provider.issuer })).status, 302);
    // The answer is good once, on all of them.
    assert.equal((await sentTo(2, begun).comeBack({ asked }, { iss: provider.issuer })).status, 400);
    return finished;
  }

  it('are begun at one and finished at another, and hold at all', async () => {
    assert.deepEqual(await statusesOf(await signIn('ann', 's1')), [200, 200, 200]);
  });

  it('are good once, also where all replicas are asked at the same moment', async () => {
    const begun = new Visitor(at(0));
    const { asked } = await begun.begin();
    await vouch(provider, { sub: 'ann', groups: ['front'], nonce: asked.get('nonce') });
    const held = new pg.Client({ connectionString: url });
    await held.connect();
    await held.query('begin; lock table revoked_tokens in share mode');
    const answers = replicas.all.map((_, index) => sentTo(index, begun).comeBack({ asked }, { iss: provider.issuer }));
    const waits = "select count(*)::int as waits from pg_stat_activity where wait_event_type = 'Lock'";
    await until('all are at the store', async () => Object((await held.query(waits)).rows[0]).waits === answers.length);
    await held.query('commit');
    await held.end();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [302, 400, 400]);
  });

  it('end at all by back-channel logout at one, and the logout token is good once', async () => {
    const [ended, other] = [await signIn('bob', 's2'), await signIn('bob', 's3')];
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = { iss: provider.issuer, aud: CLIENT.id, iat: now(), jti: 'once', sid: 's2', events: event };
    const logout_token = await provider.sign(claims);
    const send = async (index: number): Promise<number> => {
      const body = new URLSearchParams({ logout_token });
      return (await at(index).ask('/api/login/oidc/home/backchannel-logout', { method: 'POST', body })).status;
    };
    assert.deepEqual(await statusesOf(ended), [200, 200, 200]);
    assert.equal(await send(2), 200);
    await until('all refuse the session', async () => (await statusesOf(ended)).every((status) => status === 401));
    assert.deepEqual([await send(0), await send(1)], [400, 400]);
    assert.deepEqual(await statusesOf(other), [200, 200, 200]);
  });
});
