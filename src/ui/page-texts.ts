/**
 * The console's texts in files: those of its start and of the parts that pages share, and for each script that is loaded later those
 * that it alone says. A browser loads one language, and the texts of a page beside its script (SPEC 8).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { minifySync, type Plugin } from 'vite';
import { codeOf, compiledCatalogs, readCatalog, TAGS, TOOLS } from '../locales/compile-catalogs.ts';
import { isServed } from '../locales/texts.ts';
import { digestOfSources, PAGES_SOURCES } from './build-pages.ts';

const SOURCE = join(import.meta.dirname, '..');
const SHARED = join(SOURCE, 'ui/pages/shared');

/** A script that is loaded later: its texts are asked for at once. */
const LATER = /\bimport\(('[^']*?([\w-]+)\.tsx')\)/g;
const WITH_TEXTS = `Promise.all([import($1), learnPart(document.documentElement.lang, '.$2')]).then(([it]) => it)`;
const LEARN = `import { learnWords as learnPart } from ${JSON.stringify(join(SHARED, 'words.ts'))};`;

/** A text, or a group of them: `words.ui.common`. */
const SAID = /\bwords\.(\w+(?:\.\w+)*)/g;

const keysAt = (paths: readonly string[]): readonly string[] =>
  Object.keys(readCatalog('en')).filter(
    (key) => !isServed(key) && paths.some((path) => `${key}.`.startsWith(`${path}.`) || path.startsWith(`${key}.`)),
  );

export function pageTexts(): Plugin[] {
  // One digest in all names: with one for each, the console would have to know hundreds.
  const compiled = TAGS.map((tag) => codeOf(tag)).join();
  const sources = digestOfSources(SOURCE, PAGES_SOURCES);
  const digest = createHash('sha256').update(sources).update(compiled).digest('base64url').slice(0, 8);
  const catalogs = `${TOOLS}export const loadTexts = async (tag, part = '') =>
    (await import(/* @vite-ignore */ \`./\${tag}\${part}-${digest}.js\`)).default(TOOLS);`;
  const split: Plugin = {
    name: 'page-texts',
    enforce: 'pre',
    transform: (code) => (code.search(LATER) < 0 ? undefined : LEARN + code.replaceAll(LATER, WITH_TEXTS)),
    buildEnd() {
      const saidBy = (id: string, seen = new Set<string>()): readonly string[] => {
        if (seen.has(id) || !id.startsWith(SOURCE) || !/\.tsx?$/.test(id)) return [];
        seen.add(id);
        const own = [...readFileSync(id, 'utf8').matchAll(SAID)].map(([, path = '']) => path);
        return [...own, ...(this.getModuleInfo(id)?.importedIds ?? []).flatMap((imported) => saidBy(imported, seen))];
      };
      const ids = [...this.getModuleIds()];
      const atStart = ids.filter((id) => id === join(SOURCE, 'console.ts') || id.startsWith(SHARED));
      const start = keysAt(atStart.flatMap((id) => saidBy(id)));
      const parts = new Map([
        ['', start],
        ['.problems', keysAt(['problems'])],
      ]);
      for (const id of ids)
        if (id.endsWith('.tsx') && this.getModuleInfo(id)?.dynamicImporters.length)
          parts.set(
            `.${basename(id, '.tsx')}`,
            keysAt(saidBy(id)).filter((key) => !start.includes(key)),
          );
      for (const tag of TAGS)
        for (const [part, keys] of parts) {
          const fileName = `assets/${tag}${part}-${digest}.js`;
          const { code } = minifySync(
            fileName,
            codeOf(tag, (key) => keys.includes(key)),
          );
          this.emitFile({ type: 'asset', fileName, source: code });
        }
    },
  };
  return [compiledCatalogs(catalogs), split];
}
