/** test/published/asvs.yaml names tests as proof: each exists, in the file that is named. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readAsvs } from '../published/asvs.ts';

const ROOT = join(import.meta.dirname, '../..');
const chapters = readAsvs();
const rows = chapters.flatMap((chapter) => chapter.rows);

describe('The table of ASVS', () => {
  it('has the four chapters, and says of each row whether it is met', () => {
    assert.deepEqual(
      chapters.map(({ title, rows: [first] }) => [title.slice(0, 2), first?.row.slice(0, 2)]),
      ['6', '7', '8', '9'].map((chapter) => [`V${chapter}`, `${chapter}.`]),
    );
    assert.ok(rows.length >= 70);
    for (const { row, state } of rows) assert.match(state, /^(?:met|partly|no|n\/a)$/, row);
  });

  for (const { row, test } of rows)
    if (test !== undefined)
      it(`${row} names a test that exists`, () => {
        const { file = '', title = '' } = /^(?<file>test\/[^:]+)(?:: (?<title>.+))?$/.exec(test)?.groups ?? {};
        assert.ok(existsSync(join(ROOT, file)), `${file} is not there`);
        const source = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
        assert.ok(source.includes(title), `${file} has no test "${title}"`);
      });
});
