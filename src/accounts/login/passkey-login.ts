/** Logging in with a passkey: alone, or after the right password (SPEC 12). */
import type { Assertion } from '../passkeys/credential-json.ts';
import type { PasskeyCheck } from '../passkeys/passkey-check.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import { isFailure } from './code-guess.ts';
import { admitted, type LoginAttempt, type LoginDeps, type LoginOutcome, provePassword } from './login.ts';
import { settled } from './login-limiter.ts';

export interface PasskeyLoginDeps extends LoginDeps {
  readonly passkeyCheck: PasskeyCheck;
}

export interface PasskeyLogin {
  readonly assertion: Assertion;
  /** The text that the browser keeps as a cookie. */
  readonly browser: string;
  readonly address: string;
  readonly signal?: AbortSignal | undefined;
  readonly site: RelyingParty;
}

/** No signature can be guessed; the limit of the address keeps the checks from being used up by one client. */
export async function logInByPasskey(
  { assertion, browser, address, signal, site }: PasskeyLogin,
  deps: PasskeyLoginDeps,
): Promise<LoginOutcome> {
  const place = await deps.limiter.reserve(address, deps.knownClients.has(address), { signal });
  if (place.kind !== 'reserved') return place;
  const outcome = await settled(place, () => deps.passkeyCheck.check(assertion, browser, site), isFailure);
  switch (outcome.kind) {
    case 'right':
      return admitted(outcome.user, { address, signal }, deps, 'passkey');
    case 'over':
      return { kind: 'passkey-over' };
    case 'wrong':
      return { ...outcome, kind: 'passkey-wrong' };
  }
}

/** The first step of a login whose second one is a passkey. It ends with `code-asked`, and never in a session. */
export async function askAfterPassword(attempt: LoginAttempt, deps: LoginDeps): Promise<LoginOutcome> {
  const outcome = await provePassword(attempt, deps);
  if (outcome.kind !== 'match') return outcome;
  return { kind: 'code-asked', user: outcome.user, kinds: await deps.secondFactor.wantedFrom(outcome.user) };
}
