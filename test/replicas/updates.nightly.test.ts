/** An update of replicas, one after another: this version, and a build of it whose tables have a column more (SPEC 10). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { MAIN, runPostern, type Serving, servePostern } from '../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const NEXT = '999-planted';
const PASSWORD = 'four wet horses 12';
const PLANTED = `export const planted = {
  up: (db: import('kysely').Kysely<unknown>) => db.schema.alterTable('users').addColumn('planted', 'text').execute(),
};
`;

/** The sources with a migration more; all else is that of the checkout. */
function nextBuild(): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-next-'));
  for (const name of readdirSync(ROOT).filter((name) => name !== 'src' && name !== 'bundle'))
    symlinkSync(join(ROOT, name), join(directory, name));
  cpSync(join(ROOT, 'src'), join(directory, 'src'), { recursive: true });
  const migrations = join(directory, 'src/store/migrations');
  writeFileSync(join(migrations, `${NEXT}.ts`), PLANTED);
  const list = join(migrations, 'all-migrations.ts');
  const text = readFileSync(list, 'utf8')
    .replace(/^import /m, `import { planted } from './${NEXT}.ts';\nimport `)
    .replace('getMigrations: async () => ({', `getMigrations: async () => ({ '${NEXT}': planted,`);
  writeFileSync(list, text);
  return directory;
}

describe('An update of replicas to a version that adds to the tables', {
  skip: withoutPostgres,
  timeout: 300_000,
}, () => {
  let postgres: TestPostgres;
  let url: string;
  let build: string;
  let env: Record<string, string>;
  const running = new Set<Serving>();
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
    build = nextBuild();
    env = {
      SERVICE_JWT_SECRET: randomBytes(48).toString('hex'),
      POSTERN__STORE__URL: url,
      POSTERN__NVR__CAMERAS: '["cam1"]',
    };
  });
  after(async () => {
    for (const replica of running) await replica.end();
    await postgres.stop();
    rmSync(build, { recursive: true, force: true });
  });

  const serve = async (main: string): Promise<Serving> => {
    const replica = await servePostern({ main, env });
    running.add(replica);
    return replica;
  };
  const end = async (replica: Serving): Promise<void> => {
    running.delete(replica);
    assert.equal(await replica.end(), 0);
  };
  const ask = (at: Serving, path: string, token: string, method = 'GET', body?: object): Promise<Response> =>
    fetch(`${at.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const status = async (...asked: Parameters<typeof ask>): Promise<number> => (await ask(...asked)).status;
  const logIn = async (at: Serving, user: string, password: string): Promise<string> => {
    const answer = await ask(at, '/api/login', '', 'POST', { user, password });
    assert.equal(answer.status, 200, await answer.text());
    return /^frigate_token=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? assert.fail('no session');
  };
  const planted = async (name: string): Promise<unknown> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query('select planted from users where name = $1', [name]);
    await client.end();
    return rows[0]?.planted;
  };

  it('keeps both versions at work beside each other, and an old one that is started again says what to do', async () => {
    const old = await serve(MAIN);
    const admin = await logIn(old, 'admin', old.adminPassword ?? assert.fail('no password'));
    const make = (at: Serving, username: string): Promise<number> =>
      status(at, '/api/users', admin, 'POST', { username, password: PASSWORD, role: 'viewer' });
    assert.equal(await make(old, 'vera'), 200);
    const vera = await logIn(old, 'vera', PASSWORD);

    const next = await serve(join(build, 'src/main.ts'));
    await postgres.run("update users set planted = 'kept' where name = 'vera'", new URL(url).pathname.slice(1));
    for (const at of [old, next]) {
      assert.equal(await status(at, '/api/profile', vera), 200);
      assert.equal(await status(at, '/api/events?limit=1', admin), 200, 'the events backend starts with this question');
    }
    assert.equal(await make(old, 'olaf'), 200);
    assert.equal(await make(next, 'nora'), 200);
    assert.equal(await status(old, '/api/users/vera/role', admin, 'PUT', { role: 'admin' }), 200);
    assert.deepEqual([await planted('vera'), await planted('olaf')], ['kept', null]);
    for (const [at, name] of [
      [next, 'olaf'],
      [old, 'nora'],
    ] as const)
      await logIn(at, name, PASSWORD);
    assert.equal(await status(next, '/logout', vera, 'POST'), 303);
    await until('the old one has heard of it', async () => (await status(old, '/api/profile', vera)) === 401);

    await end(old);
    const again = await runPostern(['serve'], { main: MAIN, env });
    assert.equal(again.code, 1);
    assert.match(
      again.stdout + again.stderr,
      new RegExp(
        `is of a newer version: its tables are at ${NEXT}, and this version knows them up to .*Start the newer version again`,
      ),
    );
    const second = await serve(join(build, 'src/main.ts'));
    assert.equal(await status(second, '/api/profile', admin), 200);
  });
});
