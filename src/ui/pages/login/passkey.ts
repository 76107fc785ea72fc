/** The passkey of the login page: its button, and the offer in the autofill of the user's field (SPEC 12). */

import { hasPasskeysFor, type PasskeyProblem, passkeyProblemOf, showPasskey } from '../shared/account/webauthn.ts';
import { postJson } from '../shared/base-url.ts';
import { element } from './page-element.ts';

interface LoginForm {
  /** The server's own answer, or why there was nothing to send. Resolves with whether the login is done. */
  readonly report: (answer: Response | PasskeyProblem) => Promise<boolean>;
  readonly setBusy: (isBusy: boolean) => void;
  /** User and password, once they were right and a second factor is asked for. */
  readonly proven: () => { readonly user: string; readonly password: string } | undefined;
}

/** The time before the challenge of a waiting offer is over. */
const OFFER_MILLISECONDS = 240_000;

export function wirePasskey(form: HTMLFormElement, { report, setBusy, proven }: LoginForm): void {
  if (!hasPasskeysFor(form.dataset['passkeys'] ?? '')) return;
  const button = element('passkey', HTMLButtonElement);
  button.hidden = false;
  let offer = new AbortController();
  let isAsking = false;

  const logIn = async (isConditional: boolean, signal: AbortSignal): Promise<boolean> => {
    let isShown = !isConditional;
    try {
      const options = await postJson('api/login/passkey/options', isConditional ? {} : (proven() ?? {}));
      if (!options.ok) return isConditional ? false : await report(options);
      const credential = await showPasskey(await options.json(), { signal, isConditional });
      isShown = true;
      setBusy(true);
      return await report(await postJson('api/login/passkey', { credential }));
    } catch (fault) {
      // An offer that was not taken up is no problem.
      return isShown ? report(passkeyProblemOf(fault)) : false;
    }
  };
  const offerAgain = (): void => {
    offer.abort();
    offer = new AbortController();
    void logIn(true, offer.signal);
  };
  const ask = async (): Promise<void> => {
    // A browser asks one question at a time.
    if (isAsking) return;
    isAsking = true;
    offer.abort();
    setBusy(true);
    const isDone = await logIn(false, new AbortController().signal);
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
