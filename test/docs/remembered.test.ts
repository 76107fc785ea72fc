/** test/published/remembered.yaml lists every memory of the source, and a test for each memory of rights or identity. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readRemembered } from '../published/remembered.ts';
import { readText } from './documents.ts';

const MEMORY = /\b(?:new (?:LRUCache|WeakMap)|decidedByObject)[(<]|\.memory[(<]/;

const { rights, others } = readRemembered();
const owners = new Set([...rights, ...others].map(({ owner }) => owner));

describe('What is remembered', () => {
  it('is listed for each file that has a memory of these kinds, and all that is listed is there', () => {
    const files = globSync('src/**/*.ts').filter((file) => !/^src\/(?:ui\/pages|features\/\w+\/page)\//.test(file));
    const remembering = files.filter((file) => MEMORY.test(readText(file)));
    assert.deepEqual(
      remembering.filter((file) => !owners.has(file)),
      [],
      'list them in test/published/remembered.yaml',
    );
    assert.deepEqual(
      [...owners].filter((owner) => !files.includes(owner)),
      [],
    );
  });

  for (const { what, found_by, ends, life, test } of rights)
    it(`${what}: has an end, a longest life and a test`, () => {
      for (const cell of [found_by, ends, life]) assert.ok(cell);
      const { file = '', title = '' } = /^(?<file>test\/[^:]+): (?<title>.+)$/.exec(test)?.groups ?? {};
      assert.ok(readText(file).includes(title), `${file} has no test "${title}"`);
    });
});
