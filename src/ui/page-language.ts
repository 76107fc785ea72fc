/** The language of a page: of the available ones, the one that the browser prefers (SPEC 8). */
import type { Context } from 'koa';
import * as de from './pages/words/de.ts';
import type { LanguageTexts, ServedWords, Words } from './pages/words/en.ts';
import * as en from './pages/words/en.ts';
import * as es from './pages/words/es.ts';
import * as fr from './pages/words/fr.ts';
import * as it from './pages/words/it.ts';
import * as nl from './pages/words/nl.ts';
import * as pl from './pages/words/pl.ts';
import * as pt from './pages/words/pt.ts';
import type { RefusalWords } from './pages/words/types.ts';

export type PageWords = Words & ServedWords;

export interface PageLanguage {
  /** BCP 47, for `<html lang>`: the scripts read it from there. */
  readonly tag: string;
  readonly words: PageWords;
  readonly refusals: RefusalWords;
}

const language = (tag: string, { pages, served, refusals }: LanguageTexts): PageLanguage => ({
  tag,
  words: { ...pages, ...served },
  refusals,
});

const ENGLISH = language('en', en);

/** A new language has its file in `pages/words/`, and a row here, in `shared/words.ts` and in `words/languages.ts` of the pages. */
export const LANGUAGES: ReadonlyMap<string, PageLanguage> = new Map([
  ['en', ENGLISH],
  ...Object.entries({ de, es, fr, it, nl, pl, pt }).map(([tag, texts]) => [tag, language(tag, texts)] as const),
]);

export const pageLanguage = (ctx: Pick<Context, 'get'>): PageLanguage =>
  languageFor(wishedLanguages(ctx.get('Accept-Language'), ctx.get('Cookie')));

/** Set by `words/languages.ts` of the pages. */
const LANGUAGE_CHOICE = /(?:^|;\s*)postern_language=(?<tag>[a-z]{2})(?:;|$)/;

/** What a person has chosen in this browser comes before the browser's own preference. It only chooses among texts. */
export const wishedLanguages = (acceptLanguage: string | undefined, cookie: string | undefined): string =>
  [LANGUAGE_CHOICE.exec(cookie ?? '')?.groups?.['tag'], acceptLanguage].filter(Boolean).join(',');

/** The language by the header Accept-Language (RFC 9110, 12.5.4): `de-AT,de;q=0.9,en;q=0.5`; `*` is no preference. */
export function languageFor(acceptLanguage: string | undefined): PageLanguage {
  const wishes = (acceptLanguage ?? '').split(',').map(readWish);
  const liked = wishes.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const found = liked.map(({ language }) => LANGUAGES.get(language)).find(Boolean);
  return found ?? ENGLISH;
}

function readWish(wish: string): { readonly language: string; readonly weight: number } {
  const [tag = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
  const [, weight] = parameters.map((parameter) => /^q\s*=\s*(.*)$/.exec(parameter)).find(Boolean) ?? [];
  return { language: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) };
}
