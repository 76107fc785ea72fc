/** Checks a code of a second factor against the limiters: a wrong one counts by address and by account (SPEC 12). */
import type { User } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { CodeOutcome, SecondFactor } from '../second-factor/second-factor.ts';
import { createLoginLimiter, type LoginLimiter, type MemoryLimiter, type Reservation } from './login-limiter.ts';
import type { GuessDeps } from './password-guess.ts';

export interface CodeGuess {
  readonly user: User;
  readonly code: string;
  readonly address: string;
  /** The session of this user, over or not, that the browser has a token of: it was begun with a factor of now. */
  readonly knownSession?: string | undefined;
}

export interface CodeGuessDeps extends Pick<GuessDeps, 'limiter' | 'knownClients'> {
  readonly secondFactor: Pick<SecondFactor, 'checkCode'>;
  /** By account. */
  readonly codeLimiter: LoginLimiter;
}

export type CodeGuessOutcome = CodeOutcome | Extract<Reservation, { kind: 'limited' }>;

/**
 * Six digits are a million, and three of them are right at any moment: these stay whatever `failed_login_rate_limit` says.
 * Fifty a day are a chance of 1 in 18 within a year of guessing, for one who has the password.
 */
export const CODE_CLAUSES: readonly Clause[] = [
  { count: 5, windowSeconds: 60, text: '5/minute' },
  { count: 20, windowSeconds: 3600, text: '20/hour' },
  { count: 50, windowSeconds: 86_400, text: '50/day' },
];

/** In the memory of this process. Only who has the password gets as far as this, so strangers lock no owner out. */
export const createCodeLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: CODE_CLAUSES, clock, keyOf: (account) => account });

/** A right code gives its places back. A browser in which the user logged in before has tries of its own. */
export function judgeCode(
  { user, code, address, knownSession }: CodeGuess,
  deps: CodeGuessDeps,
): Promise<CodeGuessOutcome> {
  const isKnown = knownSession !== undefined || deps.knownClients.has(address);
  return onAccountOf({ user, knownSession }, deps, async () => {
    const place = await deps.limiter.reserve(address, isKnown);
    if (place.kind === 'limited') return place;
    return settled(place, () => deps.secondFactor.checkCode(user, code));
  });
}

/** The same limit for guesses at a password by who has a session already. */
export async function onAccountOf<Outcome extends { readonly kind: string }>(
  { user, knownSession }: Pick<CodeGuess, 'user' | 'knownSession'>,
  { codeLimiter }: Pick<CodeGuessDeps, 'codeLimiter'>,
  check: () => Promise<Outcome>,
): Promise<Outcome | Extract<Reservation, { kind: 'limited' }>> {
  const key = knownSession === undefined ? user.name : `${user.name} ${knownSession}`;
  const place = await codeLimiter.reserve(key);
  return place.kind === 'limited' ? place : settled(place, check);
}

const WRONG: readonly string[] = ['wrong', 'mismatch'];

/** A wrong outcome keeps its place. */
export async function settled<Outcome extends { readonly kind: string }>(
  place: Extract<Reservation, { kind: 'reserved' }>,
  check: () => Promise<Outcome>,
): Promise<Outcome> {
  let isWrong = false;
  try {
    const outcome = await check();
    isWrong = WRONG.includes(outcome.kind);
    return outcome;
  } finally {
    if (isWrong) place.keep();
    else place.release();
  }
}
