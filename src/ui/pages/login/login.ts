/** The login page: the form is in the page already, this sends it and says what came of it. */
import { LANGUAGES } from '../../../locales/languages.ts';
import type { Templates, Texts } from '../../../locales/texts.ts';
import {
  applyTheme,
  basePath,
  baseUrl,
  chooseLanguage,
  chosenTheme,
  postJson,
  writtenMoment,
} from '../shared/browser.ts';
import { wireReveal } from '../shared/reveal.ts';
import { hasPasskeysFor, type PasskeyProblem, showPasskey, toPasskeyProblem } from '../shared/webauthn.ts';
import { nextPage } from '../shared/where-to-go.ts';
import { closedText, formatSeconds, type LoginOutcome, loginOutcome, notKept, unreachable } from './login-outcome.ts';

/** An element, as the kind it is known to be. */
function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`login.html has no ${kind.name} with the id ${id}`);
}

/** They are in the browser's language. */
const loginWords: Templates<Texts['login']['form']> = JSON.parse(
  element('login-form', HTMLFormElement).dataset['words'] ?? '{}',
);

/** The time before the challenge of a waiting offer is over. */
const OFFER_MILLISECONDS = 240_000;

/** The passkey of the login page: its button, and the offer in the autofill of the user's field (SPEC 12). */
function wirePasskey(): void {
  if (!hasPasskeysFor(form.dataset['passkeys'] ?? '')) return;
  const button = element('passkey', HTMLButtonElement);
  button.hidden = false;
  let offer = new AbortController();
  let isAsking = false;

  const logIn = async (offered?: AbortSignal): Promise<boolean> => {
    let isShown = !offered;
    try {
      // Once user and password were right, a second factor is asked for.
      const isProven = !offered && isSecond() && !isSentPlain;
      const proven = isProven ? { user: user.value, password: password.value } : {};
      const options = await postJson('api/login/passkey/options', proven);
      if (!options.ok) return offered ? false : reportPasskey(await verdictOutcome(options));
      const credential = await showPasskey(await options.json(), offered);
      isShown = true;
      setBusy(true);
      return reportPasskey(await verdictOutcome(await postJson('api/login/passkey', { credential })));
    } catch (fault) {
      // An offer that was not taken up is no problem.
      if (isShown) reportPasskey(toPasskeyProblem(fault));
      return false;
    }
  };
  const offerAgain = (): void => {
    offer.abort();
    offer = new AbortController();
    void logIn(offer.signal);
  };
  const ask = async (): Promise<void> => {
    // A browser asks one question at a time.
    if (isAsking) return;
    isAsking = true;
    offer.abort();
    setBusy(true);
    const isDone = await logIn();
    isAsking = false;
    if (!isDone && (await canOffer())) offerAgain();
  };
  button.addEventListener('click', () => void ask());
  void canOffer().then((can) => {
    if (!can) return;
    offerAgain();
    setInterval(() => document.hidden || isAsking || offerAgain(), OFFER_MILLISECONDS);
  });
}

const canOffer = async (): Promise<boolean> =>
  (await PublicKeyCredential.isConditionalMediationAvailable?.().catch(() => false)) ?? false;

applyTheme(chosenTheme());

/** The class of the form in its second step. */
const SECOND = 'is-second';
const form = element('login-form', HTMLFormElement);
const user = element('user', HTMLInputElement);
const password = element('password', HTMLInputElement);
const code = element('code', HTMLInputElement);
const submit = element('submit', HTMLButtonElement);
const problem = element('problem', HTMLElement);

let countdown: ReturnType<typeof setInterval> | undefined;

/** The page came as the second step of a login without script. */
const isSentPlain = form.classList.contains(SECOND);

form.addEventListener('submit', (event) => {
  if (isSentPlain) return;
  event.preventDefault();
  void logIn();
});
if (!isSentPlain) (user.value === '' ? user : password).focus();
wireReveal(password, loginWords);
// Digits are typed by their own keyboard; a recovery code has letters, too.
code.inputMode = 'numeric';
const recovery = element('recovery', HTMLButtonElement);
recovery.hidden = false;
recovery.addEventListener('click', () => {
  code.inputMode = 'text';
  recovery.hidden = true;
  code.focus();
});
const languages = element('languages', HTMLElement);
const select = languages.querySelector('select');
for (const [tag, name] of LANGUAGES) select?.add(new Option(name, tag, false, document.documentElement.lang === tag));
// Kept in this browser; the server writes the page anew.
select?.addEventListener('change', () => {
  chooseLanguage(select.value);
  // Not a reload, which would send a form once more.
  location.replace(location.href);
});
languages.hidden = false;
const capsLock = element('caps-lock', HTMLElement);
for (const key of ['keydown', 'keyup'] as const)
  form.addEventListener(key, (event) => {
    capsLock.textContent = event.getModifierState?.('CapsLock') ? loginWords.capsLock : '';
  });
// Browsers count loopback addresses as secure: there is no network in between.
element('unencrypted', HTMLElement).hidden = isSecureContext;
/** The browser may bring this page back as it was left, in the midst of logging in. */
addEventListener('pageshow', (event) => {
  if (event.persisted) setBusy(false);
});

async function logIn(): Promise<void> {
  if (submit.disabled) return;
  clearInterval(countdown);
  setBusy(true);
  const given = { user: user.value, password: password.value, ...(isSecond() && { code: code.value }) };
  const outcome = await postJson('api/login', given)
    .then(verdictOutcome)
    .catch(() => unreachable);
  setBusy(false);
  report(outcome);
}

async function verdictOutcome(response: Response): Promise<LoginOutcome> {
  const { status, headers } = response;
  // A body that cannot be read asks for nothing.
  const body: unknown = await response.json().catch(() => null);
  const outcome = loginOutcome({ status, retryAfter: headers.get('Retry-After'), body }, Date.now());
  if (outcome.kind === 'code-asked' && outcome.hasPasskey)
    element('second-step', HTMLFieldSetElement).before(element('passkey', HTMLButtonElement));
  return outcome.kind === 'logged-in' && (await isForgotten()) ? notKept : outcome;
}

wirePasskey();

/** Whether the login is done. */
function reportPasskey(outcome: LoginOutcome | PasskeyProblem): boolean {
  setBusy(false);
  if (outcome === 'cancelled') showProblem(loginWords.passkeyCancelled);
  else if (typeof outcome === 'string') showProblem(loginWords.passkeyFailed);
  else if (outcome.kind === 'wrong-credentials') showProblem(loginWords.passkeyWrong);
  else report(outcome);
  return typeof outcome !== 'string' && outcome.kind === 'logged-in';
}

/** Whether the browser kept no cookie: without it the next page would lead straight back here, and never say why. */
const isForgotten = async (): Promise<boolean> => (await fetch(new URL('api/profile', baseUrl))).status === 401;

function report(outcome: LoginOutcome): void {
  switch (outcome.kind) {
    case 'logged-in':
      setBusy(true);
      location.assign(nextPage({ page: location.href, referrer: document.referrer, basePath }));
      break;
    case 'wrong-credentials':
      showProblem(loginWords.wrong, password);
      password.select();
      break;
    case 'code-asked':
      askForCode();
      break;
    case 'wait':
      waitAndSay(outcome.why, outcome.seconds);
      break;
    case 'closed':
      showProblem(closedText(loginWords, outcome.reason, momentText(outcome.opensAt)));
      break;
    case 'failed':
      showProblem(loginWords[outcome.why].replace('{status}', String(outcome.status)));
      break;
  }
}

/** A moment as the console's `formatMoment` writes it. Unix seconds. */
const momentText = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : writtenMoment(time * 1000, { dateStyle: 'long', timeStyle: 'long' });

/** Asked once more, the code was wrong. The password stays in its field: it is sent again with the code. */
function askForCode(): void {
  if (isSecond()) showProblem(loginWords.wrongCode, code);
  form.classList.add(SECOND);
  element('first-step', HTMLFieldSetElement).disabled = true;
  element('second-step', HTMLFieldSetElement).disabled = false;
  code.value = '';
  code.focus();
}

const isSecond = (): boolean => form.classList.contains(SECOND);

/** Counts down to a moment, once a second; a laptop that slept wakes up to the right number. */
function waitAndSay(why: 'too-many-tries' | 'busy', seconds: number): void {
  submit.disabled = true;
  showProblem(why === 'busy' ? loginWords.busy : loginWords.tooMany);
  const end = Date.now() + seconds * 1000;
  const tick = (): void => {
    const left = Math.ceil((end - Date.now()) / 1000);
    submit.textContent = loginWords.again.replace('{time}', formatSeconds(left));
    if (left > 0) return;
    clearInterval(countdown);
    showProblem('');
    setBusy(false);
    // Not while the user types in another field.
    if (!form.contains(document.activeElement)) (isSecond() ? code : password).focus();
  };
  countdown = setInterval(tick, 1000);
  tick();
}

/** `wrong`: the field that it is about. */
function showProblem(message: string, wrong?: HTMLInputElement): void {
  problem.textContent = message;
  for (const field of [user, password, code]) field.ariaInvalid = field === wrong ? 'true' : null;
  wrong?.focus();
}

function setBusy(isBusy: boolean): void {
  submit.disabled = isBusy;
  submit.textContent = isBusy ? loginWords.busyNow : loginWords.submit;
  if (isBusy) showProblem('');
}
