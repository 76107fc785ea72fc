/** The texts of the pages in the language that the server chose (`<html lang>`), by the browser's preferences (SPEC 8). */
import { pages as ENGLISH, type LanguageTexts, type Words } from '../words/en.ts';
import type { LanguageTag } from '../words/languages.ts';
import type { CauseWords } from '../words/types.ts';
import { localeFor } from './locale.ts';

/** Read it at render time, not when a module is loaded: the language is loaded in between. */
export let words: Words = ENGLISH;

/** How times are written: undefined is the browser's own way. */
export let locale: string | undefined;

/** The sentences for what doctor finds; English ones come from the server, with the finding. */
export let causes: CauseWords = {};

type Loadable = Exclude<LanguageTag, 'en'>;

type Texts = Pick<LanguageTexts, 'pages' | 'causes'>;

/** English is part of the program. Only what is named here is loaded: the server keeps the texts of its own pages. */
const LOADERS: Readonly<Record<Loadable, () => Promise<Texts>>> = {
  de: () => import('../words/de.ts').then(({ pages, causes }) => ({ pages, causes })),
  es: () => import('../words/es.ts').then(({ pages, causes }) => ({ pages, causes })),
  fr: () => import('../words/fr.ts').then(({ pages, causes }) => ({ pages, causes })),
  it: () => import('../words/it.ts').then(({ pages, causes }) => ({ pages, causes })),
  nl: () => import('../words/nl.ts').then(({ pages, causes }) => ({ pages, causes })),
  pl: () => import('../words/pl.ts').then(({ pages, causes }) => ({ pages, causes })),
  pt: () => import('../words/pt.ts').then(({ pages, causes }) => ({ pages, causes })),
};

const isLoadable = (language: string): language is Loadable => Object.hasOwn(LOADERS, language);

/** Loads the words; await it before anything is shown. */
export async function learnWords(language: string): Promise<void> {
  locale = localeFor(language, navigator.languages);
  if (!isLoadable(language)) return;
  const texts = await LOADERS[language]();
  words = texts.pages;
  causes = texts.causes ?? {};
}
