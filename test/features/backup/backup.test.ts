/** `postern backup` beside a running server, and `postern restore` into an empty directory (SPEC 15). */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type PackOptionsFS, packTar } from 'modern-tar/fs';
import { configSchema } from '../../../src/app/resources/features.ts';
import type { UserName } from '../../../src/domain/names.ts';
import { readBackup, writeBackup } from '../../../src/features/backup/archive.ts';
import { openForLedger } from '../../../src/features/ledger/whole-ledger.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { newDirectory, runPostern, type Serving, servePostern } from '../../support/run-postern.ts';
import { cookieFor, firstCookie, logInAt } from '../../support/sessions.ts';
import { until } from '../../support/until.ts';

/** The admin's account is connected with a provider. */
async function connect(directory: string): Promise<void> {
  const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  const who = { user: 'admin' as UserName, provider: 'home', issuer: 'https://id.example.org', subject: 'a-subject' };
  const times = { connectedAt: 1_700_000_000, lastUsedAt: 1_700_000_001 };
  const { createdAt = 0 } = (await store.accounts.findUser(who.user)) ?? {};
  assert.equal(await store.signIns.connect({ ...who, ...times }, createdAt), 'connected');
  await store.close();
}

/** A screen of the admin: its cookie. */
async function pair(url: string, Cookie: string): Promise<string> {
  const send = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { Cookie, Origin: url, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { user_code, device_code } = (await (await send('/api/screens/code', {})).json()) as Record<string, string>;
  assert.equal((await send('/api/screens/confirm', { user_code, name: 'hall' })).status, 201);
  const fetched = await send('/api/screens/token', { device_code });
  return firstCookie(fetched);
}

describe('A backup of a running server', { timeout: 300_000 }, () => {
  let serving: Serving;
  let file: string;
  let cookie: string;
  let screen: string;
  /** In the chain of the ledger, oldest first. */
  const loginsAt = async (url: string): Promise<readonly { readonly id: string; readonly hash: string }[]> =>
    (
      (await (await fetch(`${url}/api/ledger?kind=login`, { headers: { Cookie: cookie } })).json()) as {
        id: string;
        hash: string;
      }[]
    ).reverse();
  before(async () => {
    serving = await servePostern();
    cookie = cookieFor(await logInAt(serving.url, { name: 'admin', password: serving.adminPassword ?? '' }));
    await until('the login is in the ledger', async () => (await loginsAt(serving.url)).length > 0);
    await connect(serving.directory);
    screen = await pair(serving.url, cookie);
    const headers = { Cookie: cookie, Origin: serving.url, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ cameras: ['hall*'] });
    assert.equal((await fetch(`${serving.url}/api/curtain`, { method: 'PUT', headers, body })).status, 200);
    file = join(newDirectory(), 'postern.backup');
    const { code, stderr } = await runPostern(['backup', file], { directory: serving.directory });
    assert.deepEqual([code, stderr], [0, '']);
  });
  after(() => serving?.end());

  it('may be read by its owner alone', () => assert.equal(statSync(file).mode & 0o777, 0o600));

  it('is an archive that tar lists', async () => {
    const { execFileSync } = await import('node:child_process');
    const listed = execFileSync('tar', ['tzf', file], { encoding: 'utf8' });
    assert.deepEqual(listed.trim().split('\n'), ['.jwt_secret', 'config.yaml', 'postern.db']);
  });

  it('leaves nothing beside it', () => assert.deepEqual(readdirSync(join(file, '..')), ['postern.backup']));

  it('brings accounts, sign-ins, screens, the curtain, events and sessions back in an empty directory', async () => {
    const directory = newDirectory();
    const { code, stdout } = await runPostern(['restore', file], { directory });
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Restored \.jwt_secret, config\.yaml, postern\.db, as of \d{4}-\d\d-\d\d \d\d:\d\d UTC \(0 minutes old\)\.$/m,
    );
    assert.match(stdout, /^Start the server now\.$/m);
    assert.deepEqual(readdirSync(directory).sort(), ['.jwt_secret', '.restored', 'config.yaml', 'postern.db']);
    assert.equal(statSync(join(directory, '.jwt_secret')).mode & 0o777, 0o600);
    const again = await servePostern({ directory });
    try {
      assert.equal(again.adminPassword, undefined, 'no new admin was made');
      cookieFor(await logInAt(again.url, { name: 'admin', password: serving.adminPassword ?? '' }));
      const profile = await fetch(`${again.url}/api/profile`, { headers: { Cookie: cookie } });
      assert.equal(profile.status, 200, 'a session of before goes on');
      const signIns = await fetch(`${again.url}/api/account/sign-ins`, { headers: { Cookie: cookie } });
      assert.deepEqual(await signIns.json(), [
        { provider: 'home', subject: 'a-subject', connected_at: 1_700_000_000, last_used_at: 1_700_000_001 },
      ]);
      const shown = await fetch(`${again.url}/api/profile`, { headers: { Cookie: screen } });
      assert.equal(((await shown.json()) as { screen: { name: string } }).screen.name, 'hall', 'a display goes on');
      const curtain = await fetch(`${again.url}/api/curtain`, { headers: { Cookie: cookie } });
      assert.equal(((await curtain.json()) as { drawn: { camera: string }[] }).drawn[0]?.camera, 'hall*');
      const events = await fetch(`${again.url}/api/events?limit=2`, { headers: { Cookie: cookie } });
      assert.equal(((await events.json()) as unknown[]).length, 2);
      const [login] = await loginsAt(serving.url);
      assert.match(login?.hash ?? '', /^[0-9a-f]{64}$/);
      assert.deepEqual((await loginsAt(again.url))[0], login, 'the ledger came back as it was');
      await until('the login there is in the ledger', async () => (await loginsAt(again.url)).length > 1);
      const ledger = await openForLedger({ directory, schema: configSchema, env: {}, clock: { now: Date.now } });
      const { misfits, chains } = await ledger.verify([], () => {});
      await ledger.close();
      assert.deepEqual([misfits, chains.map(({ chain }) => chain)], [[], ['store1']], 'and its chain goes on');
    } finally {
      await again.end();
    }
  });

  it('is not put over what is there, unless that is asked for; then it is set aside', async () => {
    const directory = newDirectory('auth: {session_length: 60}\n');
    const refused = await runPostern(['restore', file], { directory });
    assert.deepEqual(
      [refused.code, refused.stderr],
      [1, 'config.yaml would be replaced: give --replace to do that; the old files are kept beside the new ones\n'],
    );
    assert.deepEqual(readdirSync(directory), ['config.yaml']);
    assert.equal((await runPostern(['restore', '--replace', file], { directory })).code, 0);
    const aside = readdirSync(directory).find((name) => name.startsWith('config.yaml.before-')) ?? '';
    assert.equal(readFileSync(join(directory, aside), 'utf8'), 'auth: {session_length: 60}\n');
  });

  it('is not put under a server that runs', async () => {
    const env = { POSTERN__SERVER__TELEMETRY: new URL(serving.telemetryUrl).host };
    const { code, stderr } = await runPostern(['restore', '--replace', file], {
      directory: serving.directory,
      env,
    });
    assert.deepEqual([code, stderr], [1, 'the server is running: stop it first, and start it after the restore\n']);
  });

  it('is no store whose newest data is in the log beside it', async () => {
    const directory = newDirectory();
    const pairs = { 'aside.db': 'aside.db-wal', 'postern.db.before-2030': 'postern.db-wal.before-2030' };
    for (const [name, log] of Object.entries(pairs)) {
      const store = join(directory, name);
      writeFileSync(store, 'SQLite format 3\0');
      writeFileSync(join(directory, log), 'data');
      const { code, stderr } = await runPostern(['restore', store], { directory });
      assert.deepEqual([code, stderr], [1, `${store} cannot be restored: it is not whole without ${log}\n`]);
    }
    assert.equal(existsSync(join(directory, 'postern.db')), false);
  });

  it('takes no file that is there already', async () => {
    const { code, stderr } = await runPostern(['backup', file], { directory: serving.directory });
    assert.deepEqual([code, stderr], [1, `${file} is there already: choose another name\n`]);
  });

  it('follows no link, and keeps the mode of no file that is in its way', async () => {
    const directory = newDirectory();
    const [target, victim] = [join(directory, 'made.backup'), join(directory, 'victim')];
    const backUp = () => runPostern(['backup', target], { directory: serving.directory });
    for (const place of [`${target}.unfinished`, target]) {
      writeFileSync(victim, 'mine');
      for (const to of [victim, join(directory, 'nothing')]) {
        symlinkSync(to, place);
        const { code, stderr } = await backUp();
        assert.deepEqual([code, /is there already/.test(stderr)], [1, true], stderr);
        assert.deepEqual([readFileSync(victim, 'utf8'), existsSync(join(directory, 'nothing'))], ['mine', false]);
        rmSync(place);
      }
    }
    writeFileSync(`${target}.unfinished`, '', { mode: 0o644 });
    assert.equal((await backUp()).code, 1);
    assert.deepEqual([readFileSync(`${target}.unfinished`, 'utf8'), existsSync(target)], ['', false]);
    rmSync(`${target}.unfinished`);
    assert.equal((await backUp()).code, 0);
    assert.equal(statSync(target).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(directory).sort(), ['made.backup', 'victim']);
  });

  it('that is cut is refused, and nothing is changed', async () => {
    const cut = join(newDirectory(), 'cut');
    writeFileSync(cut, readFileSync(file));
    truncateSync(cut, statSync(cut).size - 2000);
    const directory = newDirectory();
    const { code, stderr } = await runPostern(['restore', cut], { directory });
    assert.equal(code, 1);
    assert.match(stderr, /cannot be restored: /);
    assert.deepEqual(readdirSync(directory), []);
  });
});

describe('backup and restore', () => {
  it('make nothing where there is nothing', async () => {
    const directory = join(newDirectory(), 'typo');
    const target = join(newDirectory(), 'file');
    const { code, stderr } = await runPostern(['backup', target], { directory });
    assert.deepEqual([code, stderr], [1, `there is no store at ${directory}/postern.db: check --config-dir\n`]);
    assert.deepEqual([existsSync(directory), existsSync(target)], [false, false]);
  });

  it('a restore that fails makes no directory', async () => {
    const directory = join(newDirectory(), 'typo');
    assert.equal((await runPostern(['restore', '/nowhere/file'], { directory })).code, 1);
    assert.equal(existsSync(directory), false);
  });

  it('a file that is no backup is refused in words', async () => {
    const file = join(newDirectory(), 'photo.jpg');
    writeFileSync(file, 'not an archive');
    const { code, stderr } = await runPostern(['restore', file]);
    assert.equal(code, 1);
    assert.match(stderr, /^.*photo\.jpg cannot be restored: /);
  });
});

describe('The archive', () => {
  /** What a backup with this file holds, its header changed by `map`. */
  const packed = (map: PackOptionsFS['map'] = (header) => header, content = 'text'): Promise<Buffer> =>
    buffer(packTar([{ type: 'content', content, target: 'a' }], { map }));
  const restored = async (bytes: Buffer) => {
    const file = join(newDirectory(), 'made.backup');
    writeFileSync(file, gzipSync(bytes));
    return await runPostern(['restore', file]);
  };

  it('gives back what was put in', async () => {
    const sizes = fc.constantFrom(0, 1, 511, 512, 513, 70_000);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom('a', 'tls/b.pem', '.c', 'd:e', 'e', 'f:')),
        sizes,
        async (names, size) => {
          const [from, to] = [newDirectory(), newDirectory()];
          mkdirSync(join(from, 'tls'));
          const text = 'x'.repeat(size);
          for (const name of names) writeFileSync(join(from, name), text);
          const file = join(from, 'made.backup');
          await writeBackup(
            names.map((name) => ({ name, path: join(from, name) })),
            file,
            names.length,
          );
          assert.deepEqual(await readBackup(file, to), { names, madeAt: names.length });
          assert.deepEqual(
            names.map((name) => readFileSync(join(to, name), 'utf8') === text),
            names.map(() => true),
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  it('that was changed in a header, or holds what is no file, is refused', async () => {
    const bytes = await packed();
    bytes[10] = 0x41;
    assert.match((await restored(bytes)).stderr, /it is not a backup of Postern/);
    const link = await packed((header) => ({ ...header, type: 'symlink', linkname: '/etc/passwd' }), '');
    assert.match((await restored(link)).stderr, /it is not a backup of Postern/);
  });

  it('that has no end is refused', async () =>
    assert.match(
      (await restored((await packed()).subarray(0, 1024))).stderr,
      /it ends too early: the file is incomplete/,
    ));

  it('of a name that leads out of the directory is refused', async () => {
    const { stderr } = await restored(await packed((header) => ({ ...header, name: '../evil' })));
    assert.match(stderr, /it holds "\.\.\/evil", which is not allowed in a backup of Postern/);
  });
});
