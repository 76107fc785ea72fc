/** Before its tables change the store is copied, once; a store of a newer version, or a damaged one, is named for what it is (SPEC 1). */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { User } from '../../src/domain/accounts/account.ts';
import { ADMIN, type UserName } from '../../src/domain/names.ts';
import { findStoreFault } from '../../src/domain/store/store-fault.ts';
import { openStore } from '../../src/store/open-store.ts';
import { unpackRelease } from '../upgrade/make-fixture.ts';
import { makeScratch, type Scratch } from './support/scratch-store.ts';

const ANNA: User = { name: 'anna' as UserName, role: ADMIN, passwordHash: 'h', passwordChangedAt: null, createdAt: 1 };

let scratch: Scratch;
beforeEach(async () => {
  scratch = makeScratch();
  const store = await openStore({ url: scratch.url });
  await store.accounts.addUser(ANNA);
  await store.close();
});
afterEach(() => scratch.remove());

const inFile = (path: string, text: string): void => {
  const file = new DatabaseSync(path);
  file.exec(text);
  file.close();
};
const copies = (): string[] => readdirSync(scratch.directory).filter((name) => name.includes('.before-'));

/** The store as the version before wrote it, of whom anna is the one user; gives the id of the migration that it lacks. */
function setBack(): string {
  for (const name of readdirSync(scratch.directory)) rmSync(join(scratch.directory, name), { recursive: true });
  unpackRelease('0.2.0', scratch.directory);
  inFile(
    scratch.path,
    "delete from users; insert into users (name, role, password_hash, created_at) values ('anna', 'admin', 'h', 1)",
  );
  return '029-baseline';
}

describe('A store whose tables are of an older version', () => {
  it('is copied before they change, readable by the owner alone', async () => {
    const latest = setBack();
    const store = await openStore({ url: scratch.url });
    assert.deepEqual(await store.accounts.listUsers(), [ANNA]);
    await store.close();
    assert.deepEqual(copies(), [`postern.db.before-${latest}`]);
    const copy = join(scratch.directory, `postern.db.before-${latest}`);
    assert.equal((statSync(copy).mode & 0o777).toString(8), '600');
    const file = new DatabaseSync(copy, { readOnly: true });
    assert.equal(file.prepare('select name from users').get()?.['name'], 'anna');
    assert.equal(file.prepare('select count(*) as n from kysely_migration where name = ?').get(latest)?.['n'], 0);
    file.close();
  });

  it('keeps one copy: that of before the latest change', async () => {
    const latest = setBack();
    copyFileSync(scratch.path, join(scratch.directory, 'postern.db.before-001-accounts'));
    await (await openStore({ url: scratch.url })).close();
    assert.deepEqual(copies(), [`postern.db.before-${latest}`]);
  });

  it('is left as it is when its tables cannot be changed, and the cause is told', async () => {
    inFile(scratch.path, "delete from kysely_migration where name >= '029'");
    await assert.rejects(openStore({ url: scratch.url }), (fault: Error) => {
      assert.match(fault.message, /^cannot bring the tables of the store at .*postern\.db from 028-sites to /);
      assert.match(fault.message, /, in 029-baseline: table .* already exists/);
      assert.doesNotMatch(fault.message, /newer version/);
      return true;
    });
    assert.deepEqual(copies(), ['postern.db.before-029-baseline']);
  });

  it('is not read by a reader, which says what to do', async () => {
    setBack();
    await assert.rejects(openStore({ url: scratch.url, readOnly: true }), /start "postern serve" once/);
  });
});

describe('A store of a version before 0.2.0', () => {
  for (const readOnly of [false, true])
    it(`is refused${readOnly ? ' by a reader' : ''} in words that say the way, and is left as it is`, async () => {
      inFile(scratch.path, "delete from kysely_migration where name > '014-ledger-notices'");
      await assert.rejects(
        openStore({ url: scratch.url, readOnly }),
        /postern\.db is of a version before 0\.2\.0: its tables are at 014-ledger-notices\. Start Postern 0\.2\.0 on it once, which brings them up to date, and then this version$/,
      );
      assert.deepEqual(copies(), []);
    });
});

describe('A store of a commit between two releases', () => {
  for (const readOnly of [false, true])
    it(`is refused${readOnly ? ' by a reader' : ''}: without a column of its tokens, one made for a right would do anything`, async () => {
      inFile(
        scratch.path,
        "alter table token_rights drop column made_for; delete from kysely_migration where name = '033-token-right'",
      );
      await assert.rejects(
        openStore({ url: scratch.url, readOnly }),
        /postern\.db is of a commit between two releases: its tables are at 032-device-names, and no step of this version adds 033-token-right\. Start the version that made them again, or restore a backup of before the update: /,
      );
      assert.deepEqual(copies(), []);
    });
});

describe('A store that needs no change', () => {
  it('is not copied', async () => {
    await (await openStore({ url: scratch.url })).close();
    assert.deepEqual(copies(), []);
  });
});

describe('A store of a newer version', () => {
  for (const readOnly of [false, true]) {
    it(`is refused${readOnly ? ' by a reader' : ''} in words that name both versions`, async () => {
      inFile(scratch.path, "insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')");
      await assert.rejects(
        openStore({ url: scratch.url, readOnly }),
        /of a newer version: its tables are at 999-later, and this version knows them up to 0\d\d-[a-z-]+\. Start the newer version again, or restore a backup of before the update: "postern restore --replace FILE"\. What was written since then is lost$/,
      );
      assert.deepEqual(copies(), []);
    });
  }

  it('names the copy that this version can read, and no other', async () => {
    inFile(scratch.path, "insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')");
    for (const next of ['015-ledger-deletions', '029-baseline', '998-later-still', '2030-01-01T00-00-00-000Z'])
      copyFileSync(scratch.path, join(scratch.directory, `postern.db.before-${next}`));
    await assert.rejects(
      openStore({ url: scratch.url }),
      /: "postern restore --replace \S+\/postern\.db\.before-029-baseline"\./,
    );
  });
});

describe('A store that is damaged', () => {
  it('is said to be, with the next step', async () => {
    inFile(scratch.path, 'pragma wal_checkpoint(truncate)');
    truncateSync(scratch.path, 3 * 4096);
    await assert.rejects(openStore({ url: scratch.url }), (fault: Error) => {
      assert.equal(findStoreFault(fault), 'corrupt');
      assert.match(fault.message, /postern\.db.* is damaged \(.*malformed.*\): stop the service and restore a backup/);
      return true;
    });
    assert.equal(existsSync(scratch.path), true);
  });
});
