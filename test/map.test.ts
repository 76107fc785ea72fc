/** Each source file says in its first line what it is for: `npm run map` prints these lines. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sourceMap } from './support/source-map.ts';

it('every source file opens with one line that says what it is for', () => {
  const silent = sourceMap()
    .filter(({ purpose }) => purpose === undefined)
    .map(({ file }) => file);
  assert.deepEqual(silent, [], 'open each with `/** What it is for. */`');
});
