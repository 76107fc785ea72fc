/** The small helps of the login page: show the password, Caps Lock, first start, no encryption. */
import { LANGUAGES } from '../../../locales/languages.ts';
import { baseUrl } from '../shared/base-url.ts';
import { chooseLanguage } from '../shared/language.ts';
import { element, loginWords } from './page-element.ts';

export function wireReveal(password: HTMLInputElement): void {
  const reveal = element('reveal', HTMLButtonElement);
  reveal.hidden = false;
  reveal.addEventListener('click', () => {
    setShown(password, password.type === 'password');
    password.focus();
  });
  setShown(password, false);
}

/** Hides the password before it is sent: password managers look for one in such a field, and others at the screen. */
export const hidePassword = (password: HTMLInputElement): void => setShown(password, false);

function setShown(password: HTMLInputElement, isShown: boolean): void {
  const reveal = element('reveal', HTMLButtonElement);
  password.type = isShown ? 'text' : 'password';
  reveal.textContent = isShown ? loginWords.hide : loginWords.show;
  reveal.setAttribute('aria-label', isShown ? loginWords.hidePassword : loginWords.showPassword);
}

export function showCapsLock(form: HTMLFormElement): void {
  const hint = element('caps-lock', HTMLElement);
  const look = (event: KeyboardEvent): void => {
    hint.textContent = event.getModifierState?.('CapsLock') ? loginWords.capsLock : '';
  };
  form.addEventListener('keydown', look);
  form.addEventListener('keyup', look);
}

/** Browsers count loopback addresses as secure: there is no network in between. */
export function showUnencrypted(): void {
  element('unencrypted', HTMLElement).hidden = isSecureContext;
}

/** Shows help until an admin has logged in for the first time. No answer, no help: the login works without. */
export async function showFirstTimeHelp(): Promise<void> {
  try {
    const response = await fetch(new URL('api/auth/first_time_login', baseUrl), {
      headers: { Accept: 'application/json' },
    });
    if (!response.ok) return;
    const { admin_first_time_login: isFirstTime } = await response.json();
    element('first-time', HTMLElement).hidden = isFirstTime !== true;
  } catch {
    // Nothing to show.
  }
}

/** Kept in this browser; the server writes the page anew. */
export function wireLanguages(): void {
  const line = element('languages', HTMLElement);
  const select = line.querySelector('select');
  if (!select) return;
  for (const [tag, name] of LANGUAGES) select.add(new Option(name, tag, false, document.documentElement.lang === tag));
  select.addEventListener('change', () => {
    chooseLanguage(select.value);
    // Not a reload, which would send a form once more.
    location.replace(location.href);
  });
  line.hidden = false;
}
