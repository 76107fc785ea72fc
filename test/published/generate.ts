/** Part of `npm run generate`: writes docs/published-holes.md; `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allHoles } from './all-holes.ts';
import { documentOf } from './document.ts';

const FILE = join(import.meta.dirname, '../../docs/published-holes.md');
const text = documentOf(await allHoles());
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/published-holes.md is stale: run "npm run generate"');
  process.exitCode = 1;
}
