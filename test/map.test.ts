/** Each source file says in its first line what it is for (`npm run map` prints these lines), and doc comments are sentences. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { sourceMap } from './support/source-map.ts';

it('every source file opens with one line that says what it is for', () => {
  const silent = sourceMap()
    .filter(({ purpose }) => purpose === undefined)
    .map(({ file }) => file);
  assert.deepEqual(silent, [], 'open each with `/** What it is for. */`');
});

const PREPOSITION =
  /^(?:Of|For|With|In|By|As|To|Without|From|At|On|After|Before|Until|Below|Behind|Between|Beyond|Beside|Within|Under|Over|During|Since|Per|About|Among|Above|Up)\b/;

/** The texts of doc comments that begin with a preposition. */
const clipped = (source: string): readonly string[] =>
  [...source.matchAll(/\/\*\*(?<text>[\s\S]*?)\*\//g)]
    .map(({ groups }) => (groups?.['text'] ?? '').replace(/\s*\n\s*\*\s?/g, ' ').trim())
    .filter((text) => PREPOSITION.test(text));

it('no doc comment begins with a preposition: it is a sentence, or names a thing', () => {
  assert.deepEqual(clipped('/** Of a link. */ /** The end. */ /**\n * As\n * told. */'), ['Of a link.', 'As told.']);
  const files = globSync(['src/**/*.{ts,tsx}', 'test/support/**/*.ts']);
  assert.deepEqual(
    files.flatMap((file) => clipped(readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`)),
    [],
  );
});
