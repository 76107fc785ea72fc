/** A back-channel logout while the store takes no revocation: the sessions end, and the provider may send it again (SPEC 16). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, describe, it } from 'node:test';
import { startPostgres, type TestPostgres, withoutPostgres } from '../../support/servers/postgres.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig, Visitor } from './support/browser.ts';
import { CLIENT, type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

/** Where the store is, and how its table of revocations is made to refuse rows. */
interface Engine {
  readonly store: object;
  refuse(rows: string, instance: Runtime): Promise<void>;
  mend(instance: Runtime): Promise<void>;
  stop(): Promise<void>;
}

async function sqlite(): Promise<Engine> {
  const run = async (statement: string, { directory }: Runtime): Promise<void> => {
    const file = new DatabaseSync(join(directory, 'postern.db'));
    file.exec(statement);
    file.close();
  };
  return {
    store: {},
    refuse: (rows, instance) =>
      run(
        `create trigger refused before insert on revoked_tokens when ${rows} begin select raise(abort, 'refused'); end`,
        instance,
      ),
    mend: (instance) => run('drop trigger if exists refused', instance),
    stop: async () => {},
  };
}

async function postgres(): Promise<Engine> {
  const server: TestPostgres = await startPostgres();
  const url = await server.newDatabase();
  const database = new URL(url).pathname.slice(1);
  await server.run(
    "create function refuse() returns trigger language plpgsql as $$ begin raise 'refused' using errcode = '53100'; end $$",
    database,
  );
  return {
    store: { store: { url } },
    refuse: (rows) =>
      server.run(
        `create trigger refused before insert on revoked_tokens for each row when (${rows}) execute function refuse()`,
        database,
      ),
    mend: () => server.run('drop trigger if exists refused on revoked_tokens', database),
    stop: server.stop,
  };
}

for (const [name, start, skip] of [
  ['SQLite', sqlite, false],
  ['PostgreSQL', postgres, withoutPostgres],
] as const)
  describe(`A back-channel logout while ${name} takes no revocation`, { skip }, () => {
    let engine: Engine;
    let provider: FakeProvider;
    let instance: Runtime;
    before(async () => {
      [engine, provider] = [await start(), await startFakeProvider(now)];
      instance = await startInstance({
        config: { nvr: { cameras: ['cam1'] }, ...oidcConfig(provider), ...engine.store },
      });
    });
    after(async () => {
      await instance.close();
      await provider.close();
      await engine.stop();
    });

    afterEach(() => engine.mend(instance));

    const signedIn = async (sid: string): Promise<Visitor> => {
      const visitor = new Visitor(instance);
      assert.equal((await visitor.signIn(provider, { sub: 'gina', sid, groups: ['front'] })).status, 302);
      assert.equal(await statusOf(visitor), 200);
      return visitor;
    };
    const statusOf = async (visitor: Visitor): Promise<number> => (await visitor.ask('GET', '/api/profile')).status;
    /** The same token, as often as it is sent. */
    const logout = async (): Promise<() => Promise<number>> => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const claims = { iss: provider.issuer, aud: CLIENT.id, iat: now(), jti: randomUUID(), sub: 'gina', events };
      const logout_token = await provider.sign(claims);
      return async () => {
        const body = new URLSearchParams({ logout_token });
        return (await instance.ask('/api/login/oidc/home/backchannel-logout', { method: 'POST', body })).status;
      };
    };

    it('ends all sessions at once, and the same token is good once when it can be written', async () => {
      const visitors = [await signedIn('s1'), await signedIn('s2'), await signedIn('s3')];
      const send = await logout();
      await engine.refuse('true', instance);
      assert.ok((await send()) >= 500);
      assert.deepEqual(await Promise.all(visitors.map(statusOf)), [401, 401, 401]);
      await engine.mend(instance);
      assert.equal(await send(), 200);
      assert.equal(await send(), 400);
      assert.deepEqual(await Promise.all(visitors.map(statusOf)), [401, 401, 401]);
    });

    it('is done when the sessions are over, though the token could not be marked as used', async () => {
      const visitor = await signedIn('s4');
      const send = await logout();
      await engine.refuse('length(new.token_id) = 43', instance);
      assert.equal(await send(), 200);
      assert.equal(await statusOf(visitor), 401);
      assert.equal(await send(), 400);
    });
  });
