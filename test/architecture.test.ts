/** The rules of the source tree, checked: the layers, the order of sub-folders, and which packages each may use. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative, sep } from 'node:path';
import { describe, it } from 'node:test';

/**
 * The layers, lowest first: a file imports its own folder and any layer below it. Folders of one line do not know each other.
 * `.` are the entries: the service and its threads.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['domain', 'files', 'compress', 'locales'],
  ['routes', 'outbound'],
  ['access', 'telemetry', 'store'],
  ['nvr'],
  ['config'],
  ['accounts', 'events'],
  ['identity'],
  ['ui'],
  ['gateway'],
  ['features'],
  ['app'],
  ['cli'],
  ['.'],
];
/** The one arrow upwards: the type of the state that `app` makes once and passes down. (Pages may import types of answers, too.) */
const STATE = join('src', 'app', 'services.ts');
/** The same within the gateway: the type of what a gate works with. */
const STATE_OF_GATE = join('src', 'gateway', 'gate.ts');
/** Arrows upwards of before this list was kept, as `file -> file`: a new one is not added, and one that is mended leaves the list. */
const KNOWN_UPWARD_ARROWS: readonly string[] = [];

// biome-ignore format: a table
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  domain:    ['lru-cache'],
  access:    [],
  nvr:       [],
  files:     [],
  compress:  [],
  outbound:  [],
  locales:   ['@messageformat/core', '@messageformat/core/lib/compile-module.js', '@messageformat/runtime', '@messageformat/runtime/lib/cardinals', 'vite'],
  routes:    ['koa', 'zod'],
  gateway:   ['koa', 'zod', 'http-proxy', 'ws', 'lru-cache', '@peculiar/x509', 'reflect-metadata', 'pino'],
  identity:  ['zod', 'jose', 'lru-cache'],
  accounts:  ['koa', 'zod', 'jose', 'lru-cache', 'qr', '@simplewebauthn/server', '@simplewebauthn/server/helpers'],
  events:    ['koa', 'koa-router', 'lru-cache'],
  store:     ['kysely', 'kysely/migration', 'pg'],
  config:    ['yaml', 'zod'],
  telemetry: ['prom-client', 'pino'],
  ui:        ['koa', 'vite'],
  features:  ['jose', 'koa', 'kysely', 'lru-cache', 'modern-tar/fs', 'openid-client', 'pino', 'zod'],
  cli:       ['commander', 'zod'],
};

/**
 * The sub-folders of the large modules, lowest first: a file imports from its own folder and from those before it, types
 * included. Folders on one line do not know each other. `.` are the files beside the folders.
 */
// biome-ignore format: a table
const FOLDER_ORDER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  gateway:  [['certificates'], ['decision'], ['response'], ['narrow'], ['http1'], ['forward'], ['websocket'], ['entry'], ['listen', 'explain'], ['.']],
  nvr:      [['frigate'], ['.']],
  accounts: [['.'], ['http', 'passwords'], ['sessions'], ['second-factor', 'sites'], ['passkeys', 'store'], ['login'], ['roles', 'grants'], ['users'], ['tokens', 'invitations', 'settings'], ['all']],
  store:    [['engine'], ['accounts', 'events', 'ledger', 'migrations'], ['sqlite', 'postgres'], ['.']],
  config:   [['problems'], ['schema'], ['policy'], ['.']],
  domain:   [['.'], ['events', 'store'], ['accounts']],
  app:      [['resources'], ['.']],
};
/** The program in the browser: its entry, the list of the features' pages, and the pages, of the core and in the folders of features. */
const PAGES = 'src/ui/pages';
const PAGES_OF_FEATURES = 'src/features/*/page';
const BROWSER = ['src/console.ts', 'src/features/all-pages.ts', `${PAGES}/**`, `${PAGES_OF_FEATURES}/**`];
const isOfPages = (file: string): boolean => BROWSER.some((pattern) => matchesGlob(file, pattern));
/** The folders of the pages, in the same way. */
const PAGE_ORDER: readonly (readonly string[])[] = [
  ['shared'],
  ['login'],
  ['explore'],
  ['settings'],
  ['status', 'invitation'],
  ['live'],
  ['console'],
];
const MOST_FILES = 25;
/** Lists of what lies in the folders beside them: no part of their own folder. */
const LISTS: readonly string[] = ['src/features/all.ts', 'src/features/all-pages.ts'];
/** A feature imports no other one, but for these. */
const BETWEEN_FEATURES: readonly (readonly [from: string, to: string])[] = [];

/** Imported by no other folder of its module, and importing none. */
const APART: readonly string[] = ['gateway/certificates'];

/** Circles of before this list was kept: a new one is not added, and one that is mended leaves the list. */
const KNOWN_CIRCLES: readonly string[] = [];

const ROOT = '.';
const COMPOSITION: readonly string[] = [ROOT, 'app'];
/** The packages that the composition uses itself. */
const OF_COMPOSITION: readonly string[] = ['jose', 'pino', 'vite'];
const PURE: readonly string[] = ['domain', 'access', 'nvr'];

const IMPORT = /(?:^|\n)(?:import|export)\b[^;]*?\bfrom\s+'(?<target>[^']+)'|\bimport\('(?<lazy>[^']+)'\)/g;

const files = globSync('src/**/*.ts', { exclude: BROWSER }).sort();
const moduleOf = (file: string): string => {
  const [first = '', second] = relative('src', file).split(sep);
  return second === undefined ? ROOT : first;
};
/** The folder below the module, `.` for none. */
const folderOf = (file: string): string => {
  const [, folder = '', inside] = relative('src', file).split(sep);
  return inside === undefined ? '.' : folder;
};

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(({ groups }) => groups?.['target'] ?? groups?.['lazy'] ?? '');
interface Arrow {
  readonly to: string;
  /** `import type`: nothing of it runs. */
  readonly isType: boolean;
}
const arrowsOf = (file: string): Arrow[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map(({ 0: statement, groups }) => ({
      target: groups?.['target'] ?? groups?.['lazy'] ?? '',
      isType: /^\s*import type\b/.test(statement),
    }))
    .filter(({ target }) => /^\..*\.tsx?$/.test(target))
    .map(({ target, isType }) => ({ to: join(dirname(file), target), isType }));
const heightOf = (file: string): number => {
  const height = LAYERS.findIndex((rooms) => rooms.includes(moduleOf(file)));
  assert.notEqual(height, -1, `${moduleOf(file)}/ is in no layer: give it one`);
  return height;
};
const isOfState = ({ to, isType }: Arrow): boolean => isType && to === STATE;
const isOfGate = ({ to, isType }: Arrow): boolean => isType && to === STATE_OF_GATE;
/** The types of answers, in a page. */
const isOfAnswer = (file: string, { to, isType }: Arrow): boolean => isType && isOfPages(file) && !isOfPages(to);
const isUpwards = (file: string, arrow: Arrow): boolean =>
  moduleOf(arrow.to) !== moduleOf(file) && heightOf(arrow.to) >= heightOf(file) && !isOfState(arrow);
/** Files of this project that a file imports, types included, but those of states and answers. */
const filesImportedBy = (file: string): string[] =>
  arrowsOf(file)
    .filter((arrow) => !isOfState(arrow) && !isOfGate(arrow) && !isOfAnswer(file, arrow))
    .map(({ to }) => to);

const isForPageOf = (file: string, other: string): boolean =>
  [join(PAGES, 'shared'), dirname(file), join('src', 'domain'), join('src', 'locales')].some((folder) =>
    other.startsWith(`${folder}${sep}`),
  );

describe('The architecture', () => {
  it('a file imports its own folder and the layers below it', () => {
    const upwards = files.flatMap((file) =>
      arrowsOf(file)
        .filter((arrow) => isUpwards(file, arrow))
        .map(({ to }) => `${file} -> ${to}`),
    );
    assert.deepEqual(upwards.sort(), [...KNOWN_UPWARD_ARROWS].sort());
  });

  it('an arrow upwards is found, and the type of the state is the only one that is not', () => {
    const from = join('src', 'accounts', 'login', 'login.ts');
    const to = (file: string, isType = false) => isUpwards(from, { to: join('src', ...file.split('/')), isType });
    assert.ok(to('gateway/decision/admit.ts') && to('app/start.ts', true) && to('events/filters.ts'));
    assert.ok(to('app/services.ts') && !to('app/services.ts', true));
    assert.ok(!to('store/open-store.ts') && !to('accounts/users/users.ts') && !to('domain/clock.ts'));
  });

  for (const file of files.filter((path) => !COMPOSITION.includes(moduleOf(path)))) {
    it(`${file} uses only packages of its folder`, () => {
      const module = moduleOf(file);
      const allowed = PACKAGES[module] ?? assert.fail(`${module}/ is not in the table of packages: add it`);
      for (const target of importsOf(file).filter((one) => !one.startsWith('.')))
        if (target.startsWith('node:')) {
          const isIo = !['node:net', 'node:crypto'].includes(target);
          assert.ok(!(PURE.includes(module) && isIo), `${file} imports ${target}: ${module}/ is pure`);
        } else assert.ok(allowed.includes(target), `${file} imports ${target}: not a package of ${module}/`);
    });
  }

  for (const [module, order] of Object.entries(FOLDER_ORDER)) {
    it(`the sub-folders of ${module}/ import in one direction, types included`, () => {
      const rankOf = (folder: string): number => {
        const rank = order.findIndex((line) => line.includes(folder));
        assert.notEqual(rank, -1, `src/${module}/${folder}/ has no place in the order of sub-folders: give it one`);
        return rank;
      };
      const wrong = files
        .filter((file) => moduleOf(file) === module)
        .flatMap((file) =>
          filesImportedBy(file)
            .filter((other) => moduleOf(other) === module && folderOf(other) !== folderOf(file))
            .filter((other) => {
              const isApart = [file, other].some((path) => APART.includes(`${module}/${folderOf(path)}`));
              return isApart || rankOf(folderOf(other)) >= rankOf(folderOf(file));
            })
            .map((other) => `${file} imports ${other}`),
        );
      assert.deepEqual(wrong, []);
    });
  }

  it('the folders of the pages import in one direction, types included', () => {
    const pageFolder = (file: string): string => relative(PAGES, file).split(sep)[0] ?? '';
    const rankOf = (folder: string): number => PAGE_ORDER.findIndex((line) => line.includes(folder));
    const wrong = globSync(`${PAGES}/*/**/*.{ts,tsx}`).flatMap((file) =>
      importsOf(file)
        .filter((target) => /^\..*\.tsx?$/.test(target))
        .map((target) => join(dirname(file), target))
        .filter((other) => pageFolder(other) !== pageFolder(file) && other.startsWith(PAGES))
        .filter((other) => rankOf(pageFolder(other)) >= rankOf(pageFolder(file)))
        .map((other) => `${file} imports ${other}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('a page of a feature imports what pages share, its own folder and pure rules; and types of answers from anywhere', () => {
    assert.deepEqual(
      globSync(`${PAGES_OF_FEATURES}/**/*.{ts,tsx}`).flatMap((file) =>
        filesImportedBy(file)
          .filter((other) => !isForPageOf(file, other))
          .map((other) => `${file} imports ${other}`),
      ),
      [],
    );
    const page = join('src', 'features', 'ledger', 'page', 'activity.tsx');
    assert.ok(isForPageOf(page, join(PAGES, 'shared', 'events', 'bars.ts')));
    for (const other of ['ui/pages/explore/explore.tsx', 'features/doctor/page/index.ts', 'features/ledger/ledger.ts'])
      assert.ok(!isForPageOf(page, join('src', ...other.split('/'))), other);
  });

  it('only the entry of the console imports the list of the features in the browser', () => {
    const users = globSync('src/**/*.{ts,tsx}').filter((file) =>
      arrowsOf(file).some(({ to }) => to === join('src', 'features', 'all-pages.ts')),
    );
    assert.deepEqual(users, [join('src', 'console.ts')]);
  });

  it(`no folder of the pages holds more than ${MOST_FILES} files`, () => {
    const folders = globSync([`${PAGES}/**/*.*`, `${PAGES_OF_FEATURES}/**/*.*`]).map((file) => dirname(file));
    const full = [...new Set(folders)].filter((one) => folders.filter((other) => other === one).length > MOST_FILES);
    assert.deepEqual(full, []);
  });

  it('a feature imports no other feature, but for those that are named here', () => {
    const between = files
      .filter((file) => moduleOf(file) === 'features' && folderOf(file) !== '.')
      .flatMap((file) =>
        filesImportedBy(file)
          .filter((other) => moduleOf(other) === 'features' && !['.', folderOf(file)].includes(folderOf(other)))
          .filter((other) => !BETWEEN_FEATURES.some(([from, to]) => from === folderOf(file) && to === folderOf(other)))
          .map((other) => `${file} imports ${other}`),
      );
    assert.deepEqual(between, []);
  });

  it('the composition uses few packages itself, and only it and the command line know app/', () => {
    const own = files.filter((file) => COMPOSITION.includes(moduleOf(file)));
    const packages = own.flatMap(importsOf).filter((target) => !target.startsWith('.') && !target.startsWith('node:'));
    assert.deepEqual([...new Set(packages)].sort(), OF_COMPOSITION);
    const users = files.filter((file) => filesImportedBy(file).some((other) => moduleOf(other) === 'app'));
    assert.deepEqual([...new Set(users.map(moduleOf))].sort(), ['app', 'cli']);
  });

  it('no file imports itself by way of others, types included', () => {
    assert.deepEqual(circlesAmong(files), []);
  });

  it('no folders import each other in a circle, at any level, types included: the list of known ones shrinks', () => {
    const folders = globSync('src/**/*.{ts,tsx}').map((file) => dirname(file));
    const above = [...new Set(folders.flatMap((folder) => pathsTo(folder)))];
    assert.deepEqual(above.flatMap(circlesOfFolders).sort(), KNOWN_CIRCLES);
  });

  it('only the gateway knows http-proxy', () => {
    const users = files.filter((file) => importsOf(file).includes('http-proxy'));
    assert.deepEqual([...new Set(users.map(moduleOf))], ['gateway']);
  });

  it('below the roots no file asks the machine for the time, chance or the environment', () => {
    const impure = /\bDate\.now\(\)|\bMath\.random\(\)|\bprocess\.env\b/;
    const allowed = [...COMPOSITION, 'cli'];
    const askers = files.filter((file) => !allowed.includes(moduleOf(file)) && impure.test(readFileSync(file, 'utf8')));
    assert.deepEqual(askers, []);
  });
});

/** `src/a/b` as `src`, `src/a` and `src/a/b`. */
const pathsTo = (folder: string): string[] =>
  folder.split(sep).map((_, index, steps) => join(...steps.slice(0, index + 1)));

/** The sub-folders of a folder that reach each other by imports, `.` for the files beside them: `src/a: ., b`. */
function circlesOfFolders(folder: string): string[] {
  const partOf = (file: string): string => {
    const [part = '', inside] = relative(folder, file).split(sep);
    return inside === undefined ? '.' : part;
  };
  const isHere = (file: string): boolean => file.startsWith(`${folder}${sep}`);
  const imports = new Map<string, Set<string>>();
  for (const file of globSync(`${folder}/**/*.{ts,tsx}`).filter((path) => !LISTS.includes(path)))
    for (const other of filesImportedBy(file).filter(isHere))
      imports.set(partOf(file), (imports.get(partOf(file)) ?? new Set()).add(partOf(other)));
  const reachedFrom = (part: string, seen = new Set<string>()): ReadonlySet<string> => {
    for (const next of imports.get(part) ?? []) if (!seen.has(next)) reachedFrom(next, seen.add(next));
    return seen;
  };
  const circles = [...imports.keys()].map((part) =>
    [...reachedFrom(part)]
      .filter((other) => other !== part && reachedFrom(other).has(part))
      .concat(part)
      .sort(),
  );
  const real = circles.filter((parts) => parts.length > 1).map((parts) => `${folder}: ${parts.join(', ')}`);
  return [...new Set(real)];
}

/** The import circles, each as `a -> b -> a`. */
function circlesAmong(all: readonly string[]): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) return void circles.push([...path.slice(start), file].join(' -> '));
    if (done.has(file)) return;
    for (const other of filesImportedBy(file)) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of all) visit(file, []);
  return circles;
}
