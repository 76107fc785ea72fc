/** Where a route table says that the names of cameras stand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { namesIn } from '../../src/access/recorder-layout.ts';
import { parseNamesPlace } from '../../src/config/policy/table-head.ts';

const read = (place: string, answer: unknown): readonly string[] => {
  const parsed = parseNamesPlace(place);
  assert.ok(parsed && parsed.in !== 'config');
  return namesIn(answer, parsed);
};

describe('Names of cameras', () => {
  // biome-ignore format: a table
  const rows: [place: string, answer: unknown, names: readonly string[]][] = [
    ['keys',              { front: null, 'yard/2': {} },            ['front', 'yard/2']],
    ['cameras.keys',      { cameras: { front: {} }, other: 1 },     ['front']],
    ['[]',                ['front', 'yard'],                        ['front', 'yard']],
    ['[].id',             [{ id: 'front' }],                        ['front']],
    ['items[].name',      { items: [{ name: 'a' }, { name: 'b' }] }, ['a', 'b']],
    ['data.items[].conf.name', { data: { items: [{ conf: { name: 'a' } }] } }, ['a']],
  ];
  for (const [place, answer, names] of rows)
    it(`are read at ${place}`, () => assert.deepEqual(read(place, answer), names));

  // biome-ignore format: a table
  const wrong: [place: string, answer: unknown, message: RegExp][] = [
    ['keys',         undefined,                  /the answer is no object of cameras/],
    ['keys',         ['front'],                  /the answer is no object of cameras/],
    ['cameras.keys', {},                         /"cameras" is no object of cameras/],
    ['items[].name', { items: {} },              /"items" is no list of cameras/],
    ['items[].name', { items: [{ name: 1 }] },   /an element of "items" has no name/],
    ['[]',           [['front']],                /an element of the answer has no name/],
  ];
  for (const [place, answer, message] of wrong)
    it(`are not guessed at ${place} of ${JSON.stringify(answer)}`, () =>
      assert.throws(() => read(place, answer), { message }));

  for (const text of ['', 'key', 'items', 'items[0].name', '.keys', 'a..keys', '[]name'])
    it(`are nowhere with ${JSON.stringify(text)}`, () => assert.equal(parseNamesPlace(text), undefined));
});
