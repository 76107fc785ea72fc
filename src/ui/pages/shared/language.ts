/** The language that a person has chosen in this browser; the server reads it, for the login page too (SPEC 8). */
import { LANGUAGES } from '../../../locales/languages.ts';
import { basePath } from './base-url.ts';

const NAME = 'postern_language';
const YEAR_SECONDS = 31_536_000;

/** The tag of a language, or `browser`. */
export function chosenLanguage(): string {
  const kept = document.cookie.split(/;\s*/).find((cookie) => cookie.startsWith(`${NAME}=`));
  const [tag] = LANGUAGES.find(([known]) => kept === `${NAME}=${known}`) ?? [];
  return tag ?? 'browser';
}

/**
 * `choice`: a language; anything else is the browser's preference. A cookie, because the server writes the texts of the login
 * page. The page has to be loaded again.
 */
export function chooseLanguage(choice: string): void {
  const age = LANGUAGES.some(([tag]) => tag === choice) ? YEAR_SECONDS : 0;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const cookie = `${NAME}=${choice}; Path=${basePath}; Max-Age=${age}; SameSite=Lax${secure}`;
  // The Cookie Store API is not there without TLS.
  Object.assign(document, { cookie });
}
