/** A password somebody offers: counted before it is looked at, wherever passwords are taken (SPEC 4.5). */

import type { CheckOutcome, PasswordHasher } from '../passwords/password.ts';
import type { LoginLimiter, Reservation } from './login-limiter.ts';

export interface Guess {
  readonly password: string;
  readonly address: string;
  /** Read only when the client may guess at all; `undefined` for an unknown user. */
  readonly storedHash: () => Promise<string | undefined>;
}

export interface GuessDeps {
  readonly limiter: LoginLimiter;
  readonly hasher: PasswordHasher;
}

export type GuessOutcome = CheckOutcome | Extract<Reservation, { kind: 'limited' }>;

/** Only a wrong password keeps its place; one that was never looked at (busy, a fault) gives it back as a right one does. */
export async function judgeGuess(guess: Guess, { limiter, hasher }: GuessDeps): Promise<GuessOutcome> {
  const place = await reserved(guess.address, limiter);
  if (place.kind === 'limited') return place;
  let isWrong = false;
  try {
    const outcome = await hasher.check(guess.password, await guess.storedHash());
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
async function reserved(address: string, limiter: LoginLimiter): Promise<Reservation> {
  for (;;) {
    const place = limiter.reserve(address);
    const settles = place.kind === 'limited' ? limiter.settles(address) : undefined;
    if (!settles) return place;
    await settles;
  }
}
