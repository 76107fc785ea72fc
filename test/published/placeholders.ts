/** The placeholders of messages, and the file of examples that `npm run generate` writes from English. */
import { parse, type Token } from '@messageformat/parser';
import { readCatalog, TAGS } from '../../src/locales/compile-catalogs.ts';

/** A value such as the code gives for a placeholder: a number is written as the language writes it, a truth chooses between two texts. */
type Example = 0 | true | 'text';

export function placeholdersOf(message: string): ReadonlyMap<string, Example> {
  const found = new Map<string, Example>();
  const add = (name: string, example: Example): void => {
    if (example !== 'text' || !found.has(name)) found.set(name, example);
  };
  const read = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'argument') add(token.arg, 'text');
      if (token.type === 'function') add(token.arg, 0);
      if (!('cases' in token)) continue;
      const isTruth = token.type === 'select' && token.cases.some(({ key }) => key === 'true');
      add(token.arg, token.type === 'plural' ? 0 : isTruth || 'text');
      for (const { tokens } of token.cases) read(tokens);
    }
  };
  read(parse(message));
  return found;
}

/** The examples of each message, a line each: the types of `texts.ts` are made of them. */
export const placeholdersFile = (): string => {
  const lines = Object.entries(readCatalog('en'))
    .filter(([, message]) => message.includes('{'))
    .map(([key, message]) => {
      const examples = [...placeholdersOf(message)].map(([name, example]) => `"${name}": ${JSON.stringify(example)}`);
      return `  ${JSON.stringify(key)}: { ${examples.join(', ')} }`;
    });
  return `{\n${lines.join(',\n')}\n}\n`;
};

/** The messages that a language lacks; they are shown in English. */
export const lacking = (): readonly (readonly [tag: string, keys: readonly string[]])[] =>
  TAGS.map((tag) => [tag, Object.keys(readCatalog('en')).filter((key) => !(key in readCatalog(tag)))]);
