/** Commands that only read, or change what is there, create nothing: a mistyped directory stays absent (SPEC 15). */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newDirectory, runPostern } from '../support/run-postern.ts';

// biome-ignore format: a table
const COMMANDS: readonly (readonly [words: string, code: number])[] = [
  ['users list',                            1],
  ['users password vera',                   1],
  ['users role vera viewer',                1],
  ['users delete vera',                     1],
  ['tokens list',                           1],
  ['tokens create ha --user admin',         1],
  ['tokens revoke 1',                       1],
  ['sites list',                            1],
  ['sites rename barn stable',              1],
  ['sites forget barn',                     1],
  ['limits list',                           1],
  ['limits lift 192.0.2.1',                 1],
  ['explain GET /api/config',               0],
  ['ledger verify',                         1],
  ['check',                                 0],
  ['healthcheck',                           1],
];

describe('With a directory that is not there', () => {
  for (const [words, code] of COMMANDS) {
    it(`${words} makes nothing`, async () => {
      const directory = join(newDirectory(), 'typo');
      const finished = await runPostern(words.split(' '), { directory, stdin: 'a long enough password\n' });
      assert.deepEqual([finished.code, existsSync(directory)], [code, false], finished.stderr);
    });
  }

  it('users list says where it looked, and what to do', async () => {
    const directory = join(newDirectory(), 'typo');
    const { stderr } = await runPostern(['users', 'list'], { directory });
    assert.equal(
      stderr,
      `there is no store at ${directory}/postern.db: name the directory of the service with --config-dir; the first "postern serve" makes the store\n`,
    );
  });
});

describe('With a directory that is empty', () => {
  it('users list leaves it empty', async () => {
    const directory = join(newDirectory(), 'empty');
    mkdirSync(directory);
    await runPostern(['users', 'list'], { directory });
    assert.deepEqual(readdirSync(directory), []);
  });
});
