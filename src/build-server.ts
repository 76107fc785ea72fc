/** `npm run build`: the server as a few files of JavaScript in `bundle/`: the only way to run it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { ALL_CATALOGS, compiledCatalogs } from './locales/compile-catalogs.ts';
import { isBuiltFrom, isInstalled, keepDigest } from './ui/build-pages.ts';

const ROOT = join(import.meta.dirname, '..');
/** The folder of the built server, beside `src`, so that paths from here to `conf` or `dist/ui` are those of the sources. */
export const BUNDLE = join(ROOT, 'bundle');
const SOURCES = '{src/**/*.*,conf/policies/*.yaml,package-lock.json}';

/** Hundreds of small modules, written for being put together, of which most is not used here. Other packages stay as they are installed. */
const PACKAGES_INSIDE: readonly string[] = ['kysely', 'zod', 'jose', 'yaml', '@messageformat/runtime', 'make-plural'];
// biome-ignore format: a table
const ENTRIES: readonly string[] = [
  'main.ts', 'events-worker.ts', 'narrowing-worker.ts', 'app/config-worker.ts', 'store/sqlite/move-log.ts',
];

/** All files of the bundle lie in one directory: a module still finds what stood beside it, and a thread its program. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: (code, id) =>
    code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${relative(join(ROOT, 'src'), dirname(id))}')`)
      .replaceAll(
        /new URL\("[^"]*?(?<name>[\w-]+)\.ts", import\.meta\.url\)/g,
        'new URL("./$<name>.js", import.meta.url)',
      ),
};

/** Node reads a file that is not ASCII into two bytes for each character, and V8 keeps the text. */
const keepAscii: Plugin = {
  name: 'keep-ascii',
  // Not `renderChunk`: when comments are left out, the code is printed anew after that.
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = escaped(file.code);
  },
};

const escaped = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

export async function buildServer(outDir = BUNDLE): Promise<void> {
  const { build } = await import('vite');
  rmSync(outDir, { recursive: true, force: true });
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'warn',
    plugins: [compiledCatalogs(ALL_CATALOGS), keepPlaces, keepAscii],
    ssr: { noExternal: [...PACKAGES_INSIDE], target: 'node' },
    build: {
      ssr: true,
      outDir,
      target: 'es2024',
      minify: false,
      rolldownOptions: {
        input: ENTRIES.map((entry) => join(ROOT, 'src', entry)),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false },
      },
    },
  });
  await writeTables(outDir);
  keepDigest(ROOT, outDir, SOURCES);
}

/** The shipped route tables as data: to parse them takes a sixth of a start. */
async function writeTables(outDir: string): Promise<void> {
  const { BUILT_TABLES, digestText: digestOf, SHIPPED } = await import('./config/policy/load-policy.ts');
  const { parsePolicy } = await import('./config/policy/load-policy.ts');
  const tables = readdirSync(SHIPPED).flatMap((name) => {
    const text = readFileSync(join(SHIPPED, name), 'utf8');
    const table = parsePolicy(text, name);
    return table.ok ? [[digestOf(text), table.value] as const] : [];
  });
  const file = join(outDir, BUILT_TABLES);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(Object.fromEntries(tables)));
}

/** Whether `bundle/` is there, and made from the sources as they are now. */
export const isBundleCurrent = (): boolean => existsSync(BUNDLE) && isBuiltFrom(ROOT, BUNDLE, SOURCES);

const WITHOUT_VITE =
  'The server in bundle/ is not built from these sources, and Vite is not installed to build it: run "npm ci" and "npm ' +
  'run build" where the development packages are, and copy bundle/ here.';

if (import.meta.main && !isBundleCurrent()) {
  if (isInstalled('vite')) await buildServer();
  else {
    console.error(WITHOUT_VITE);
    process.exitCode = existsSync(BUNDLE) ? 0 : 1;
  }
}
