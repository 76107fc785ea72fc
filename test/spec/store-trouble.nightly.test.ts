/** A disk that is full, a file that is removed or partly damaged: told by /readyz and metrics, and a logout still logs out (SPEC 4.2, 9, 10). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';

const CONFIG = { nvr: { cameras: ['cam1'] }, events: { sample: 0 } };

const storePart = async ({ telemetryUrl }: Runtime) => {
  const answer = await fetch(`${telemetryUrl}/readyz`);
  const { store } = (await answer.json()) as { store: { kind: string; reason?: string } };
  return { status: answer.status, ...store };
};

describe('A store whose disk is full', async () => {
  const disk = smallDisk();
  const skip = disk === undefined ? 'needs the right to mount a tmpfs' : false;
  after(() => disk?.remove());

  it('logs out at once, says so with 503, and stores the logout when there is space', { skip }, async (test) => {
    const { directory, free, fill } = disk ?? assert.fail();
    const instance = await startInstance({ config: CONFIG, directory });
    test.after(instance.close);
    const [vera, carl] = [await instance.logIn(VERA), await instance.logIn(CARL)];
    assert.equal((await storePart(instance)).kind, 'ok');
    fill();
    const cookie = { headers: { cookie: `frigate_token=${vera}`, 'sec-fetch-site': 'same-origin' } };
    const answer = await instance.ask('/logout', { method: 'POST', ...cookie });
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^frigate_token=;/);
    assert.equal((await instance.ask('/api/profile', cookie)).status, 401);
    assert.equal((await instance.ask('/api/profile', { token: carl })).status, 200);
    const told = await storePart(instance);
    assert.deepEqual([told.status, told.kind], [503, 'failed']);
    assert.match(told.reason ?? '', /the disk that holds the store at .*postern\.db is full .*: free some space/);
    const series = await scrape(instance.telemetryUrl);
    assert.deepEqual([series.get('postern_store_up'), series.get('postern_revocations_waiting')], [0, 1]);
    assert.ok(instance.log.some(({ msg }) => /^the store cannot be used.*is full/.test(String(msg))));
    // Who has to make space may come in.
    const late = { headers: { cookie: `frigate_token=${await instance.logIn(CARL)}` } };
    assert.equal((await instance.ask('/api/profile', late)).status, 200);

    free();
    const stored = new DatabaseSync(join(directory, 'postern.db'), { readOnly: true });
    await until('the logout is stored', () => stored.prepare('select 1 from revoked_tokens').get() !== undefined);
    stored.close();
    await until('the store works again', async () => (await storePart(instance)).kind === 'ok');
    assert.equal((await instance.ask('/api/profile', cookie)).status, 401);
  });
});

describe('A store that another process is writing to', () => {
  it('answers for the links of a person at once, whatever waits to be written', async (test) => {
    const instance = await startInstance({ config: CONFIG });
    test.after(instance.close);
    const vera = await instance.logIn(VERA);
    const made = await sendJson(instance, '/api/tokens', { name: 'used' }, vera);
    const { token } = (await made.json()) as { token: string };
    const other = new DatabaseSync(join(instance.directory, 'postern.db'));
    test.after(() => other.close());
    other.exec('begin immediate');
    assert.equal((await instance.ask('/api/profile', { token })).status, 200);
    let isWriting = true;
    const written = setTimeout(() => {
      isWriting = false;
      other.exec('rollback');
    }, 2000);
    assert.equal((await instance.ask('/api/links', { token: vera })).status, 200);
    assert.equal(isWriting, true);
    clearTimeout(written);
    other.exec('rollback');
  });
});

describe('A store whose file is removed while it is in use', () => {
  it('is not ready, and the reason names the file', async (test) => {
    const instance = await startInstance({ config: CONFIG });
    test.after(instance.close);
    const file = join(instance.directory, 'postern.db');
    renameSync(file, `${file}.away`);
    const told = await storePart(instance);
    assert.deepEqual([told.status, told.kind], [503, 'failed']);
    assert.match(told.reason ?? '', /^the store at .*postern\.db was removed or replaced while in use/);
    renameSync(`${file}.away`, file);
    await until('the file is the same one', async () => (await storePart(instance)).kind === 'ok');
  });
});

/** How a file is lost under the service, and how it comes back. */
interface Loss {
  readonly lose: (file: string) => void;
  readonly bringBack: (file: string) => void;
}

const WORDS =
  /^the store at .*postern\.db was (?:cut|removed or replaced) while in use: stop the service, put the file back/;
const keep = (file: string): void => copyFileSync(file, `${file}.kept`);
const putBack = (file: string): void => writeFileSync(file, readFileSync(`${file}.kept`));

// biome-ignore format: a table
const LOSSES: Readonly<Record<string, Loss>> = {
  'is emptied':                       { lose: (file) => { keep(file); truncateSync(file); },                            bringBack: putBack },
  'is cut in the middle':             { lose: (file) => { keep(file); truncateSync(file, 3 * 4096 + 7); },              bringBack: putBack },
  'loses its header':                 { lose: (file) => { keep(file); overwrite(file, Buffer.alloc(100)); },            bringBack: putBack },
  'is removed':                       { lose: (file) => renameSync(file, `${file}.away`),                               bringBack: (file) => renameSync(`${file}.away`, file) },
  'is replaced by a copy of itself':  { lose: (file) => { renameSync(file, `${file}.away`); copyFileSync(`${file}.away`, file); }, bringBack: (file) => renameSync(`${file}.away`, file) },
  'is overwritten by another store':  { lose: (file) => { keep(file); writeFileSync(file, readFileSync(otherStore)); }, bringBack: putBack },
  'loses the log beside it':          { lose: (file) => renameSync(`${file}-wal`, `${file}-wal.away`),                  bringBack: (file) => renameSync(`${file}-wal.away`, `${file}-wal`) },
};

const elsewhere = makeScratch();
const otherStore = elsewhere.path;
before(async () => (await openStore({ url: elsewhere.url })).close());
after(() => elsewhere.remove());

describe('A store whose file', () => {
  for (const [sentence, { lose, bringBack }] of Object.entries(LOSSES)) {
    it(`${sentence} takes no write from then on, says so, and heals when the file is back`, async (test) => {
      const instance = await startInstance({ config: CONFIG });
      test.after(instance.close);
      const file = join(instance.directory, 'postern.db');
      const token = await instance.logIn(ADMIN_PERSON);
      const change = async (name: string): Promise<number> => {
        const body = JSON.stringify({ name, role: 'viewer' });
        const headers = { 'content-type': 'application/json' };
        return (await instance.ask('/api/tokens', { token, method: 'POST', headers, body })).status;
      };
      assert.equal(await change('before'), 201);
      lose(file);
      // Another store knows nobody.
      assert.ok([401, 503].includes(await change('meanwhile')));
      await until('the log says so', () => instance.log.some(({ msg }) => WORDS_IN_LOG.test(String(msg))));
      assert.equal((await scrape(instance.telemetryUrl)).get('postern_store_up'), 0);
      const told = await storePart(instance);
      assert.deepEqual([told.status, told.kind], [503, 'failed']);
      assert.match(told.reason ?? '', WORDS);
      bringBack(file);
      await until('the store works again', async () => (await storePart(instance)).kind === 'ok');
      assert.equal(await change('after'), 201);
      const names = (await (await instance.ask('/api/tokens', { token })).json()) as { name: string }[];
      assert.deepEqual(names.map(({ name }) => name).sort(), ['after', 'before']);
    });
  }

  it('is lost while nobody asks is noticed by itself', async (test) => {
    const instance = await startInstance({ config: CONFIG });
    test.after(instance.close);
    const file = join(instance.directory, 'postern.db');
    renameSync(file, `${file}.away`);
    await until('the log says so', () => instance.log.some(({ msg }) => WORDS_IN_LOG.test(String(msg))));
    renameSync(`${file}.away`, file);
    await until('the log says that it is over', () =>
      instance.log.some(({ msg }) => msg === 'the store can be used again'),
    );
  });
});

const WORDS_IN_LOG = /^the store cannot be used, .*postern\.db was (?:cut|removed or replaced) while in use/;

function overwrite(file: string, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, 0);
  closeSync(handle);
}

describe('A store of which a part is damaged', () => {
  it('is found by the probe, which names the table', async (test) => {
    const instance = await startInstance({ config: CONFIG });
    test.after(instance.close);
    damage(join(instance.directory, 'postern.db'), 'users');
    const told = await storePart(instance);
    assert.deepEqual([told.status, told.kind], [503, 'failed']);
    assert.match(told.reason ?? '', /the table users in the store at .* is damaged|postern\.db is damaged/);
    assert.ok(Number((await scrape(instance.telemetryUrl)).get('postern_store_faults_total{kind="corrupt"}')) > 0);
    const answer = await instance.ask('/api/profile', { token: 'ey.not.one' });
    assert.notEqual(answer.status, 500);
  });
});

/** Overwrites the first page of a table, as a failing disk would. */
function damage(path: string, table: string): void {
  const file = new DatabaseSync(path);
  file.exec('pragma wal_checkpoint(truncate)');
  const row = file.prepare('select rootpage from sqlite_master where name = ?').get(table);
  file.close();
  const handle = openSync(path, 'r+');
  writeSync(handle, Buffer.alloc(4096, 0xff), 0, 4096, (Number(row?.['rootpage']) - 1) * 4096);
  closeSync(handle);
}

/** A file system of its own with little space; undefined where none can be mounted. */
function smallDisk() {
  const directory = mkdtempSync(join(tmpdir(), 'postern-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', directory]);
  if (status !== 0) {
    rmSync(directory, { recursive: true });
    return undefined;
  }
  const filler = join(directory, 'filler');
  return {
    directory,
    fill() {
      for (let isFull = false; !isFull; isFull = statfsSync(directory).bfree === 0) {
        const { bfree, bsize } = statfsSync(directory);
        writeFileSync(filler, Buffer.alloc(bfree * bsize), { flag: 'a' });
      }
    },
    free: () => rmSync(filler),
    remove() {
      spawnSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
