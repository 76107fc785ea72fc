/** The page of an invitation: the form works without this script, which shows the password's strength and the reader's time, and offers a passkey (SPEC 12). */

import { isRecord } from '../../../domain/json.ts';
import { applyTheme, baseUrl, chosenTheme, isPhone, postJson, writtenMoment } from '../shared/browser.ts';
import { isUnfit, judgeStrength } from '../shared/password-strength.ts';
import { wireReveal } from '../shared/reveal.ts';
import { createPasskey, hasPasskeysFor, toPasskeyProblem } from '../shared/webauthn.ts';
import type { InvitationWords } from './invitation-words.ts';

applyTheme(chosenTheme());
showTimes(document);

const form = document.querySelector('form');
if (form) wire(form);

/** Tells each moment in the time zone of the reader; the server has written that of the house. */
function showTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll('time'))
    time.textContent = writtenMoment(Date.parse(time.dateTime), { dateStyle: 'full', timeStyle: 'short' });
}

function wire(form: HTMLFormElement): void {
  const words: InvitationWords = JSON.parse(form.dataset['words'] ?? '{}');
  const input = (name: string): HTMLInputElement | null => form.querySelector(`input[name="${name}"]`);
  const [user, password, again] = [input('user'), input('password'), input('again')];
  const [strength, fault] = [document.getElementById('strength'), document.getElementById('fault')];
  if (!user || !password || !again || !strength || !fault) return;

  const shortest = password.minLength;
  const show = (): void => {
    const found = password.value === '' ? undefined : judgeStrength(password.value, user.value, shortest);
    strength.className = `strength strength-${found ?? 'none'}`;
    strength.textContent = found ? words.strength[found] : '';
    fault.textContent = '';
    for (const secret of [password, again]) secret.removeAttribute('aria-invalid');
    password.setCustomValidity(found && isUnfit(found) ? words.strength[found] : '');
    again.setCustomValidity(again.value === '' || again.value === password.value ? '' : words.differ);
  };
  for (const secret of [password, again]) {
    secret.addEventListener('input', show);
    // The browser sends no form that the server would refuse. Why is said below the field, and not in a bubble over it.
    secret.addEventListener('invalid', (event) => {
      event.preventDefault();
      if (form.querySelector(':invalid') !== secret) return;
      const line = secret === password ? strength : fault;
      line.className = 'field-fault';
      line.textContent = secret.validationMessage;
      secret.setAttribute('aria-invalid', 'true');
      secret.focus();
    });
    wireReveal(secret, words.reveal);
  }
  wirePasskey(form, words);
}

function wirePasskey(form: HTMLFormElement, words: InvitationWords): void {
  const offer = document.getElementById('passkey-offer');
  const button = offer?.querySelector('button');
  const problem = document.getElementById('problem');
  if (!offer || !button || !problem || !hasPasskeysFor(form.dataset['passkeys'] ?? '')) return;
  offer.hidden = false;
  if (isPhone()) putFirst(offer, button, words);
  button.addEventListener('click', async () => {
    button.disabled = true;
    problem.textContent = '';
    const wrong = await setPasskey(words);
    if (wrong === undefined && (await isLoggedIn(form))) return location.replace(new URL('postern/', baseUrl));
    button.disabled = false;
    if (wrong === undefined) showDone();
    else problem.textContent = wrong;
  });
}

/** A phone has the person's fingerprint or face at hand, and a keyboard that makes long passwords a burden. */
function putFirst(offer: HTMLElement, button: HTMLButtonElement, words: InvitationWords): void {
  const password = document.getElementById('password');
  const other = document.createElement('p');
  other.className = 'lone-or';
  other.textContent = words.orPassword;
  button.textContent = words.passkeyFirst;
  button.classList.add('button-strong');
  document.querySelector('button[type="submit"]')?.classList.remove('button-strong');
  password?.closest('.field')?.before(offer, other);
  button.focus();
}

/** Whether the session of the person of this page has begun; another person may have been logged in before. */
async function isLoggedIn(form: HTMLFormElement): Promise<boolean> {
  const response = await fetch(new URL('api/profile', baseUrl), { headers: { Accept: 'application/json' } });
  const profile: unknown = response.ok ? await response.json() : undefined;
  return isRecord(profile) && profile['username'] === form.querySelector<HTMLInputElement>('#user')?.value;
}

/** What is wrong, as text, or undefined. */
async function setPasskey(words: InvitationWords): Promise<string | undefined> {
  try {
    const options = await send('/passkey/options', {}, words);
    if (!options.ok) return options.message;
    const added = await send('/passkey', { credential: await createPasskey(options.body) }, words);
    return added.ok ? undefined : added.message;
  } catch (fault) {
    return fault instanceof TypeError ? words.notReached : words.passkeys[toPasskeyProblem(fault)];
  }
}

type SentAnswer = { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly message: string };

/** Sends to a path below the address of this page, which holds the token. */
async function send(path: string, body: object, words: InvitationWords): Promise<SentAnswer> {
  const token = location.pathname.slice(location.pathname.lastIndexOf('/') + 1);
  const response = await postJson(`invitation/${token}${path}`, body);
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return { ok: true, body: answer };
  const { reason, values } = Object(answer);
  const text = new Map(Object.entries(words.problems)).get(reason) ?? words.status;
  const filled = text.replace('{status}', `${response.status}`).replace('{seconds}', Object(values).seconds);
  return { ok: false, message: filled };
}

/** Shows what the server has written for it into the page, as it does after a password. */
function showDone(): void {
  const done = document.querySelector<HTMLTemplateElement>('#done');
  const card = done?.parentElement;
  if (!done || !card) return;
  const title = (): string => card.querySelector('h1')?.textContent ?? '';
  const before = title();
  showTimes(done.content);
  card.replaceChildren(done.content);
  document.title = document.title.replace(before, title());
  card.querySelector('a')?.focus();
}
