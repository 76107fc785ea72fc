/** Tells whether the built pages are those of the sources at hand: a digest of the sources is kept beside them. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the pages are built from, below `src`. */
export const PAGES_SOURCES = '{ui/pages/**/*.*,locales/*.*}';

const DIGEST_FILE = 'sources.sha256';

/** Names count too: a source that is renamed changes the digest. */
export function digestOfSources(sourceDirectory: string, pattern: string): string {
  const digest = createHash('sha256');
  const files = globSync(pattern, { cwd: sourceDirectory }).sort();
  for (const file of files)
    digest
      .update(`${file}\0`)
      .update(readFileSync(join(sourceDirectory, file)))
      .update('\0');
  return digest.digest('hex');
}

export function isBuiltFrom(sourceDirectory: string, distDirectory: string, pattern: string): boolean {
  const kept = join(distDirectory, DIGEST_FILE);
  return existsSync(kept) && readFileSync(kept, 'utf8').trim() === digestOfSources(sourceDirectory, pattern);
}

export const keepDigest = (sourceDirectory: string, distDirectory: string, pattern: string): void =>
  writeFileSync(join(distDirectory, DIGEST_FILE), `${digestOfSources(sourceDirectory, pattern)}\n`);
