/** Documents that grow by themselves stay short enough to be read, and narrow enough to be reviewed. */
import assert from 'node:assert/strict';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../deploy/support/compose.ts';
import { readText } from './documents.ts';

const WIDEST = 160;
const MOST_BYTES: Readonly<Record<string, number>> = {
  'ARCHITECTURE.md': 12 * 1024,
  'DECISIONS.md': 20 * 1024,
};
const MOST_LINES_OF_DECISIONS = 200;
/** A row of a table cannot be broken into lines. */
const isWide = (line: string): boolean => line.length > WIDEST && !line.trimStart().startsWith('|');

const wideLinesOf = (text: string): readonly string[] => text.split('\n').filter(isWide);

describe('The size of documents', () => {
  for (const [file, most] of Object.entries(MOST_BYTES))
    it(`${file} has at most ${most} bytes`, () => {
      const bytes = Buffer.byteLength(readText(file));
      assert.ok(
        bytes <= most,
        `${bytes} bytes: one decision, one reason, one figure; other figures to bench/RESULTS.md`,
      );
    });

  it(`DECISIONS.md has at most ${MOST_LINES_OF_DECISIONS} lines`, () => {
    assert.ok(readText('DECISIONS.md').trimEnd().split('\n').length <= MOST_LINES_OF_DECISIONS);
  });

  for (const file of [
    ...Object.keys(MOST_BYTES),
    'CONTRIBUTING.md',
    'bench/RESULTS.md',
    'docs/spec.md',
    'docs/interface.md',
  ])
    it(`${file} has no line of more than ${WIDEST} characters, but for rows of tables`, () => {
      assert.deepEqual(wideLinesOf(readText(file)), []);
    });

  it('leaves README three pictures, of at most 80 KB each, and no others in the tree', () => {
    const shown = [...readText('README.md').matchAll(/\]\((?<path>docs\/images\/[\w-]+\.png)\)/g)].map(
      ([, path = '']) => path,
    );
    assert.deepEqual(shown.sort(), globSync('docs/images/*', { cwd: ROOT }).sort());
    assert.equal(shown.length, 3);
    for (const path of shown) assert.ok(statSync(join(ROOT, path)).size <= 80 * 1024, path);
  });

  it('leaves a glossary of at most 30 words', () => {
    const [, glossary = assert.fail('ARCHITECTURE has no glossary')] =
      readText('ARCHITECTURE.md').split('\n## Glossary\n');
    const rows = glossary.split('\n').filter((line) => line.startsWith('| ')).length - 1;
    assert.ok(rows >= 10 && rows <= 30, `${rows} words`);
  });

  it('is measured in characters, rows of tables left out', () => {
    const [wide, row] = ['µ'.repeat(161), `| ${'x'.repeat(200)} |`];
    assert.deepEqual(wideLinesOf(`${'µ'.repeat(160)}\n${row}\n${wide}`), [wide]);
  });
});
