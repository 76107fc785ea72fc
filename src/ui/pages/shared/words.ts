/** What the pages say, in the language that the server chose by the browser's wishes: it stands in `<html lang>` (SPEC 8). */
import { EN, type Words } from '../words/en.ts';

/** Read it when something is shown, not when a module is loaded: the language comes in between. */
export let words: Words = EN;

/** To be awaited before anything is shown. */
export async function learnWords(language: string): Promise<void> {
  if (language !== 'de') return;
  const { DE } = await import('../words/de.ts');
  words = DE;
}
