/** A store that is gone or emptied is no first start: nothing is made in its place, and no new admin (SPEC 10). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newDirectory, runPostern, servePostern } from '../support/run-postern.ts';
import { startPostgres, withoutPostgres } from '../support/servers/postgres.ts';

const CONFIG = 'tls: {enabled: false}\nauth: {hash_iterations: 1000}\n';
const env = { POSTERN__SERVER__INTERNAL: 'false' };
const PORTS = { ...env, POSTERN__SERVER__EXTERNAL: '127.0.0.1:0', POSTERN__SERVER__TELEMETRY: '127.0.0.1:0' };
const FILES = ['', '-wal', '-shm'];

/** Where a service was started once, and ended by the signal. */
async function used(config = CONFIG, signal: NodeJS.Signals = 'SIGTERM'): Promise<string> {
  const directory = newDirectory(config);
  const postern = await servePostern({ directory, env });
  assert.ok(postern.adminPassword);
  await postern.end(signal);
  return directory;
}

const store = (directory: string): string => join(directory, 'postern.db');
const remove = (directory: string): void => {
  for (const end of FILES) rmSync(`${store(directory)}${end}`, { force: true });
};

/** Refused, and everything is as it was. */
async function assertRefused(directory: string, message: RegExp, more: Record<string, string> = {}): Promise<void> {
  const seen = () =>
    FILES.map((end) => `${store(directory)}${end}`).map((file) =>
      existsSync(file) ? readFileSync(file, 'hex') : undefined,
    );
  const before = seen();
  const { code, stdout, stderr } = await runPostern(['serve'], { directory, env: { ...PORTS, ...more } });
  assert.deepEqual([code, /Password/.test(stdout)], [1, false], stderr);
  assert.match(stderr, message);
  assert.deepEqual(seen(), before);
}

const EMPTY =
  /the store at \S+postern\.db is empty, but .* "postern restore FILE"\. To begin anew with an empty store and a new admin, remove \S+\.configured/;
const BESIDE =
  /the store at \S+postern\.db is empty or gone, but \S+postern\.db-wal beside it holds data: .* "postern restore/;

describe('A store that was in use', () => {
  it('is not made anew when its files are gone, until the mark is removed', async () => {
    const directory = await used();
    remove(directory);
    await assertRefused(directory, EMPTY);
    const { code, stderr } = await runPostern(['users', 'add', 'ann', '--role', 'admin'], {
      directory,
      stdin: 'CalciumCandle55?\n',
    });
    assert.equal(code, 1, stderr);
    assert.equal(existsSync(store(directory)), false);
    rmSync(join(directory, '.configured'));
    const anew = await servePostern({ directory, env });
    assert.ok(anew.adminPassword);
    await anew.end();
  });

  it('is not made anew when its file was emptied', async () => {
    const directory = await used();
    remove(directory);
    writeFileSync(store(directory), '');
    await assertRefused(directory, EMPTY);
  });

  it('is not opened when its file was emptied or removed beside its log, which stays as it is', async () => {
    for (const lose of [(file: string) => truncateSync(file), (file: string) => rmSync(file)]) {
      const directory = await used(CONFIG, 'SIGKILL');
      assert.ok(statSync(`${store(directory)}-wal`).size > 0);
      lose(store(directory));
      await assertRefused(directory, BESIDE);
      rmSync(join(directory, '.configured'));
      await assertRefused(directory, BESIDE);
      const { code, stderr } = await runPostern(['backup', join(directory, 'made.backup')], { directory });
      assert.deepEqual([code, existsSync(join(directory, 'made.backup'))], [1, false], stderr);
    }
  });

  it('is missed at another store.url that leads to an empty place; a store with accounts there is taken', async () => {
    const directory = await used();
    const other = { POSTERN__STORE__URL: 'sqlite:other.db' };
    await assertRefused(directory, /other\.db is empty, but/, other);
    assert.equal(existsSync(join(directory, 'other.db')), false);
    const copied = await runPostern(
      ['store', 'copy', `sqlite:${store(directory)}`, `sqlite:${join(directory, 'other.db')}`],
      { directory },
    );
    assert.equal(copied.code, 0, copied.stderr);
    const postern = await servePostern({ directory, env: { ...env, ...other } });
    assert.equal(postern.adminPassword, undefined);
    await postern.end();
    assert.match(postern.output.stdout, /the store is another one than at the last start/);
    const again = await servePostern({ directory, env: { ...env, ...other } });
    await again.end();
    assert.doesNotMatch(again.output.stdout, /another one than at the last start/);
  });

  it('is missed, too, where a new one was made in its place that holds nothing', async () => {
    const directory = await used();
    const fresh = newDirectory('tls: {enabled: false}\nauth: {enabled: false}\nledger: {retention: 0}\n');
    await (await servePostern({ directory: fresh, env })).end();
    remove(directory);
    renameSync(store(fresh), store(directory));
    for (const end of ['-wal', '-shm'])
      if (existsSync(`${store(fresh)}${end}`)) renameSync(`${store(fresh)}${end}`, `${store(directory)}${end}`);
    const { code, stderr } = await runPostern(['serve'], { directory, env: PORTS });
    assert.equal(code, 1);
    assert.match(stderr, EMPTY);
  });

  it('is remembered with an empty configuration, which may stay empty', async () => {
    const directory = newDirectory('# everything is in the environment\n');
    const all = { ...env, POSTERN__TLS__ENABLED: 'false', POSTERN__AUTH__HASH_ITERATIONS: '1000' };
    await (await servePostern({ directory, env: all })).end();
    await (await servePostern({ directory, env: all })).end();
    remove(directory);
    await assertRefused(directory, EMPTY, all);
  });

  it('is remembered from the next start on where the mark of an earlier version knows of none', async () => {
    const directory = await used();
    writeFileSync(
      join(directory, '.configured'),
      'Postern was started here with a configuration that holds at least one key.\n',
    );
    await (await servePostern({ directory, env })).end();
    assert.match(readFileSync(join(directory, '.configured'), 'utf8'), /^store: [0-9a-f-]{36}$/m);
    remove(directory);
    await assertRefused(directory, EMPTY);
  });

  it('comes back by a restore, and goes on', async () => {
    const directory = await used();
    const file = join(directory, 'made.backup');
    assert.equal((await runPostern(['backup', file], { directory })).code, 0);
    remove(directory);
    await assertRefused(directory, EMPTY);
    const restored = await runPostern(['restore', file, '--replace'], { directory });
    assert.equal(restored.code, 0, restored.stderr);
    const postern = await servePostern({ directory, env });
    assert.equal(postern.adminPassword, undefined);
    await postern.end();
  });
});

describe('A PostgreSQL database that was in use', { skip: withoutPostgres }, () => {
  it('is not made anew when it is empty; another replica finds it by its address alone', async (t) => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const [url, other] = [await server.newDatabase(), await server.newDatabase()];
    const at = (address: string) => ({ ...env, POSTERN__STORE__URL: address });
    const directory = newDirectory(CONFIG);
    await (await servePostern({ directory, env: at(url) })).end();
    const { code, stdout, stderr } = await runPostern(['serve'], { directory, env: { ...PORTS, ...at(other) } });
    assert.deepEqual([code, /Password/.test(stdout)], [1, false], stderr);
    assert.match(stderr, /is empty, but this configuration was used with a store .* remove \S+\.configured/);
    await server.run('create table users (nothing int)', new URL(other).pathname.slice(1)); // no table was made
    const replica = await servePostern({ directory: newDirectory(CONFIG), env: at(url) });
    assert.equal(replica.adminPassword, undefined);
    await replica.end();
  });
});
