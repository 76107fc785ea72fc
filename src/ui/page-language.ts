/** The language of a page: of the available ones, the one that the browser prefers (SPEC 8). */
import type { Context } from 'koa';
import { textsIn } from '../locales/catalogs.ts';
import { LANGUAGES } from '../locales/languages.ts';
import type { Texts } from '../locales/texts.ts';

export interface PageLanguage {
  /** BCP 47, for `<html lang>`: the scripts read it from there. */
  readonly tag: string;
  readonly words: Texts;
}

export const pageLanguage = (ctx: Pick<Context, 'get'>): PageLanguage =>
  languageFor(wishedLanguages(ctx.get('Accept-Language'), ctx.get('Cookie')));

/** Set by `shared/language.ts` of the pages. */
const LANGUAGE_CHOICE = /(?:^|;\s*)postern_language=(?<tag>[a-z]{2})(?:;|$)/;

/** What a person has chosen in this browser comes before the browser's own preference. It only chooses among texts. */
export const wishedLanguages = (acceptLanguage: string | undefined, cookie: string | undefined): string =>
  [LANGUAGE_CHOICE.exec(cookie ?? '')?.groups?.['tag'], acceptLanguage].filter(Boolean).join(',');

/** The language by the header Accept-Language (RFC 9110, 12.5.4): `de-AT,de;q=0.9,en;q=0.5`; `*` is no preference. */
export function languageFor(acceptLanguage: string | undefined): PageLanguage {
  const wishes = (acceptLanguage ?? '').split(',').map(readWish);
  const liked = wishes.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const [tag] = liked.flatMap(({ language }) => LANGUAGES.find(([known]) => known === language) ?? []);
  return { tag: tag ?? 'en', words: textsIn(tag ?? 'en') };
}

function readWish(wish: string): { readonly language: string; readonly weight: number } {
  const [tag = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
  const [, weight] = parameters.map((parameter) => /^q\s*=\s*(.*)$/.exec(parameter)).find(Boolean) ?? [];
  return { language: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) };
}

/** Moments on the pages that the server makes: `Wednesday, November 15, 2023 at 7:13 AM GMT+9`. */
const MINUTES = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** Formats Unix seconds. `tag`: the language. `timeZone`: undefined is that of the machine. */
export function momentsIn(tag: string, timeZone: string | undefined): (seconds: number) => string {
  const format = new Intl.DateTimeFormat(tag, { ...MINUTES, timeZone });
  return (seconds) => format.format(seconds * 1000);
}
