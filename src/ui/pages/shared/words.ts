/** The texts of the pages in the language that the server chose (`<html lang>`), by the browser's preferences (SPEC 8). */
import { pages as ENGLISH, type Words } from '../words/en.ts';
import type { LanguageTag } from '../words/languages.ts';
import { localeFor } from './locale.ts';

/** Read it at render time, not when a module is loaded: the language is loaded in between. */
export let words: Words = ENGLISH;

/** How times are written: undefined is the browser's own way. */
export let locale: string | undefined;

type Loadable = Exclude<LanguageTag, 'en'>;

/** English is part of the program. Only what is named here is loaded: the server keeps the texts of its own pages. */
const LOADERS: Readonly<Record<Loadable, () => Promise<Words>>> = {
  de: () => import('../words/de.ts').then(({ pages }) => pages),
  es: () => import('../words/es.ts').then(({ pages }) => pages),
  fr: () => import('../words/fr.ts').then(({ pages }) => pages),
  it: () => import('../words/it.ts').then(({ pages }) => pages),
  nl: () => import('../words/nl.ts').then(({ pages }) => pages),
  pl: () => import('../words/pl.ts').then(({ pages }) => pages),
  pt: () => import('../words/pt.ts').then(({ pages }) => pages),
};

const isLoadable = (language: string): language is Loadable => Object.hasOwn(LOADERS, language);

/** Loads the words; await it before anything is shown. */
export async function learnWords(language: string): Promise<void> {
  locale = localeFor(language, navigator.languages);
  if (!isLoadable(language)) return;
  words = await LOADERS[language]();
}
