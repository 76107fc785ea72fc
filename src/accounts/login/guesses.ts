/** Checks a password or a code of a second factor against the limiters: at a login, a password change, a proof (SPEC 4.5, 12). */
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { PasskeyFault } from '../passkeys/passkeys.ts';
import type { CheckOutcome } from '../passwords/password-hash.ts';
import type { CodeOutcome } from '../second-factor/second-factor.ts';
import { clientKey, networkKey } from './client-key.ts';
import { type Attempt, type Limited, settled, type Windows } from './login-limiter.ts';

interface Guess extends Attempt {
  readonly password: string;
  readonly address: string;
  /** The user who logs in, if the browser sent a session cookie of that user, valid or expired. */
  readonly browserOf?: string | undefined;
  /** Read only when the client may guess at all; `undefined` for an unknown user. */
  readonly storedHash: () => Promise<string | undefined>;
}

export type GuessServices = Pick<Services, 'limiter' | 'knownClients' | 'hasher' | 'followStore'>;

/** Rejects with the reason of the signal once the client has left. */
export type GuessOutcome = CheckOutcome | Limited;

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
  const check = async (): Promise<CheckOutcome> => {
    await followStore?.(hasher);
    return hasher.check(guess.password, await guess.storedHash(), waiter);
  };
  return settled(limiter.reserve(address, isKnown, { ...guess, costsHash: true }), check, isFailure);
}

interface CodeGuess extends Pick<Attempt, 'signal'> {
  readonly user: User;
  readonly code: string;
  readonly address: string;
  /** The session of this user, over or not, that the browser has a token of: it was begun with a factor of now. */
  readonly knownSession?: string | undefined;
}

export type CodeGuessOutcome = CodeOutcome | NotJudged;

/** Too many attempts failed, or wait. */
export type NotJudged = Limited | { readonly kind: 'busy' };

/**
 * Six digits are a million, and three of them are right at any moment: these stay whatever `failed_login_rate_limit` says.
 * Fifty a day are a chance of 1 in 18 within a year of guessing, for one who has the password.
 */
export const CODE_CLAUSES: readonly Clause[] = [
  { count: 5, windowSeconds: 60, text: '5/minute' },
  { count: 20, windowSeconds: 3600, text: '20/hour' },
  { count: 50, windowSeconds: 86_400, text: '50/day' },
];

/** Only who has the password gets as far as this, so strangers lock no owner out. */
export const CODE_RULES = { clauses: CODE_CLAUSES, filledBy: 'failures' } as const;

/** The key is the account, the account and a session of it, or `link:` and the id of a link. No name has a colon. */
export const BY_ACCOUNT: Windows = [
  {
    ...{ keyOf: (account) => account, prefix: 'code', times: 1 },
    block(key) {
      const [subject = key] = key.split(' ', 1);
      const [, link] = subject.split(':');
      return link === undefined ? { kind: 'codes', subject } : { kind: 'pins', subject: link };
    },
  },
];

/** A right code gives its places back. A browser in which the user logged in before has tries of its own. */
export function judgeCode(
  { user, code, address, knownSession, signal }: CodeGuess,
  deps: Pick<Services, 'limiter' | 'knownClients' | 'secondFactor' | 'codeLimiter'>,
): Promise<CodeGuessOutcome> {
  const isKnown = knownSession !== undefined || deps.knownClients.has(address);
  return guessOnAccount({ user, knownSession, signal }, deps, () => {
    const place = deps.limiter.reserve(address, isKnown, { account: user.name, signal });
    return settled(place, () => deps.secondFactor.checkCode(user, code), isFailure);
  });
}

/** The same limit for guesses at a password by who has a session already. */
export async function guessOnAccount<Outcome extends { readonly kind: string }>(
  { user, knownSession, signal }: Pick<CodeGuess, 'user' | 'knownSession' | 'signal'>,
  { codeLimiter }: Pick<Services, 'codeLimiter'>,
  check: () => Promise<Outcome>,
): Promise<Outcome | NotJudged> {
  const key = knownSession === undefined ? user.name : `${user.name} ${knownSession}`;
  return settled(
    codeLimiter.reserve(key, knownSession !== undefined, { account: user.name, signal }),
    check,
    isFailure,
  );
}

const WRONG: readonly string[] = ['wrong', 'mismatch'];
/** Such a passkey's response names no credential that is known here, or answers no challenge: any client can make it up. */
const MADE_UP: readonly unknown[] = ['passkey-unknown', 'passkey-challenge-foreign'] satisfies PasskeyFault[];

/** A wrong outcome keeps its place; one that cost no hash and no signature does not, or strangers would fill all places. */
export const isFailure = (outcome: { readonly kind: string; readonly why?: unknown }): boolean =>
  WRONG.includes(outcome.kind) && !MADE_UP.includes(outcome.why);
