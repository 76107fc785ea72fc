/** docs/asvs.md names tests as proof: each exists, in the file that is named. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const ROW =
  /^\| (?<row>\d+\.\d+\.\d+[^|]*) \| (?<level>[^|]+) \| (?<state>[^|]+) \| (?<how>[^|]+) \| (?<proof>[^|]+) \|$/;
const PROOF = /^`(?<file>test\/[^`]+)`(?:: (?<title>.+))?$/;

const rows = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8')
  .split('\n')
  .map((line) => ROW.exec(line)?.groups)
  .filter((row) => row !== undefined);

describe('The table of ASVS', () => {
  it('has the four chapters, and says of each row whether it is met', () => {
    const chapters = new Set(rows.map(({ row = '' }) => row.split('.')[0]));
    assert.deepEqual([...chapters], ['6', '7', '8', '9']);
    for (const { row, state = '' } of rows) assert.match(state, /^(?:met|partly|no|n\/a)$/, row);
  });

  for (const { row, proof = '' } of rows.filter(({ proof }) => proof !== '–')) {
    it(`${row} names a test that exists`, () => {
      const { file = '', title = '' } = PROOF.exec(proof)?.groups ?? assert.fail(`${proof} is no test`);
      assert.ok(existsSync(join(ROOT, file)), `${file} is not there`);
      const source = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
      assert.ok(source.includes(title), `${file} has no test "${title}"`);
    });
  }
});
