/** The language that a person has chosen in this browser; the server reads it, for the login page too (SPEC 8). */
import { basePath } from './base-url.ts';

/** The languages in their own words, whatever the language of the page. */
export const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const;

export type LanguageChoice = 'browser' | (typeof LANGUAGES)[number][0];

const NAME = 'postern_language';
const YEAR_SECONDS = 31_536_000;

export function chosenLanguage(): LanguageChoice {
  const kept = document.cookie.split(/;\s*/).find((cookie) => cookie.startsWith(`${NAME}=`));
  const [tag] = LANGUAGES.find(([known]) => kept === `${NAME}=${known}`) ?? [];
  return tag ?? 'browser';
}

/** A cookie, because the server writes the texts of the login page. The page has to be loaded again. */
export function chooseLanguage(choice: LanguageChoice): void {
  const age = choice === 'browser' ? 0 : YEAR_SECONDS;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const cookie = `${NAME}=${choice}; Path=${basePath}; Max-Age=${age}; SameSite=Lax${secure}`;
  // The Cookie Store API is not there without TLS.
  Object.assign(document, { cookie });
}
