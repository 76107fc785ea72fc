/** A PostgreSQL store is opened: over TLS that is checked, by several replicas at once, and not where changes would go unheard (SPEC 10). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { findStoreFault } from '../../src/domain/store/store-fault.ts';
import { makeSelfSigned } from '../../src/gateway/certificates/certificates.ts';
import { openStore } from '../../src/store/open-store.ts';
import { CHANGED } from '../../src/store/postgres/postgres-changes.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';

describe('A PostgreSQL store', { skip: withoutPostgres }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-ca-'));
  const [authority, other] = [join(directory, 'ca.pem'), join(directory, 'other.pem')];
  let server: TestPostgres;
  let url: string;
  before(async () => {
    const [own, unknown] = await Promise.all(
      ['localhost', 'other'].map((name) => makeSelfSigned({ names: [name], now: Date.now() })),
    );
    writeFileSync(authority, own?.certificate ?? '');
    writeFileSync(other, unknown?.certificate ?? '');
    const files = { 'server.crt': own?.certificate ?? '', 'server.key': own?.privateKey ?? '' };
    server = await startPostgres({}, { ...files, 'postgresql.auto.conf': 'ssl = on\n' });
    url = await server.newDatabase();
  });
  after(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const named = (): string => url.replace('127.0.0.1', 'localhost');
  const isEncrypted = async (address: string): Promise<boolean | undefined> => {
    const store = await openStore({ url: address });
    const asked = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    const { rows } = await asked.execute(store.db);
    await store.close();
    return rows[0]?.ssl;
  };
  const refusal = (address: string, listenUrl?: string): Promise<string> =>
    openStore({ url: address, listenUrl }).then(
      async (store) => {
        await store.close();
        return 'it was opened';
      },
      (fault: Error) => {
        assert.equal(findStoreFault(fault), 'unreachable', fault.stack);
        return fault.message;
      },
    );

  it('tells the connection that changes a row its name, also where the server is told to send no notices', async () => {
    const quiet = await server.newDatabase();
    const store = await openStore({ url: quiet });
    const client = new pg.Client({ connectionString: quiet });
    await client.connect();
    const told: string[] = [];
    client.on('notice', ({ message }) => told.push(message ?? ''));
    await client.query('set client_min_messages = error');
    await client.query("insert into revoked_tokens (token_id, expires_at) values ('session', 4000000000)");
    await Promise.all([client.end(), store.close()]);
    assert.deepEqual(told, [`${CHANGED}revoked_tokens session`]);
  });

  it('is made ready once by three replicas that open it at the same time', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openStore({ url })));
    const [one, two] = stores;
    await one?.accounts.revokeToken('session', 4_000_000_000);
    assert.equal(await two?.accounts.isRevoked('session'), true);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('of a newer version is refused, for a writer and for a reader', async () => {
    await server.run("insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')", 'store_1');
    for (const readOnly of [false, true])
      await assert.rejects(
        openStore({ url, readOnly }),
        /^Error: the store on PostgreSQL is of a newer version: its tables are at 999-later, and this version knows them up to 0\d\d-[a-z-]+\. Start the newer version again, or restore the dump that was made before the update: stop all replicas, make the database anew with dropdb and createdb, and fill it with "pg_restore --dbname=ADDRESS FILE"\. What was written since then is lost$/,
      );
    await server.run("delete from kysely_migration where name = '999-later'", 'store_1');
  });

  it('is not opened where its changes would not be heard', async () => {
    const elsewhere = await server.newDatabase();
    assert.match(await refusal(url, elsewhere), /^changes of the store are not received: .* set store\.listen_url/);
    assert.equal(await refusal(url, `${named()}?sslmode=no-verify`), 'it was opened');
  });

  // biome-ignore format: a table
  const ways: readonly [sentence: string, query: () => string, isTls: boolean][] = [
    ['plain when no sslmode is given',                          () => '', false],
    ['encrypted with the CA of the server',                     () => `?sslmode=verify-full&sslrootcert=${authority}`, true],
    ['encrypted with a certificate that nothing checks',        () => '?sslmode=no-verify', true],
  ];
  for (const [sentence, query, isTls] of ways)
    it(`is reached ${sentence}`, async () => assert.equal(await isEncrypted(`${named()}${query()}`), isTls));

  // biome-ignore format: a table
  const refusals: readonly [sentence: string, address: () => string, message: RegExp][] = [
    ['by another CA',                             () => `${named()}?sslmode=verify-full&sslrootcert=${other}`, /no connection: .*self-signed certificate/],
    ['by no CA, though libpq would not check it', () => `${named()}?sslmode=require`,                          /no connection: .*self-signed certificate/],
    ['for another name',                          () => `${url}?sslmode=verify-ca&sslrootcert=${authority}`,   /no connection: .*does not match certificate's altnames/],
    ['with a CA file that is not there',          () => `${named()}?sslmode=verify-full&sslrootcert=/no/ca`,   /no such file or directory, open '\/no\/ca'/],
  ];
  for (const [sentence, address, message] of refusals)
    it(`refuses a certificate ${sentence}`, async () => assert.match(await refusal(address()), message));

  it('refuses a server without TLS when it is asked for', async () => {
    await server.run('alter system set ssl = off');
    await server.run('select pg_reload_conf()');
    const address = `${named()}?sslmode=verify-full&sslrootcert=${authority}`;
    await until('TLS is off', async () => /does not support SSL connections/.test(await refusal(address)));
  });
});
