/** The texts that people read, by language. A build has other code in the place of this file: `compiledCatalogs`. */
import { TAGS, textsFromSource } from './compile-catalogs.ts';
import type { ConsoleTexts, Texts } from './texts.ts';

const read = new Map<string, Texts>();

/** All texts, for the server. A language that is not there is English. */
export function textsIn(tag: string): Texts {
  const known = TAGS.includes(tag) ? tag : 'en';
  const texts = read.get(known) ?? textsFromSource(known);
  read.set(known, texts);
  return texts;
}

/** What the console says at its start, or a part of it, as `.users`: a build has files of them, by `pageTexts`. Here the texts of refusals alone are apart. */
export async function loadTexts(tag: string, part = ''): Promise<Partial<ConsoleTexts>> {
  const { problems, ...texts } = textsIn(tag);
  return part === '.problems' ? { problems } : texts;
}
