/** Builds the pages before a start or a test, when they are missing or older than their sources. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBuiltFrom, PAGES_SOURCES } from './pages-digest.ts';

export type BuildNeed = 'fresh' | 'build' | 'cannot-build' | 'keep-as-they-are';

export interface PagesPlace {
  readonly sourceDirectory: string;
  /** The files in it that the pages are built from. */
  readonly pattern: string;
  readonly distDirectory: string;
  /** A production install has the built pages, and no Vite. */
  readonly hasVite: boolean;
}

export function buildNeed({ sourceDirectory, pattern, distDirectory, hasVite }: PagesPlace): BuildNeed {
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

if (import.meta.main) await buildPagesIfNeeded();
