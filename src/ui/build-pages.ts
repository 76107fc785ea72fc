/** Builds the pages before a start or a test, when they are missing or older than their sources. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type BuildNeed = 'fresh' | 'build' | 'cannot-build' | 'keep-as-they-are';

type Places = Readonly<Record<'sourceDirectory' | 'pattern' | 'distDirectory', string>>;

/** `pattern`: the files below the sources of which the pages are built. A production install has the built pages, and no Vite. */
export function buildNeed({
  sourceDirectory,
  pattern,
  distDirectory,
  hasVite,
}: Places & { hasVite: boolean }): BuildNeed {
  const areBuilt = existsSync(join(distDirectory, 'login.html'));
  if (!hasVite) return areBuilt ? 'keep-as-they-are' : 'cannot-build';
  return areBuilt && isBuiltFrom(sourceDirectory, distDirectory, pattern) ? 'fresh' : 'build';
}

const WITHOUT_VITE =
  'The pages are not built, and Vite is not installed to build them: run "npm ci" and "npm run build" where the ' +
  'development packages are, and copy dist/ui here. Postern starts without its pages.';

async function buildPagesIfNeeded(): Promise<void> {
  const need = buildNeed({
    sourceDirectory: join(import.meta.dirname, '..'),
    pattern: PAGES_SOURCES,
    distDirectory: join(import.meta.dirname, '../../dist/ui'),
    hasVite: isInstalled('vite'),
  });
  if (need === 'cannot-build') console.error(WITHOUT_VITE);
  if (need !== 'build') return;
  const { build } = await import('vite');
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts') });
}

export function isInstalled(packageName: string): boolean {
  try {
    import.meta.resolve(packageName);
    return true;
  } catch {
    return false;
  }
}

/** What the pages are built from, below `src`. */
export const PAGES_SOURCES =
  '{console.ts,ui/pages/**/*.*,features/all-pages.ts,features/*/page/*.*,ui/vite.config.ts,locales/*.*}';

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

export function isBuiltFrom(sourceDirectory: string, distDirectory: string, pattern: string): boolean {
  const kept = join(distDirectory, DIGEST_FILE);
  return existsSync(kept) && readFileSync(kept, 'utf8').trim() === digestOfSources(sourceDirectory, pattern);
}

export const keepDigest = (sourceDirectory: string, distDirectory: string, pattern: string): void =>
  writeFileSync(join(distDirectory, DIGEST_FILE), `${digestOfSources(sourceDirectory, pattern)}\n`);

if (import.meta.main) await buildPagesIfNeeded();
