/** The NVR's users are read from a directory of another user's, as a container mounts it (SPEC 1, `users import`). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';

const READER = new URL('../../src/store/nvr-database.ts', import.meta.url).href;
const NOBODY = 65_534;

describe("The NVR's file in WAL mode", () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-nvr-'));
  const file = join(directory, 'frigate.db');
  let nvr: DatabaseSync;
  before(() => {
    nvr = new DatabaseSync(file);
    nvr.exec('pragma journal_mode = wal; create table user (username text, password_hash text, role text)');
    nvr.exec("insert into user values ('vera', 'pbkdf2_sha256$1$salt$hash', 'viewer')");
    chmodSync(directory, 0o755);
  });
  after(() => {
    chmodSync(directory, 0o755);
    rmSync(directory, { recursive: true });
  });

  const names = (): string => {
    const script = `import { readNvrUsers } from ${JSON.stringify(READER)};
      const users = await readNvrUsers(${JSON.stringify(file)}).catch(({ message }) => [{ username: message }]);
      console.log(users.map(({ username }) => username).join());`;
    const isRoot = process.getuid?.() === 0;
    const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const arguments_ = ['--input-type=module-typescript', '-e', script];
    return spawnSync(process.execPath, arguments_, { encoding: 'utf8', ...who }).stdout.trim();
  };

  it('is read while the NVR runs, where the files beside it may be read', () => assert.equal(names(), 'vera'));

  it('is read when the NVR has stopped, from a directory that may not be written', () => {
    nvr.close();
    chmodSync(directory, 0o555);
    assert.equal(names(), 'vera');
  });
});
