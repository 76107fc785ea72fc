/** This browser: the address of Postern in it, with its prefix (such as `/nvr/`), and what it remembers of a person: language, theme, views. */
import { LANGUAGES } from '../../../locales/languages.ts';
import { localeFor, unbroken } from './spelling.ts';

/** The path from `<base>/postern/assets/` to `<base>/`. */
const ROOT_FROM_ASSETS = '../../';

/** Ends in `/`. */
export const baseUrl: URL = new URL(ROOT_FROM_ASSETS, import.meta.url);

export const basePath: string = baseUrl.pathname;

/** Sends JSON from the small pages, which load no texts; the console's requests are in `api.ts`. `path` is relative to the base path. */
export const postJson = (path: string, body: object): Promise<Response> =>
  fetch(new URL(path, baseUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-CSRF-TOKEN': '1' },
    body: JSON.stringify(body),
  });

/** The language that a person has chosen in this browser; the server reads it, for the login page too (SPEC 8). */
const LANGUAGE_COOKIE = 'postern_language';
const YEAR_SECONDS = 31_536_000;

/** The tag of a language, or `browser`. */
export function chosenLanguage(): string {
  const kept = document.cookie.split(/;\s*/).find((cookie) => cookie.startsWith(`${LANGUAGE_COOKIE}=`));
  const [tag] = LANGUAGES.find(([known]) => kept === `${LANGUAGE_COOKIE}=${known}`) ?? [];
  return tag ?? 'browser';
}

/**
 * `choice`: a language; anything else is the browser's preference. A cookie, because the server writes the texts of the login
 * page. The page has to be loaded again.
 */
export function chooseLanguage(choice: string): void {
  const age = LANGUAGES.some(([tag]) => tag === choice) ? YEAR_SECONDS : 0;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const cookie = `${LANGUAGE_COOKIE}=${choice}; Path=${basePath}; Max-Age=${age}; SameSite=Lax${secure}`;
  // The Cookie Store API is not there without TLS.
  Object.assign(document, { cookie });
  chosenLanguage(); // waits until the cookie is kept: the page could be asked for before
}

/** A moment on a page without the texts of the console: in its own language, by the clock of the reader. `time` in milliseconds. */
export const writtenMoment = (time: number, how: Intl.DateTimeFormatOptions): string =>
  unbroken(new Intl.DateTimeFormat(localeFor(document.documentElement.lang, navigator.languages), how).format(time));

/** A small screen, or one that is touched. */
export const isPhone = (): boolean => matchMedia('(pointer: coarse), (max-width: 40rem)').matches;

export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const THEME_KEY = 'postern-theme';

export const chosenTheme = (): Theme => storedChoice(THEME_KEY, THEMES, 'system');

/** The colour of `--surface`, where the browser's own bar continues ours. */
const BAR_COLOURS = { light: '#ffffff', dark: '#161b22' } as const;

export function applyTheme(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = BAR_COLOURS[theme === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : theme];
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  store('localStorage', THEME_KEY, theme);
}

/** Where storage is forbidden a choice lasts as long as the page. */
export const storedChoice = <Choice extends string>(key: string, choices: readonly Choice[], usual: Choice): Choice =>
  choices.find((choice) => choice === stored('localStorage', key)) ?? usual;

type Storage = 'localStorage' | 'sessionStorage';

export function stored(storage: Storage, key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

export function store(storage: Storage, key: string, text: string): void {
  try {
    window[storage].setItem(key, text);
  } catch {
    // Not kept.
  }
}
