import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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

  it('fails where there is no directory', async (t) => {
    const path = join(tempDirectory(t), 'absent', 'secret');
    await assert.rejects(createOnce(path, 'text'), { code: 'ENOENT' });
  });
});
