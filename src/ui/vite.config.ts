/** Build of the pages: four entries, hashed assets, nothing inline, nothing from other hosts (SPEC 8). */
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';
import { keepDigest, PAGES_SOURCES } from './build-pages.ts';
import { pageTexts } from './page-texts.ts';

const SOURCE = join(import.meta.dirname, 'pages');
const DIST = join(import.meta.dirname, '../../dist/ui');

/** Written last, so that an interrupted build is not taken for a complete one. */
const keepSourcesDigest: Plugin = {
  name: 'keep-sources-digest',
  writeBundle: ({ dir = DIST }) => keepDigest(join(SOURCE, '../..'), dir, PAGES_SOURCES),
};

/** A theme that was chosen by hand is set before the first paint, not after a flash of the other one. */
const blockRenderingByScripts: Plugin = {
  name: 'block-rendering-by-scripts',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replaceAll('<script type', '<script blocking="render" type'),
  },
};

/** Named by the manifest, which the server makes; the smaller one is named by the pages too. */
const emitLargeIcon: Plugin = {
  name: 'emit-large-icon',
  buildStart() {
    this.emitFile({ type: 'asset', name: 'icon-512.png', source: readFileSync(join(SOURCE, 'icons/icon-512.png')) });
  },
};

/**
 * Pages of features that are one plain script, with no later syntax than browsers of televisions know, and stylesheets as they are
 * written. Each is a build of its own, because entries that share modules are modules themselves.
 */
const emitPlainPages: Plugin = {
  name: 'emit-plain-pages',
  async buildStart() {
    for (const input of globSync(join(SOURCE, '../../features/*/page/*.plain.ts'))) {
      const name = basename(input, '.plain.ts');
      const built = await build({
        configFile: false,
        root: SOURCE,
        logLevel: 'warn',
        build: {
          write: false,
          target: 'es2018',
          modulePreload: false,
          rolldownOptions: { input, output: { format: 'iife' } },
        },
      });
      const [script] = 'output' in built ? built.output : [];
      if (script?.type !== 'chunk') throw new Error(`${input} was not built`);
      this.emitFile({ type: 'asset', name: `${name}.js`, source: script.code });
      const styles = [join(SOURCE, 'shared/cameras/tile.css'), join(dirname(input), `${name}.css`)];
      const source = styles.map((style) => readFileSync(style, 'utf8')).join('\n');
      this.emitFile({ type: 'asset', name: `${name}.css`, source });
    }
  },
};

/** The login and the invitation have copies of their own of what the console has too: else it would be a request more for each page. */
const copyForSmallPages: Plugin = {
  name: 'copy-for-small-pages',
  enforce: 'pre',
  async resolveId(source, importer = '', options) {
    if (!/(?:login|invitation)\.ts$|\?small$/.test(importer)) return null;
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found?.id.endsWith('.ts') ? `${found.id}?small` : found;
  },
};

/** Whether the console imports the module, directly or through others, before it runs. */
const isForConsole = (id: string, modules: Rolldown.ChunkingContext): boolean =>
  id.endsWith('src/console.ts') ||
  modules.getModuleInfo(id)?.importers.some((importer) => isForConsole(importer, modules)) === true;

/**
 * Two chunks hold what several pages have; a module alone would be a request for a few hundred bytes. What is imported when
 * it is shown stays apart.
 */
function chunkOf(id: string, modules: Rolldown.ChunkingContext): string | null {
  const { dynamicImporters, importers } = modules.getModuleInfo(id) ?? { dynamicImporters: [], importers: [] };
  if (dynamicImporters.length > 0 || id.endsWith('?small')) return null;
  // What one page alone imports comes with that page.
  if (importers.length === 1 && modules.getModuleInfo(importers[0] ?? '')?.dynamicImporters.length) return null;
  if (/ui\/pages\/shared\/|src\/domain\//.test(id) || isForConsole(id, modules)) return 'console';
  return /ui\/pages\/settings\//.test(id) ? 'settings' : null;
}

export default defineConfig({
  root: SOURCE,
  /** Relative, so that the same files work below any base path; serve-ui.ts completes the paths in the pages. */
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { importSource: 'preact' } },
  plugins: [pageTexts(), blockRenderingByScripts, copyForSmallPages, emitLargeIcon, emitPlainPages, keepSourcesDigest],
  build: {
    outDir: DIST,
    emptyOutDir: true,
    /** Only the icon is written into the pages (`?inline`): a request less for each. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    /** The licences of what is bundled ask to be shipped with it. */
    license: { fileName: 'licences.md' },
    rolldownOptions: {
      // Texts take most of the time.
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          /** Else a module would be loaded where only a part of its chunk is asked for. */
          includeDependenciesRecursively: false,
          groups: [
            { name: 'shared', test: /\?small$/, priority: 1, minShareCount: 2 },
            { debugName: 'console', name: chunkOf, minShareCount: 1 },
          ],
        },
      },
      input: {
        login: join(SOURCE, 'login.html'),
        console: join(SOURCE, 'console.html'),
        /** Its page is made by the server, which works without it. */
        invitation: join(SOURCE, 'invitation/invitation.ts'),
      },
    },
  },
});
