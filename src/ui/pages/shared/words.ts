/** The texts of the pages in the language that the server chose (`<html lang>`), by the browser's preferences (SPEC 8). */
import { loadTexts } from '../../../locales/catalogs.ts';
import type { ConsoleTexts } from '../../../locales/texts.ts';
import { localeFor } from './locale.ts';

/** Read it at render time, not when a module is loaded: the language is loaded in between. */
export let words: ConsoleTexts;

/** How times are written: undefined is the browser's own way. */
export let locale: string | undefined;

/** Loads the words; await it before anything is shown. */
export async function learnWords(language: string): Promise<void> {
  locale = localeFor(language, navigator.languages);
  words = await loadTexts(language);
}
