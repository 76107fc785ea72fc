/** Logging in: a name and a password for a session token (interface 5.1; SPEC 4.1). */
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import { parseUserName } from '../../domain/names.ts';
import { generationOf } from '../sessions/session-state.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { type GuessDeps, type GuessOutcome, judgeGuess } from './password-guess.ts';

export interface LoginAttempt {
  readonly user: string;
  readonly password: string;
  readonly address: string;
  /** Session tokens that the browser sent along, whatever they are worth. */
  readonly shownTokens?: readonly string[];
}

export interface LoginDeps extends GuessDeps {
  readonly store: Pick<AccountStore, 'findUser' | 'rehashPassword'>;
  readonly sessions: Pick<Sessions, 'issue' | 'sessionNamedBy'>;
}

export type LoginOutcome =
  | { readonly kind: 'logged-in'; readonly user: User; readonly token: string }
  | Exclude<GuessOutcome, { kind: 'match' }>;

export async function logIn(attempt: LoginAttempt, deps: LoginDeps): Promise<LoginOutcome> {
  let user: User | undefined;
  const storedHash = async (): Promise<string | undefined> => {
    user = await findUser(attempt.user, deps);
    return user?.passwordHash;
  };
  const browserOf = await knownBrowserOf(attempt, deps);
  const outcome = await judgeGuess({ ...attempt, browserOf, storedHash }, deps);
  if (outcome.kind !== 'match') return outcome;
  if (!user) return { kind: 'mismatch' };
  await strengthen(user, attempt.password, deps);
  // While the hash was computed the password may have been changed or the user deleted.
  const now = await findUser(attempt.user, deps);
  if (!now || generationOf(now) !== generationOf(user)) return { kind: 'mismatch' };
  deps.knownClients.note(attempt.address);
  return { kind: 'logged-in', user: now, token: await deps.sessions.issue(now) };
}

/** A session of the same user alone: with the session of another account a browser is a stranger. */
async function knownBrowserOf(
  { user, shownTokens = [] }: LoginAttempt,
  { sessions }: LoginDeps,
): Promise<string | undefined> {
  for (const token of shownTokens) {
    const session = await sessions.sessionNamedBy(token);
    if (session?.userName === user) return user;
  }
  return undefined;
}

/** An invalid user name is not looked up, and costs the same time as an unknown one. */
async function findUser(name: string, { store }: LoginDeps): Promise<User | undefined> {
  const parsed = parseUserName(name);
  return parsed.ok ? store.findUser(parsed.value) : undefined;
}

/** Only a login has the password for rehashing an older hash. While the hasher is busy it is left to the next login. */
async function strengthen(user: User, password: string, { hasher, store }: LoginDeps): Promise<void> {
  const stronger = await hasher.strengthen(password, user.passwordHash);
  if (stronger?.kind === 'hashed') await store.rehashPassword(user.name, user.passwordHash, stronger.hash);
}
