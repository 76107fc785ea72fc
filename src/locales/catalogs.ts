/** The texts that people read, by language. A build has another file in the place of this one: `compiledCatalogs`. */
import { TAGS, textsFromSource } from './compile-catalogs.ts';
import type { ConsoleTexts, ProblemTexts, Texts } from './texts.ts';

const read = new Map<string, Texts>();

/** All texts, for the server. A language that is not there is English. */
export function textsIn(tag: string): Texts {
  const known = TAGS.includes(tag) ? tag : 'en';
  const texts = read.get(known) ?? textsFromSource(known);
  read.set(known, texts);
  return texts;
}

/** What the console says; it loads one language. */
export const loadTexts = async (tag: string): Promise<ConsoleTexts> => textsIn(tag);

/** What refusals mean, for the pages that meet one. */
export const loadProblems = async (tag: string): Promise<ProblemTexts> => textsIn(tag).problems;
