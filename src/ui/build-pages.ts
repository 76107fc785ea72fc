/** Builds the pages before a start or a test, when they are missing or older than their sources. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../domain/result.ts';

const WITHOUT_VITE =
  'The pages are not built, and Vite is not installed to build them: run "npm ci" and "npm run build" where the ' +
  'development packages are, and copy dist/ui here. Postern starts without its pages.';

/** A production install has the built pages, and no Vite. */
async function buildPagesIfNeeded(): Promise<void> {
  const dist = join(import.meta.dirname, '../../dist/ui');
  if (!isInstalled('vite')) {
    if (!existsSync(dist)) console.error(WITHOUT_VITE);
  } else if (!isBuiltFrom(join(import.meta.dirname, '..'), dist, PAGES_SOURCES)) {
    const { build } = await import('vite');
    await build({ configFile: join(import.meta.dirname, 'vite.config.ts') });
  }
}

export const isInstalled = (packageName: string): boolean =>
  attempt(() => import.meta.resolve(packageName)) !== undefined;

/** What the pages are built from, below `src`. */
export const PAGES_SOURCES =
  '{console.ts,ui/pages/**/*.*,features/all-pages.ts,features/*/page/*.*,ui/{page-texts,vite.config}.ts,locales/*.*}';

/** A digest of the sources is kept beside what is built of them. */
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

/** `pattern`: the files below the sources of which it is built. */
export function isBuiltFrom(sourceDirectory: string, distDirectory: string, pattern: string): boolean {
  const kept = join(distDirectory, DIGEST_FILE);
  return existsSync(kept) && readFileSync(kept, 'utf8').trim() === digestOfSources(sourceDirectory, pattern);
}

export const keepDigest = (sourceDirectory: string, distDirectory: string, pattern: string): void =>
  writeFileSync(join(distDirectory, DIGEST_FILE), `${digestOfSources(sourceDirectory, pattern)}\n`);

if (import.meta.main) await buildPagesIfNeeded();
