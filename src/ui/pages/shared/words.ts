/** What the pages say, in the language that the server chose by the browser's wishes: it stands in `<html lang>` (SPEC 8). */
import { EN, type Words } from '../words/en.ts';

/** Read it when something is shown, not when a module is loaded: the language comes in between. */
export let words: Words = EN;

/** How times are written: undefined is the browser's own way. */
export let locale: string | undefined;

/** To be awaited before anything is shown. */
export async function learnWords(language: string): Promise<void> {
  locale = localeFor(language, navigator.languages);
  if (language !== 'de') return;
  const { DE } = await import('../words/de.ts');
  words = DE;
}

/** As the viewer writes the language of the page; an English page says no Tuesday in French. */
export const localeFor = (language: string, wished: readonly string[]): string =>
  wished.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language;
