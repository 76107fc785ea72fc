/** Which language a page is served in: the one of ours that the browser likes best (SPEC 8). */
import type { Context } from 'koa';
import { DE } from './pages/words/de.ts';
import { EN, type Words } from './pages/words/en.ts';

/** To add a language, write its file and its row here, and in `shared/words.ts` of the pages. */
const LANGUAGES: Readonly<Record<string, Words>> = { en: EN, de: DE };

export interface PageLanguage {
  /** BCP 47, for `<html lang>`: the scripts read it from there. */
  readonly tag: string;
  readonly words: Words;
}

export function pageLanguage(ctx: Pick<Context, 'acceptsLanguages'>): PageLanguage {
  const tag = ctx.acceptsLanguages(Object.keys(LANGUAGES)) || 'en';
  return { tag, words: LANGUAGES[tag] ?? EN };
}
