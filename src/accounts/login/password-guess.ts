/** Checks a password against the limiter and the stored hash, at login and at a password change (SPEC 4.5). */
import type { Services } from '../../app/services.ts';
import type { CheckOutcome } from '../passwords/password-hash.ts';
import { clientKey, networkKey } from './client-key.ts';
import { type Attempt, type Reservation, settled } from './login-limiter.ts';

export interface Guess extends Attempt {
  readonly password: string;
  readonly address: string;
  /** The user who logs in, if the browser sent a session cookie of that user, valid or expired. */
  readonly browserOf?: string | undefined;
  /** Read only when the client may guess at all; `undefined` for an unknown user. */
  readonly storedHash: () => Promise<string | undefined>;
}

export type GuessServices = Pick<Services, 'limiter' | 'knownClients' | 'hasher' | 'followStore'>;

/** Rejects with the reason of the signal once the client has left. */
export type GuessOutcome = CheckOutcome | Extract<Reservation, { kind: 'limited' }>;

/** Only a wrong password keeps its place. A right one, and one that was not checked (busy, a fault), gives it back. */
export async function judgeGuess(
  guess: Guess,
  { limiter, hasher, knownClients, followStore }: GuessServices,
): Promise<GuessOutcome> {
  const { address, browserOf, signal } = guess;
  const isKnown = browserOf !== undefined || knownClients.has(address);
  const waiter = {
    client: browserOf === undefined ? clientKey(address) : `a browser of ${browserOf}`,
    network: networkKey(address),
    isKnown,
    signal,
  };
  const place = await limiter.reserve(address, isKnown, { ...guess, costsHash: true });
  if (place.kind !== 'reserved') return place;
  const check = async (): Promise<CheckOutcome> => {
    await followStore?.(hasher);
    return hasher.check(guess.password, await guess.storedHash(), waiter);
  };
  return settled(place, check, ({ kind }) => kind === 'mismatch');
}
