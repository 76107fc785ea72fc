/** ARCHITECTURE.md may not drift: its map is each file's own first line. `npm run map` rewrites it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';

const MAP = /(<!-- map -->\n)[\s\S]*(<!-- \/map -->)/;
const HEADER = /^\/\*\*\s*(?:\*\s*)?(?<purpose>[^\n]*?)\s*(?:\*\/)?$/m;

const purposeOf = (file: string): string => {
  const purpose = HEADER.exec(readFileSync(file, 'utf8'))?.groups?.['purpose'];
  return purpose ?? assert.fail(`${file} has no module header: open it with one line saying what it is for`);
};

it('ARCHITECTURE.md lists every source file with its own first line', () => {
  const rows = globSync('src/**/*.{js,ts,tsx}')
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
    .map((file) => `| \`${file}\` | ${purposeOf(file).replaceAll('|', '\\|')} |\n`);
  const page = readFileSync('ARCHITECTURE.md', 'utf8');
  const expected = page.replace(
    MAP,
    (_all, open: string, close: string) => `${open}| File | Purpose |\n| --- | --- |\n${rows.join('')}${close}`,
  );
  if (process.env['UPDATE']) writeFileSync('ARCHITECTURE.md', expected);
  else assert.equal(page, expected, 'the map is stale: run `npm run map`');
});
