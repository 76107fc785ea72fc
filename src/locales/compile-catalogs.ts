/** Message catalogs as functions: for a build as the text of a module, from the sources when a message is first said. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import core from '@messageformat/core';
import coreModule from '@messageformat/core/lib/compile-module.js';
import type { Plugin } from 'vite';
import type { Texts } from './texts.ts';

type Say = (values: Record<string, unknown>) => string;
interface Format {
  compile(message: string): Say;
}
/** CommonJS: the types of the packages do not say what Node imports. */
const MessageFormat = core as unknown as new (tag: string) => Format;
const compileModule = coreModule as unknown as (format: Format, messages: Tree<string>) => string;

const FOLDER = import.meta.dirname;

/** The messages of a file by their keys. */
export type Catalog = Readonly<Record<string, string>>;

export const readCatalog = (tag: string): Catalog => JSON.parse(readFileSync(join(FOLDER, `${tag}.json`), 'utf8'));

/** A language is a file in this folder; English comes first. */
export const TAGS: readonly string[] = [
  'en',
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json') && file !== 'en.json')
    .map((file) => basename(file, '.json'))
    .sort(),
];

/** A language with its name in its own words. */
export const namedLanguages = (): readonly (readonly [tag: string, name: string])[] =>
  TAGS.map((tag) => [tag, readCatalog(tag)['ui.languageName'] ?? tag]);

/** What a language lacks is English. */
const completed = (tag: string): Catalog => ({ ...readCatalog('en'), ...readCatalog(tag) });

const hasPlaceholders = (message: string): boolean => message.includes('{');

type Tree<Leaf> = { [name: string]: Leaf | Tree<Leaf> };

function nested<Leaf>(catalog: Catalog, leafOf: (message: string) => Leaf, takes = (_key: string) => true): Tree<Leaf> {
  const root: Tree<Leaf> = {};
  for (const [key, message] of Object.entries(catalog)) {
    if (!takes(key)) continue;
    const path = key.split('.');
    const last = path.pop() ?? key;
    let group = root;
    for (const name of path) {
      group[name] ??= {};
      group = group[name] as Tree<Leaf>;
    }
    group[last] = leafOf(message);
  }
  return root;
}

/** The texts of a language without a build. */
export function textsFromSource(tag: string): Texts {
  const format = new MessageFormat(tag);
  const said = (message: string) => {
    if (!hasPlaceholders(message)) return message.replaceAll("''", "'");
    let compiled: Say | undefined;
    return (values: Record<string, unknown>): string => {
      compiled ??= format.compile(message);
      return compiled(values);
    };
  };
  return nested(completed(tag), said) as unknown as Texts;
}

const RUNTIME = 'number, plural, select';

/**
 * The code of a module whose default export makes the texts, with the tools that all languages share. A message without placeholders
 * is a string, not a function.
 */
export function codeOf(tag: string, takes?: (key: string) => boolean): string {
  const code = compileModule(
    new MessageFormat(tag),
    nested(completed(tag), (message) => message, takes),
  ).replaceAll(/\(\) => (?=")/g, '');
  const [, texts] = code.split(/export default (?=\{)/);
  return `export default ({ ${RUNTIME}, ${tag} }) => (${texts});`;
}

const MODULE = 'catalog:';

/** `catalogs`: the code in the place of `catalogs.ts`. `takes`: the keys of whole languages; absent: all. */
export const compiledCatalogs = (catalogs: string, takes?: (key: string) => boolean): Plugin => ({
  name: 'compiled-catalogs',
  resolveId: (source) => (source.startsWith(MODULE) ? join(FOLDER, `${source.slice(MODULE.length)}.js`) : undefined),
  load(id) {
    const name = id.startsWith(FOLDER) ? basename(id.replace(/\?.*/, '')) : '';
    if (name === 'languages.ts') return `export const LANGUAGES = ${JSON.stringify(namedLanguages())};`;
    if (name === 'catalogs.ts') return catalogs;
    const tag = TAGS.find((each) => name === `${each}.js`);
    return tag && codeOf(tag, takes);
  },
});

/** What the makers of all languages are given. */
export const TOOLS = `import { ${RUNTIME} } from '@messageformat/runtime';
import { ${TAGS.join(', ')} } from '@messageformat/runtime/lib/cardinals';
const TOOLS = { ${RUNTIME}, ${TAGS.join(', ')} };\n`;

/** All languages, for the server. One is made at its first use: most commands need none. */
export const ALL_CATALOGS = `${TOOLS}${TAGS.map((tag) => `import make_${tag} from ${JSON.stringify(MODULE + tag)};\n`).join('')}
const MAKERS = { ${TAGS.map((tag) => `${tag}: make_${tag}`).join(', ')} };
const made = {};
const known = (tag) => Object.hasOwn(MAKERS, tag) ? tag : 'en';
export const textsIn = (tag) => made[known(tag)] ??= MAKERS[known(tag)](TOOLS);\n`;
