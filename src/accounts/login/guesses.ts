/** Checks a password or a code of a second factor against the limiters: at a login, a password change, a proof (SPEC 4.5, 12). */
import type { ServerResponse } from 'node:http';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { clientKey, networkKey } from '../../domain/addresses.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { rateLimit } from '../../domain/rate-limit.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { refusedWhileBusy, refusedWhileLimited } from '../http/kernel.ts';
import type { PasskeyFault } from '../passkeys/passkeys.ts';
import type { PasswordHasher } from '../passwords/password-hash.ts';
import type { StoreGrace } from '../sessions/store-grace.ts';
import { type Attempt, type LimiterPlace, settled, type Windows } from './login-limiter.ts';

interface Guess extends Attempt {
  readonly password: string;
  readonly address: string;
  /** The user who logs in, if the browser sent a session cookie of that user, valid or expired. */
  readonly browserOf?: string | undefined;
  /** Read only when the client may guess at all; `undefined` for an unknown user. */
  readonly storedHash: () => Promise<string | undefined>;
}

export type GuessServices = Pick<Services, 'limiter' | 'knownClients' | 'hasher' | 'followStore'>;

/** What a guess gives when it is right. `why` it is not, and whose attempt it was, are for records: never for the client. */
export type Guessed<Value> = Result<Value, { readonly why: string; readonly user?: User }>;

/** Such a passkey's response names no credential that is known here, or answers no challenge that holds: any client can make it up. */
const NOT_COUNTED: readonly string[] = [
  'passkey-unknown',
  'passkey-challenge-foreign',
  'passkey-challenge-over',
] satisfies PasskeyFault[];

/**
 * A guess in a place of the limiter. A wrong one keeps the place; one that cost no hash and no signature does not, or strangers would
 * fill all places. Refuses by a `Refused` where too many have failed, or wait; rejects with the reason of the signal once the client has left.
 */
export async function guessed<Value>(
  placing: MaybePromise<LimiterPlace>,
  check: () => Promise<Guessed<Value>>,
): Promise<Guessed<Value>> {
  const outcome = await settled(placing, check, (guess) => !guess.ok && !NOT_COUNTED.includes(guess.error.why));
  if ('ok' in outcome) return outcome;
  throw outcome.kind === 'limited' ? refusedWhileLimited(outcome) : refusedWhileBusy('busy');
}

/**
 * The signal is aborted when the connection of a response that is not sent yet is closed. Work that ends by it is refused as work
 * that found no place: the answer is not read. Without a response there is no client that may leave.
 */
export async function whileThere<Outcome>(
  response: Pick<ServerResponse, 'once' | 'off' | 'closed'> | undefined,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const gone = new AbortController();
  const abort = (): void => gone.abort(LEFT);
  if (response?.closed) abort();
  response?.once('close', abort);
  try {
    return await work(gone.signal);
  } catch (fault) {
    throw fault === LEFT ? refusedWhileBusy('busy') : fault;
  } finally {
    response?.off('close', abort);
  }
}

const LEFT = new Error('the client closed the connection before its response');

/** What a wrong password costs follows the store: a dear hash that is gone from it costs no more time (SPEC 4.1). */
export function createHashCosts({ accounts }: Pick<Services['store'], 'accounts'>, grace: StoreGrace) {
  const counts = grace.memory<readonly number[]>(1, { rowsOf: () => ['users'], isOfRows: true });
  return async (hasher: PasswordHasher): Promise<void> =>
    hasher.follow(await counts('', () => accounts.listIterations()));
}

/** One that was not checked (busy, a fault) gives its place back. */
export async function judgeGuess(
  guess: Guess,
  { limiter, hasher, knownClients, followStore }: GuessServices,
): Promise<Guessed<undefined>> {
  const { address, browserOf, signal } = guess;
  const isKnown = browserOf !== undefined || knownClients.has(address);
  const client = browserOf === undefined ? clientKey(address) : `a browser of ${browserOf}`;
  const waiter = { client, network: networkKey(address), isKnown, signal };
  return guessed(limiter.reserve(address, isKnown, { ...guess, costsHash: true }), async () => {
    await followStore?.(hasher);
    const outcome = await hasher.check(guess.password, await guess.storedHash(), waiter);
    if (outcome === 'busy') throw refusedWhileBusy('busy');
    return outcome === 'match' ? ok(undefined) : err({ why: 'bad-credentials' });
  });
}

interface CodeGuess extends Pick<Attempt, 'signal'> {
  readonly user: User;
  readonly code: string;
  readonly address: string;
  /** The session of this user, over or not, that the browser has a token of: it was begun with a factor of now. */
  readonly knownSession?: string | undefined;
}

/**
 * Six digits are a million, and three of them are right at any moment: these stay whatever `failed_login_rate_limit` says.
 * Fifty a day are a chance of 1 in 18 within a year of guessing, for one who has the password.
 */
const CODE_CLAUSES = rateLimit('5/minute;20/hour;50/day');

/** Only who has the password gets as far as this, so strangers lock no owner out. */
export const CODE_RULES = { clauses: CODE_CLAUSES, filledBy: 'failures' } as const;

/** The key is the account, the account and a session of it, or what records call the credential with the PIN. No name has a colon. */
export const BY_ACCOUNT: Windows = [
  {
    ...{ keyOf: (account) => account, prefix: 'code', times: 1 },
    block(key) {
      const [subject = key] = key.split(' ', 1);
      const [, id] = subject.split(':');
      return id === undefined ? { kind: 'codes', subject } : { kind: 'pins', subject: id };
    },
  },
];

/** A right code gives its kind, and its places back. A browser in which the user logged in before has tries of its own. */
export function judgeCode(
  { user, code, address, knownSession, signal }: CodeGuess,
  deps: Pick<Services, 'limiter' | 'knownClients' | 'secondFactor' | 'codeLimiter'>,
) {
  const isKnown = knownSession !== undefined || deps.knownClients.has(address);
  return guessOnAccount({ user, knownSession, signal }, deps, () => {
    const place = deps.limiter.reserve(address, isKnown, { account: user.name, signal });
    return guessed(place, () => deps.secondFactor.checkCode(user, code));
  });
}

/** The same limit for guesses at a password by who has a session already. */
export function guessOnAccount<Value>(
  { user, knownSession, signal }: Pick<CodeGuess, 'user' | 'knownSession' | 'signal'>,
  { codeLimiter }: Pick<Services, 'codeLimiter'>,
  check: () => Promise<Guessed<Value>>,
): Promise<Guessed<Value>> {
  const key = knownSession === undefined ? user.name : `${user.name} ${knownSession}`;
  return guessed(codeLimiter.reserve(key, knownSession !== undefined, { account: user.name, signal }), check);
}
