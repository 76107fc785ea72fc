import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createOnce } from '../../../src/files/files.ts';
import { tempDirectory } from '../support/temp-directory.ts';

describe('A file that is created once', () => {
  it('keeps what the first creator wrote, and nothing of the second beside it', async (t) => {
    const directory = tempDirectory(t);
    const path = join(directory, 'secret');
    await createOnce(path, 'first');
    await createOnce(path, 'second');
    assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(directory)], ['first', ['secret']]);
  });

  it('is read whole while several create it', async (t) => {
    const path = join(tempDirectory(t), 'secret');
    const texts = Array.from({ length: 10 }, (_, at) => String(at).repeat(10_000));
    const read = await Promise.all(texts.map((text) => createOnce(path, text).then(() => readFileSync(path, 'utf8'))));
    assert.equal(new Set(read).size, 1);
    assert.ok(texts.includes(read[0] ?? ''));
  });

  it('has one creator, and replaces nothing, where the file system has no hard links', async (t) => {
    t.mock.method(fs, 'link', () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })));
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const directory = tempDirectory(t);
    const path = join(directory, 'secret');
    const won = await Promise.all(['first', 'second'].map((text) => createOnce(path, text)));
    assert.equal(won.filter((one) => one).length, 1);
    const kept = readFileSync(path, 'utf8');
    assert.equal(await createOnce(path, 'third'), false);
    assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(directory)], [kept, ['secret']]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('fails where there is no directory', async (t) => {
    const path = join(tempDirectory(t), 'absent', 'secret');
    await assert.rejects(createOnce(path, 'text'), { code: 'ENOENT' });
  });
});
