/** SECURITY.md names a test for each promise, and adversaries.yaml one for each attempt: each exists, in the file that is named. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readAdversaries } from '../published/adversaries.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');

const section = (title: string): string[] => {
  const [, after = assert.fail(`SECURITY.md has no section "${title}"`)] = text.split(`\n## ${title}\n`);
  return (after.split('\n## ')[0] ?? '').split('\n');
};
const promises = section('What is promised').filter((line) => /^\d+\. /.test(line));
const proofsOfPromises = section('What is promised').filter((line) => line.startsWith('   Proof: '));
const attempts = readAdversaries().flatMap(({ tries }) => tries);

describe('SECURITY.md', () => {
  it('numbers its promises, and names a proof for each', () => {
    assert.ok(promises.length >= 11);
    assert.deepEqual(
      promises.map((line) => Number.parseInt(line, 10)),
      promises.map((_, place) => place + 1),
    );
    assert.equal(proofsOfPromises.length, promises.length);
  });

  it('names a proof for each thing that an adversary may try', () => {
    assert.ok(attempts.length >= 18);
    for (const { tries, proof } of attempts) assert.match(proof, /^`test\/[^|]+$/, tries);
  });

  const proofs = [...proofsOfPromises, ...attempts.map(({ proof }) => proof)].flatMap((line) => [
    ...line.matchAll(/`(?<file>test\/[^`]+\.ts)`(?:: (?<title>[^|;\n]+))?/g),
  ]);
  for (const { groups: { file = '', title = '' } = {} } of proofs)
    it(`names a test that exists: ${file}: ${title.trim()}`, () => {
      assert.ok(existsSync(join(ROOT, file)), `${file} is not there`);
      const source = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
      assert.ok(source.includes(title.trim()), `${file} has no test "${title.trim()}"`);
    });
});
