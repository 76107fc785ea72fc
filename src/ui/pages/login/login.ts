/** The login page: the form is in the page already, this sends it and says what came of it. */
import { basePath, baseUrl } from '../shared/base-url.ts';
import { applyTheme, chosenTheme } from '../shared/theme.ts';
import { startCountdown } from './countdown.ts';
import { hidePassword, showCapsLock, showFirstTimeHelp, showUnencrypted, wireReveal } from './hints.ts';
import { formatSeconds, type LoginOutcome, loginOutcome, notKept, unreachable } from './login-outcome.ts';
import { loginWords } from './login-words.ts';
import { nextPage } from './next-page.ts';
import { element } from './page-element.ts';

applyTheme(chosenTheme());

const form = element('login-form', HTMLFormElement);
const user = element('user', HTMLInputElement);
const password = element('password', HTMLInputElement);
const submit = element('submit', HTMLButtonElement);
const problem = element('problem', HTMLElement);

let stopCountdown = (): void => {};

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void logIn();
});
(user.value === '' ? user : password).focus();
wireReveal(password);
showCapsLock(form);
showUnencrypted();
void showFirstTimeHelp();
/** The browser may bring this page back as it was left, in the midst of logging in. */
addEventListener('pageshow', (event) => {
  if (event.persisted) setBusy(false);
});

async function logIn(): Promise<void> {
  if (submit.disabled) return;
  stopCountdown();
  hidePassword(password);
  setBusy(true);
  const outcome = await attempt();
  setBusy(false);
  report(outcome);
}

async function attempt(): Promise<LoginOutcome> {
  try {
    const response = await fetch(new URL('api/login', baseUrl), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-CSRF-TOKEN': '1' },
      body: JSON.stringify({ user: user.value, password: password.value }),
    });
    const outcome = loginOutcome(
      { status: response.status, retryAfter: response.headers.get('Retry-After') },
      Date.now(),
    );
    return outcome.kind === 'logged-in' && (await isForgotten()) ? notKept : outcome;
  } catch {
    return unreachable;
  }
}

/** Without its cookie the next page would lead straight back here, and never say why. */
const isForgotten = async (): Promise<boolean> => (await fetch(new URL('api/profile', baseUrl))).status === 401;

function report(outcome: LoginOutcome): void {
  switch (outcome.kind) {
    case 'logged-in':
      setBusy(true);
      location.assign(
        nextPage({ page: location.href, referrer: document.referrer, basePath, home: form.dataset['home'] ?? '' }),
      );
      break;
    case 'wrong-credentials':
      showProblem(loginWords.wrong);
      password.select();
      password.focus();
      break;
    case 'wait':
      waitAndSay(outcome.why, outcome.seconds);
      break;
    case 'failed':
      showProblem(loginWords[outcome.why].replace('{status}', String(outcome.status)));
      break;
  }
}

function waitAndSay(why: 'too-many-tries' | 'busy', seconds: number): void {
  submit.disabled = true;
  showProblem(why === 'busy' ? loginWords.busy : loginWords.tooMany);
  stopCountdown = startCountdown(
    seconds,
    (left) => {
      submit.textContent = loginWords.again.replace('{time}', formatSeconds(left));
    },
    () => {
      showProblem('');
      setBusy(false);
      // Not while the user types in another field.
      if (!form.contains(document.activeElement)) password.focus();
    },
  );
}

function showProblem(message: string): void {
  problem.textContent = message;
}

function setBusy(isBusy: boolean): void {
  submit.disabled = isBusy;
  submit.textContent = isBusy ? loginWords.busyNow : loginWords.submit;
  if (isBusy) showProblem('');
}
