/** The button behind a password's field that shows what is typed, on pages that the server writes; hidden without a script. */

type RevealWords = Readonly<Record<'show' | 'hide' | 'showPassword' | 'hidePassword', string>>;

export function wireReveal(password: HTMLInputElement, words: RevealWords): void {
  const reveal = password.nextElementSibling;
  if (!(reveal instanceof HTMLButtonElement)) return;
  const show = (isShown: boolean): void => {
    password.type = isShown ? 'text' : 'password';
    reveal.textContent = isShown ? words.hide : words.show;
    reveal.setAttribute('aria-label', isShown ? words.hidePassword : words.showPassword);
  };
  show(false);
  reveal.hidden = false;
  reveal.addEventListener('click', () => {
    show(password.type === 'password');
    password.focus();
  });
  // Password managers look for one in such a field, and others at the screen.
  password.form?.addEventListener('submit', () => show(false));
}
