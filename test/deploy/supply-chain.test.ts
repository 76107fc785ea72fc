/** What is shipped: exact versions with their digests, no code that runs at installation, licences that allow it, pages that two builds make alike. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '../..');
const SHIPPABLE: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  '(MIT OR Apache-2.0)',
]);

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}
type Versions = Readonly<Record<string, string>>;

const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const manifest = read('package.json') as Readonly<Record<`${string}ependencies`, Versions>>;
const lock = read('package-lock.json') as { readonly packages: Readonly<Record<string, LockedPackage>> };
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
const shipped = packages.filter(([, { dev, devOptional }]) => !dev && !devOptional);
const pathsOf = (those: typeof packages): string[] => those.map(([path]) => path);

describe('The packages', () => {
  it('are named by exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    assert.ok(versions.length > 30);
    for (const version of versions) assert.match(version, /^(?:npm:[@\w/.-]+@)?\d+\.\d+\.\d+$/);
  });

  it('are each locked by a digest', () => {
    assert.deepEqual(pathsOf(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))), []);
  });

  it('run nothing when they are installed', () => {
    assert.deepEqual(pathsOf(packages.filter(([, { hasInstallScript }]) => hasInstallScript)), []);
  });

  it('that are shipped have licences that allow it', () => {
    assert.ok(shipped.length > 50);
    assert.deepEqual(pathsOf(shipped.filter(([, { license = '' }]) => !SHIPPABLE.has(license))), []);
  });
});

describe('The built pages', () => {
  it('are alike in two builds, in two directories, with the licences of what is in them', async (t) => {
    const places = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `postern-pages-${name}-`)));
    t.after(() => places.forEach((place) => void rmSync(place, { recursive: true })));
    for (const outDir of places)
      await build({ configFile: join(ROOT, 'src/ui/vite.config.ts'), build: { outDir, emptyOutDir: true } });
    const [first = {}, second = {}] = places.map(digestsOf);
    assert.ok(Object.keys(first).length > 5);
    assert.deepEqual(second, first);
    const licences = readFileSync(join(places[0] ?? '', 'licences.md'), 'utf8');
    for (const name of ['preact', 'wouter-preact']) assert.match(licences, new RegExp(`\\b${name}\\b`, 'i'));
  });
});

const digestsOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync('**/*.*', { cwd: directory })
      .sort()
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(directory, file)))
          .digest('hex'),
      ]),
  );
