/** The placeholders of messages, and the file of their types that `npm run generate` writes from English. */
import { parse, type Token } from '@messageformat/parser';
import { type Catalog, readCatalog, TAGS } from './compile-catalogs.ts';

/** What the code gives for a placeholder: a number is written as the language writes it, a truth chooses between two texts. */
export type PlaceholderType = 'number' | 'boolean' | 'string | number';

export function placeholdersOf(message: string): ReadonlyMap<string, PlaceholderType> {
  const found = new Map<string, PlaceholderType>();
  const add = (name: string, type: PlaceholderType): void => {
    if (type !== 'string | number' || !found.has(name)) found.set(name, type);
  };
  const read = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'argument') add(token.arg, 'string | number');
      if (token.type === 'function') add(token.arg, 'number');
      if (!('cases' in token)) continue;
      const isTruth = token.type === 'select' && token.cases.some(({ key }) => key === 'true');
      add(token.arg, token.type === 'plural' ? 'number' : isTruth ? 'boolean' : 'string | number');
      for (const { tokens } of token.cases) read(tokens);
    }
  };
  read(parse(message));
  return found;
}

const HEAD = `/** What the messages of \`en.json\` are given. Written by "npm run generate". */

// biome-ignore format: a table
export interface Placeholders {
`;

export function placeholdersFile(english: Catalog = readCatalog('en')): string {
  const lines = Object.entries(english)
    .filter(([, message]) => message.includes('{'))
    .map(([key, message]) => {
      const values = [...placeholdersOf(message)].map(([name, type]) => `readonly ${name}: ${type}`);
      return `  readonly '${key}': { ${values.join('; ')} };\n`;
    });
  return `${HEAD}${lines.join('')}}\n`;
}

/** The messages that a language lacks; they are shown in English. */
export const lacking = (): readonly (readonly [tag: string, keys: readonly string[]])[] =>
  TAGS.map((tag) => [tag, Object.keys(readCatalog('en')).filter((key) => !(key in readCatalog(tag)))]);
