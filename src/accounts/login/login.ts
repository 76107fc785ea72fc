/** Logging in: a name, a password and, where the user has a second factor, a code for a session token (interface 5.1; SPEC 4.1, 12). */
import type { AccountServices } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorKind } from '../../domain/accounts/second-factor.ts';
import { newSignIn } from '../../domain/accounts/sign-in.ts';
import type { Barred } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { parseUserName, type UserName } from '../../domain/names.ts';
import type { PasskeyFault } from '../passkeys/passkeys.ts';
import { unknownPassword } from '../passwords/password-hash.ts';
import type { StepTicket } from '../second-factor/sealing.ts';
import { digestSecrets } from '../sessions/session-state.ts';
import { mayLogIn, type SessionOrigin } from '../sessions/sessions.ts';
import { type GuessOutcome, isFailure, judgeCode, judgeGuess } from './guesses.ts';
import { settled } from './login-limiter.ts';

/** Who logs in: from where, with which session tokens that the browser sent along, whatever they are worth. */
export interface LoginClient {
  readonly address: string;
  readonly shownTokens?: readonly string[];
  /** Aborted when the client has left: nothing waits for it any more, and no session is made. */
  readonly signal?: AbortSignal | undefined;
}

interface LoginAttempt extends LoginClient {
  readonly user: string;
  readonly password: string;
  /** A code of a second factor, or a recovery code. */
  readonly code?: string | undefined;
}

/** The second step alone: the first one was taken with a password, or by a provider. `secretsDigest`: that of the user's secrets then. */
export type SecondStep = Omit<StepTicket, 'expiresAt'> & { readonly code: string };

export type LoginServices = AccountServices;

/** The client is never told it. */
export type TokenLoginFault = 'bad-token' | 'token-of-another' | 'token-not-for-login';

export type LoginFactor = 'totp' | 'recovery' | 'passkey';

export type LoginOutcome =
  | {
      readonly kind: 'logged-in';
      readonly user: User;
      readonly token: string;
      readonly by?: LoginFactor;
      /** The id of the API token that was given: no login of the person. */
      readonly apiToken?: string;
    }
  /** The password was right, and the user has a second factor. */
  | { readonly kind: 'code-asked' | 'code-wrong'; readonly user: User; readonly kinds: readonly FactorKind[] }
  /** Everything was right, and the user may do nothing now: told only then. */
  | { readonly kind: 'closed'; readonly user: User; readonly closed: Barred }
  /** The user where there is one of the name: for logs and records, never for the client. */
  | { readonly kind: 'mismatch'; readonly user?: User; readonly why?: TokenLoginFault }
  /** `why` is for the log, never for the client. */
  | { readonly kind: 'passkey-wrong'; readonly user?: User; readonly why: PasskeyFault }
  /** Its challenge is too old: no sign of an attack. */
  | { readonly kind: 'passkey-over' }
  | Exclude<GuessOutcome, { kind: 'match' | 'mismatch' }>;

type ProvenPassword =
  | { readonly kind: 'match'; readonly user: User }
  | Extract<LoginOutcome, { kind: 'closed' | 'mismatch' | 'limited' | 'busy' }>;

export async function logIn(attempt: LoginAttempt, deps: LoginServices): Promise<LoginOutcome> {
  if (API_TOKEN.test(attempt.password)) return logInByToken(attempt, deps);
  const outcome = await provePassword(attempt, deps);
  return outcome.kind === 'match' ? afterPassword(outcome.user, attempt, deps) : outcome;
}

/** A password of a person is never taken for one. */
const API_TOKEN = /^pst_[0-9a-f]{16}_[0-9a-f]{64}$/;

/** A wrong token counts as a wrong password does. No second factor is asked for: none concerns a token. */
async function logInByToken(attempt: LoginAttempt, deps: LoginServices): Promise<LoginOutcome> {
  const { user: name, address, signal } = attempt;
  const isKnown = deps.knownClients.has(address);
  const place = deps.limiter.reserve(address, isKnown, { account: name, signal });
  return settled(place, () => byToken(attempt, deps), isFailure);
}

async function byToken(
  { user: name, password, address, signal }: LoginAttempt,
  deps: LoginServices,
): Promise<LoginOutcome> {
  const verdict = await deps.verifyToken(password, address);
  const user = await findUser(name, deps);
  const mismatch = (why: TokenLoginFault): LoginOutcome => ({ kind: 'mismatch', why, ...(user && { user }) });
  if (verdict.kind === 'invalid' || !user) return mismatch('bad-token');
  const { caller } = verdict;
  if (caller.name !== user.name) return mismatch('token-of-another');
  if (!mayLogIn(caller)) return mismatch('token-not-for-login');
  if (caller.closed) return { kind: 'closed', user, closed: caller.closed };
  signal?.throwIfAborted();
  deps.knownClients.note(address);
  const token = await deps.sessions.issueForToken(caller);
  return { kind: 'logged-in', user, token, apiToken: caller.credential.tokenId };
}

/** The password alone, and whether the user may use one: what else the user may do is not decided yet. */
export async function provePassword(attempt: LoginAttempt, deps: LoginServices): Promise<ProvenPassword> {
  let user: User | undefined;
  const storedHash = async (): Promise<string | undefined> => {
    user = await findUser(attempt.user, deps);
    return user?.passwordHash;
  };
  const browserOf = await findKnownBrowser(attempt, deps);
  const outcome = await judgeGuess({ ...attempt, account: attempt.user, browserOf, storedHash }, deps);
  if (outcome.kind !== 'match' && outcome.kind !== 'mismatch') return outcome;
  if (outcome.kind === 'mismatch' || !user) return { kind: 'mismatch', ...(user && { user }) };
  await strengthen(user, attempt.password, deps);
  return deps.mayUsePassword(user) ? { kind: 'match', user } : passwordOff(user);
}

const passwordOff = (user: User) => ({ kind: 'closed', user, closed: { reason: 'password-off' } }) as const;

/** `onInvited`: an invitation was used up by it. A ticket that is too old for the user's password or factors is worth nothing. */
export async function takeSecondStep(
  step: SecondStep & LoginClient,
  deps: LoginServices,
  onInvited: () => void,
): Promise<LoginOutcome> {
  const user = await findUser(step.user, deps);
  if (!user || digestSecrets(user) !== step.secretsDigest || !(await originHolds(user, step, deps)))
    return { kind: 'mismatch', ...(user && { user }) };
  const { origin, invitation } = step;
  if (!origin && !deps.mayUsePassword(user)) return passwordOff(user);
  if (!origin || invitation === undefined) return afterPassword(user, step, deps);
  // Only now: who has the link and an account at the provider may have none of the user's factors.
  return afterPassword(user, step, deps, async (by) => {
    const outcome = await connectInvited(user.name, origin, invitation, deps);
    if (outcome === 'busy') return { kind: 'busy' };
    if (outcome === 'accepted') onInvited();
    // It has another password since.
    const connected = outcome === 'accepted' ? await findUser(user.name, deps) : undefined;
    return connected ? admitted(connected, step, deps, by) : { kind: 'mismatch', user };
  });
}

/** The provider may have ended its session since, and the sign-in may be gone. An invitation makes it only now. */
async function originHolds(user: User, { origin, invitation }: SecondStep, { store }: LoginServices): Promise<boolean> {
  if (!origin) return true;
  if (origin.sessionId !== undefined && (await store.accounts.isRevoked(origin.sessionId))) return false;
  return (
    invitation !== undefined || (await store.signIns.findSignIn(origin.issuer, origin.subject))?.user === user.name
  );
}

/** Uses the invitation up: the account is connected with the person at the provider. */
export async function connectInvited(
  user: UserName,
  origin: SessionOrigin,
  invitation: string,
  { store, hasher, clock }: Pick<LoginServices, 'store' | 'hasher' | 'clock'>,
): Promise<'accepted' | 'void' | 'taken' | 'busy'> {
  const hashed = await hasher.hash(unknownPassword());
  if (hashed.kind === 'busy') return 'busy';
  const now = unixSeconds(clock);
  return store.invitations.acceptBySignIn(invitation, newSignIn(user, origin, now), hashed.hash, now);
}

type CodeGiven = LoginClient & Pick<LoginAttempt, 'code'> & Pick<StepTicket, 'origin'>;

/** `admit`: what a right code leads to, where that is more than a session. */
async function afterPassword(
  user: User,
  given: CodeGiven,
  deps: LoginServices,
  admit = (by?: LoginFactor): Promise<LoginOutcome> => admitted(user, given, deps, by),
): Promise<LoginOutcome> {
  const { address, code, signal } = given;
  const kinds = await deps.secondFactor.wantedFrom(user);
  if (kinds.length === 0) return admit();
  if (!code) return { kind: 'code-asked', user, kinds };
  const knownSession = await findKnownSession(user, given, deps);
  const outcome = await judgeCode({ user, code, address, knownSession, signal }, deps);
  if (outcome.kind === 'limited' || outcome.kind === 'busy') return outcome;
  return outcome.kind === 'right' ? admit(outcome.by) : { kind: 'code-wrong', user, kinds };
}

/** The session is noted, and the login begun, behind it: the account is looked at again there. */
export async function admitted(
  user: User,
  { address, signal, origin }: Pick<CodeGiven, 'address' | 'signal' | 'origin'>,
  deps: LoginServices,
  by?: LoginFactor,
): Promise<LoginOutcome> {
  deps.knownClients.note(address);
  const closed = await deps.closedOf(user);
  if (closed) return { kind: 'closed', user, closed };
  signal?.throwIfAborted();
  return { kind: 'logged-in', user, token: await deps.sessions.issue(user, origin), ...(by && { by }) };
}

/** A session of the same user alone: with the session of another account a browser is a stranger. */
async function findKnownBrowser(
  { user, shownTokens = [] }: LoginAttempt,
  { sessions }: LoginServices,
): Promise<string | undefined> {
  for (const token of shownTokens) {
    const session = await sessions.sessionNamedBy(token);
    if (session?.userName === user) return user;
  }
  return undefined;
}

/** One that was begun with the password and the factors of now: a token of before shows no factor. */
async function findKnownSession(
  user: User,
  { shownTokens = [] }: CodeGiven,
  { sessions }: LoginServices,
): Promise<string | undefined> {
  for (const token of shownTokens) {
    const session = await sessions.sessionNamedBy(token);
    if (session?.userName === user.name && session.secretsDigest === digestSecrets(user)) return session.tokenId;
  }
  return undefined;
}

/** An invalid user name is not looked up, and costs the same time as an unknown one. */
async function findUser(name: string, { store }: LoginServices): Promise<User | undefined> {
  const parsed = parseUserName(name);
  return parsed.ok ? store.accounts.findUser(parsed.value) : undefined;
}

/** Only a login has the password for rehashing an older hash. While the hasher is busy it is left to the next login. */
async function strengthen(user: User, password: string, { hasher, store }: LoginServices): Promise<void> {
  const stronger = await hasher.strengthen(password, user.passwordHash);
  if (stronger?.kind === 'hashed') await store.accounts.rehashPassword(user.name, user.passwordHash, stronger.hash);
}
