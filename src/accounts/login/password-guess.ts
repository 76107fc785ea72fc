/** A password somebody offers: counted before it is looked at, wherever passwords are taken (SPEC 4.5). */

import type { CheckOutcome, PasswordHasher } from '../passwords/password.ts';
import { clientKey, networkKey } from './client-key.ts';
import type { KnownClients } from './known-clients.ts';
import type { LoginLimiter, Reservation } from './login-limiter.ts';

export interface Guess {
  readonly password: string;
  readonly address: string;
  /** The user of whom the browser showed a session, perhaps one that has ended, if it is the user who logs in. */
  readonly browserOf?: string | undefined;
  /** Read only when the client may guess at all; `undefined` for an unknown user. */
  readonly storedHash: () => Promise<string | undefined>;
}

export interface GuessDeps {
  readonly limiter: LoginLimiter;
  /** Addresses that logged in before. */
  readonly knownClients: KnownClients;
  readonly hasher: PasswordHasher;
}

export type GuessOutcome = CheckOutcome | Extract<Reservation, { kind: 'limited' }>;

/** Only a wrong password keeps its place; one that was never looked at (busy, a fault) gives it back as a right one does. */
export async function judgeGuess(guess: Guess, { limiter, hasher, knownClients }: GuessDeps): Promise<GuessOutcome> {
  const { address, browserOf } = guess;
  const isKnown = browserOf !== undefined || knownClients.has(address);
  const waiter = {
    client: browserOf === undefined ? clientKey(address) : `a browser of ${browserOf}`,
    network: networkKey(address),
    isKnown,
  };
  const place = await reserved(address, isKnown, limiter);
  if (place.kind === 'limited') return place;
  let isWrong = false;
  try {
    const outcome = await hasher.check(guess.password, await guess.storedHash(), waiter);
    isWrong = outcome.kind === 'mismatch';
    return outcome;
  } finally {
    if (isWrong) place.keep();
    else place.release();
  }
}

/**
 * Places are taken before the outcome is known: whoever finds them all taken waits for it. So guesses side by side are no
 * more than one after the other, and right passwords side by side all pass.
 */
async function reserved(address: string, isKnown: boolean, limiter: LoginLimiter): Promise<Reservation> {
  for (;;) {
    const place = limiter.reserve(address, isKnown);
    const settles = place.kind === 'limited' ? limiter.settles(address, place.window) : undefined;
    if (!settles) return place;
    await settles;
  }
}
