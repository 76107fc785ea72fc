/** Each promise of SECURITY.md, and each attempt in adversaries.yaml, has a test that exists, in the file that is named. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readAdversaries } from '../published/adversaries.ts';
import { promisesOf, readPromises } from '../published/promises.ts';
import { readText } from './documents.ts';

const ROOT = join(import.meta.dirname, '../..');
const [, promised = assert.fail('no promises')] = readText('SECURITY.md').split('\n## What is promised\n');
const numbers = [...promisesOf(promised.split('\n## ')[0] ?? '').keys()];
const proven = readPromises();
const attempts = readAdversaries().flatMap(({ tries }) => tries);

describe('SECURITY.md', () => {
  it('numbers its promises, and each has a proof', () => {
    assert.ok(numbers.length >= 18);
    assert.deepEqual(
      numbers,
      numbers.map((_, place) => place + 1),
    );
    assert.deepEqual(
      proven.map(({ promise }) => promise),
      numbers,
    );
    for (const { promise, proofs } of proven) assert.ok(proofs.length > 0, String(promise));
  });

  it('names a proof for each thing that an adversary may try', () => {
    assert.ok(attempts.length >= 18);
    for (const { tries, proof } of attempts) assert.match(proof, /^`test\/[^|]+$/, tries);
  });

  const proofs = [
    ...proven.flatMap((each) => each.proofs.map((proof) => proof.replace(/^[^:]+/, '`$&`'))),
    ...attempts.map(({ proof }) => proof),
  ].flatMap((line) => [...line.matchAll(/`(?<file>test\/[^`]+\.ts)`(?:: (?<title>[^|;\n]+))?/g)]);
  for (const { groups: { file = '', title = '' } = {} } of proofs)
    it(`names a test that exists: ${file}: ${title.trim()}`, () => {
      assert.ok(existsSync(join(ROOT, file)), `${file} is not there`);
      const source = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
      assert.ok(source.includes(title.trim()), `${file} has no test "${title.trim()}"`);
    });
});
