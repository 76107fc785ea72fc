/** Part of `npm run generate`: writes docs/generated/; `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adversariesDocument, readAdversaries } from './adversaries.ts';
import { allHoles } from './all-holes.ts';
import { asvsDocument, readAsvs } from './asvs.ts';
import { documentOf } from './document.ts';
import { promisesDocument, readPromises } from './promises.ts';
import { readRemembered, rememberedDocument } from './remembered.ts';

const FOLDER = join(import.meta.dirname, '../../docs/generated');
const TEXTS = {
  'published-holes.md': documentOf(await allHoles()),
  'adversaries.md': adversariesDocument(readAdversaries()),
  'asvs.md': asvsDocument(readAsvs()),
  'promises.md': promisesDocument(readPromises(), readFileSync(join(FOLDER, '../../SECURITY.md'), 'utf8')),
  'remembered.md': rememberedDocument(readRemembered()),
};
for (const [name, text] of Object.entries(TEXTS)) {
  const file = join(FOLDER, name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`docs/generated/${name} is stale: run "npm run generate"`);
    process.exitCode = 1;
  }
}
