/** What is said of mutants that no test can notice is about text that is there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { EQUIVALENT, explains } from './equivalent.ts';
import { mutantsOf } from './mutants.ts';
import { TARGETS } from './targets.ts';

const ROOT = join(import.meta.dirname, '../..');

it('every mutant that is said to change nothing is one of its module', () => {
  const modules = TARGETS.map(({ file }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return { file, source, mutants: mutantsOf(file, source) };
  });
  const stale = EQUIVALENT.filter(
    (row) => !modules.some(({ file, source, mutants }) => mutants.some((one) => explains(row, file, source, one))),
  );
  assert.deepEqual(stale, [], 'test/mutation/equivalent.ts: the text is gone, or was changed');
});
