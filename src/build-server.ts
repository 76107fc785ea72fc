/** `npm run build`: the server as a few files of JavaScript in `bundle/`: the only way to run it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { ALL_CATALOGS, compiledCatalogs } from './locales/compile-catalogs.ts';
import { isOnServer } from './locales/texts.ts';
import { isBuiltFrom, isInstalled, keepDigest } from './ui/build-pages.ts';

const ROOT = join(import.meta.dirname, '..');
/** The folder of the built server, beside `src`, so that paths from here to `conf` or `dist/ui` are those of the sources. */
export const BUNDLE = join(ROOT, 'bundle');
const SOURCES = '{src/**/*.*,conf/policies/*.yaml,package-lock.json}';

const THREADS: readonly string[] = ['events-worker.ts', 'narrowing-worker.ts', 'store/sqlite/move-log.ts'];
/** Each is one file with all that it imports and that no row above it has: to open a file takes longer than to read it. */
const TOGETHER = Object.entries({
  first: /cli\/(?:command-words|v8-settings)\.ts$/,
  healthcheck: /check\/healthcheck\.ts$/,
  'command-line': /cli\/command-line\.ts$/,
  commands: /app\/commands\.ts$/,
  service: /cli\/serve\.ts$|features\/\w+\/index\.ts$/,
});

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

/** Koa asks for the character set of a type, and for four types by a name: the table of all of them would take 2 MB. */
const fewTypes: Plugin = {
  name: 'few-types',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('mime-db/db.json')) return undefined;
    const isAsked = ([type, { charset }]: [string, { charset?: string }]) =>
      charset !== undefined || /^(?:text\/(?:html|plain)|application\/octet-stream)$/.test(type);
    return JSON.stringify(Object.fromEntries(Object.entries<{ charset?: string }>(JSON.parse(code)).filter(isAsked)));
  },
};

/** An import reads all that a module exports, what nothing here uses too: of these modules Node's own fetch, which takes 50 ms and some 6 MB. */
const LAVISH = /^import (?<names>\{[^}]*\}|[\w$]+) from (?<module>"node:(?:crypto|http|process)");$/gm;
const asked = (_: string, names: string, module: string): string =>
  `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule(${module});`;

/** Node reads a file that is not ASCII into two bytes for each character, and V8 keeps the text. */
const readCheaply: Plugin = {
  name: 'read-cheaply',
  // Not `renderChunk`: when comments are left out, the code is printed anew after that.
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = escaped(file.code.replaceAll(LAVISH, asked));
  },
};

const escaped = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

export async function buildServer(outDir = BUNDLE): Promise<void> {
  rmSync(outDir, { recursive: true, force: true });
  const groups = TOGETHER.map(([name, test], at) => ({ name, test, priority: TOGETHER.length - at }));
  await buildFiles(outDir, ['main.ts', 'app/config-worker.ts'], { groups });
  await buildFiles(outDir, THREADS); // each with what it needs, and no more
  await writeTables(outDir);
  keepDigest(ROOT, outDir, SOURCES);
}

async function buildFiles(
  outDir: string,
  entries: readonly string[],
  codeSplitting: object | boolean = true,
): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: 'warn',
    plugins: [compiledCatalogs(ALL_CATALOGS, isOnServer), keepPlaces, fewTypes, readCheaply],
    // It needs `reflect-metadata` to be loaded first, which a bundle does not keep.
    ssr: { noExternal: true, external: ['@simplewebauthn/server'], target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'es2024',
      minify: false,
      rolldownOptions: {
        checks: { eval: false }, // of `depd`, which Koa brings
        input: entries.map((entry) => join(ROOT, 'src', entry)),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', comments: false, codeSplitting },
      },
    },
  });
}

/** The shipped route tables as data: to parse them takes a sixth of a start. */
async function writeTables(outDir: string): Promise<void> {
  const { BUILT_TABLES, digestText, parsePolicy, SHIPPED } = await import('./config/policy/load-policy.ts');
  const tables = readdirSync(SHIPPED).flatMap((name) => {
    const text = readFileSync(join(SHIPPED, name), 'utf8');
    const table = parsePolicy(text, name);
    return table.ok ? [[digestText(text), table.value] as const] : [];
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
