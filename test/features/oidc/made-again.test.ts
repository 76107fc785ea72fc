/** An account that is deleted and made again under its name while its former owner signs in: the sign-in opens nothing (SPEC 16). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { VERA } from '../../support/people.ts';
import { startPostgres, withoutPostgres } from '../../support/servers/postgres.ts';
import { startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { oidcConfig, Visitor, vouch } from './support/browser.ts';
import { startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

it('A sign-in that another replica removes with its account, while it is used, opens no account of the same name', {
  skip: withoutPostgres,
}, async (t) => {
  const server = await startPostgres();
  t.after(server.stop);
  const url = await server.newDatabase();
  const provider = await startFakeProvider(now);
  t.after(provider.close);
  const config = { nvr: { cameras: ['cam1'] }, store: { url }, ...oidcConfig(provider) };
  const instance = await startInstance({ config });
  t.after(() => instance.close());
  const owner = new Visitor(instance);
  await owner.ask('POST', '/api/login', { user: VERA.name, password: VERA.password });
  const { url: address } = (await (await owner.ask('POST', '/api/account/sign-ins/home')).json()) as { url: string };
  const { searchParams: asked } = new URL(address);
  await vouch(provider, { sub: 'v', nonce: asked.get('nonce') });
  assert.equal((await owner.comeBack({ asked }, { iss: provider.issuer })).status, 302);

  const replica = new pg.Client({ connectionString: url });
  await replica.connect();
  await replica.query('begin');
  await replica.query('select 1 from sign_ins for update');
  const former = new Visitor(instance);
  const answer = former.signIn(provider, { sub: 'v' });
  const waits = "select count(*)::int as waits from pg_stat_activity where wait_event_type = 'Lock'";
  await until('the sign-in waits for its row', async () => Object((await replica.query(waits)).rows[0]).waits > 0);
  await replica.query('delete from sign_ins');
  await replica.query('update users set created_at = created_at + 1 where name = $1', [VERA.name]);
  await replica.query('commit');
  await replica.end();
  assert.equal((await answer).status, 403);
  assert.ok(!former.namesOfCookies().includes('frigate_token'));
});
