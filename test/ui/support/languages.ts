/** The files of texts, one for each language, by its tag. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { LanguageTexts } from '../../../src/ui/pages/words/en.ts';

const FOLDER = join(import.meta.dirname, '../../../src/ui/pages/words');

export const LANGUAGE_FILES: ReadonlyMap<string, LanguageTexts> = new Map(
  await Promise.all(
    globSync('??.ts', { cwd: FOLDER })
      .sort()
      .map(async (file) => [basename(file, '.ts'), await import(join(FOLDER, file))] as const),
  ),
);
