/** Logging in: a name, a password and, where the user has a second factor, a code for a session token (interface 5.1; SPEC 4.1, 12). */
import type { AccountServices } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorKind } from '../../domain/accounts/second-factor.ts';
import { newSignIn } from '../../domain/accounts/sign-in.ts';
import type { Barred } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { parseUserName, type UserName } from '../../domain/names.ts';
import { err, ok } from '../../domain/result.ts';
import type { LoginResult, Metrics } from '../../telemetry/metrics.ts';
import type { RecentFailures } from '../../telemetry/recent-failures.ts';
import { Refused, refusedFor, refusedWhileBusy } from '../http/kernel.ts';
import { unknownPassword } from '../passwords/password-hash.ts';
import type { StepTicket } from '../second-factor/sealing.ts';
import { digestSecrets, type SessionClaims } from '../sessions/session-jwt.ts';
import { mayLogIn, type SessionOrigin } from '../sessions/sessions.ts';
import { guessed, judgeCode, judgeGuess } from './guesses.ts';

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

export type LoginFactor = 'totp' | 'recovery' | 'passkey';

/** A right login. Its session is issued, and not noted yet. `apiToken`: the id of the one that was given, so that it is no login of the person. */
export interface Login {
  readonly user: User;
  readonly token: string;
  readonly by?: LoginFactor;
  readonly apiToken?: string;
}

/** The same for every cause, so that it does not tell which users exist. `recorded` and `user` are for records alone. */
export const loginFailed = (
  user: User | undefined,
  recorded = 'bad-credentials',
  counted: LoginResult = 'bad_credentials',
) => new Refused(401, undefined, 'Login failed', { user, recorded, counted });

/** Told only after the right password, as what follows. */
// biome-ignore format: a table
const OF_CODES = {
  'code-asked': { message: 'A code of the second factor is needed: send it as "code"', recorded: 'second-factor-asked', counted: 'code_asked' },
  'wrong-code': { message: 'The code is not right, or was used before',                recorded: 'bad-code',            counted: 'bad_code' },
} as const;

function codeRefused(told: keyof typeof OF_CODES, user: User, kinds: readonly FactorKind[]): Refused {
  const { message, ...more } = OF_CODES[told];
  return new Refused(401, told, message, { ...more, user, fields: { second_factor: kinds } });
}

/** Everything was right, and the user may do nothing now. It says when it opens again, as every refusal of such a caller does. */
export function loginClosed(user: User, { reason, opens }: Barred): Refused {
  const counted = reason === 'password-off' ? 'password_off' : 'closed';
  const headers = opens ? { 'Retry-After': String(opens.inSeconds) } : {};
  return refusedFor(reason, { opens }, { user, recorded: reason, counted, headers });
}

/** Logs in, or refuses by a `Refused`, as all below. */
export async function logIn(attempt: LoginAttempt, deps: AccountServices): Promise<Login> {
  if (API_TOKEN.test(attempt.password)) return logInByToken(attempt, deps);
  return afterPassword(await provePassword(attempt, deps), attempt, deps);
}

/** A password of a person is never taken for one. */
const API_TOKEN = /^pst_[0-9a-f]{16}_[0-9a-f]{64}$/;

/** A wrong token counts as a wrong password does. No second factor is asked for: none concerns a token. */
async function logInByToken(attempt: LoginAttempt, deps: AccountServices): Promise<Login> {
  const { user: name, password, address, signal } = attempt;
  const place = deps.limiter.reserve(address, deps.knownClients.has(address), { account: name, signal });
  let user: User | undefined;
  const judged = await guessed(place, async () => {
    const verdict = await deps.tokenVerifier.judge(password, address);
    user = await findUser(name, deps);
    if (verdict.kind === 'invalid' || !user) return err({ why: 'bad-token' });
    const { caller } = verdict;
    if (caller.name !== user.name) return err({ why: 'token-of-another' });
    return mayLogIn(caller) ? ok({ user, caller }) : err({ why: 'token-not-for-login' });
  });
  if (!judged.ok) throw loginFailed(user, judged.error.why);
  const { user: owner, caller } = judged.value;
  if (caller.closed) throw loginClosed(owner, caller.closed);
  signal?.throwIfAborted();
  deps.knownClients.note(address);
  return { user: owner, token: await deps.sessions.issueForToken(caller), apiToken: caller.credential.tokenId };
}

/** The password alone, and whether the user may use one: what else the user may do is not decided yet. */
export async function provePassword(attempt: LoginAttempt, deps: AccountServices): Promise<User> {
  let user: User | undefined;
  const storedHash = async (): Promise<string | undefined> => {
    user = await findUser(attempt.user, deps);
    return user?.passwordHash;
  };
  // A session of the same user alone: with the session of another account a browser is a stranger.
  const browserOf = (await findShownSession(attempt.user, attempt, deps))?.userName;
  const judged = await judgeGuess({ ...attempt, account: attempt.user, browserOf, storedHash }, deps);
  if (!judged.ok || !user) throw loginFailed(user);
  await strengthen(user, attempt.password, deps);
  if (!deps.mayUsePassword(user)) throw loginClosed(user, { reason: 'password-off' });
  return user;
}

/** `onInvited`: an invitation was used up by it. A ticket that is too old for the user's password or factors is worth nothing. */
export async function takeSecondStep(
  step: SecondStep & LoginClient,
  deps: AccountServices,
  onInvited: () => void,
): Promise<Login> {
  const user = await findUser(step.user, deps);
  if (!user || digestSecrets(user) !== step.secretsDigest || !(await originHolds(user, step, deps)))
    throw loginFailed(user);
  const { origin, invitation } = step;
  if (!origin && !deps.mayUsePassword(user)) throw loginClosed(user, { reason: 'password-off' });
  if (!origin || invitation === undefined) return afterPassword(user, step, deps);
  // Only now: who has the link and an account at the provider may have none of the user's factors.
  return afterPassword(user, step, deps, async (by) => {
    const outcome = await connectInvited(user.name, origin, invitation, deps);
    if (outcome === 'busy') throw refusedWhileBusy('busy');
    if (outcome === 'accepted') onInvited();
    // It has another password since.
    const connected = outcome === 'accepted' ? await findUser(user.name, deps) : undefined;
    if (!connected) throw loginFailed(user);
    return admitted(connected, step, deps, by);
  });
}

/** The provider may have ended its session since, and the sign-in may be gone. An invitation makes it only now. */
async function originHolds(
  user: User,
  { origin, invitation }: SecondStep,
  { store }: AccountServices,
): Promise<boolean> {
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
  { store, hasher, clock }: Pick<AccountServices, 'store' | 'hasher' | 'clock'>,
): Promise<'accepted' | 'void' | 'taken' | 'busy'> {
  const hash = await hasher.hash(unknownPassword());
  if (hash === undefined) return 'busy';
  const now = unixSeconds(clock);
  return store.invitations.acceptBySignIn(invitation, newSignIn(user, origin, now), hash, now);
}

type CodeGiven = LoginClient & Pick<LoginAttempt, 'code'> & Pick<StepTicket, 'origin'>;

/** `admit`: what a right code leads to, where that is more than a session. */
async function afterPassword(
  user: User,
  given: CodeGiven,
  deps: AccountServices,
  admit = (by?: LoginFactor): Promise<Login> => admitted(user, given, deps, by),
): Promise<Login> {
  const { address, code, signal } = given;
  const kinds = await deps.secondFactor.wantedFrom(user);
  if (kinds.length === 0) return admit();
  if (!code) throw codeRefused('code-asked', user, kinds);
  // One that was begun with the password and the factors of now: a token of before shows no factor.
  const knownSession = (await findShownSession(user.name, given, deps, digestSecrets(user)))?.tokenId;
  const judged = await judgeCode({ user, code, address, knownSession, signal }, deps);
  if (!judged.ok) throw codeRefused('wrong-code', user, kinds);
  return admit(judged.value);
}

/** The session is noted, and the login begun, behind it: the account is looked at again there. */
export async function admitted(
  user: User,
  { address, signal, origin }: Pick<CodeGiven, 'address' | 'signal' | 'origin'>,
  deps: AccountServices,
  by?: LoginFactor,
): Promise<Login> {
  deps.knownClients.note(address);
  const closed = await deps.closedOf(user);
  if (closed) throw loginClosed(user, closed);
  signal?.throwIfAborted();
  return { user, token: await deps.sessions.issue(user, origin), ...(by && { by }) };
}

/** The first session of that user, over or not, that the browser has a token of. `digest`: that of the secrets it was begun with. */
async function findShownSession(
  user: string,
  { shownTokens = [] }: LoginClient,
  { sessions }: AccountServices,
  digest?: string,
): Promise<SessionClaims | undefined> {
  for (const token of shownTokens) {
    const session = await sessions.sessionNamedBy(token);
    if (session?.userName === user && (digest === undefined || session.secretsDigest === digest)) return session;
  }
  return undefined;
}

/** An invalid user name is not looked up, and costs the same time as an unknown one. */
async function findUser(name: string, { store }: AccountServices): Promise<User | undefined> {
  const parsed = parseUserName(name);
  return parsed.ok ? store.accounts.findUser(parsed.value) : undefined;
}

/** Only a login has the password for rehashing an older hash. While the hasher is busy it is left to the next login. */
async function strengthen(user: User, password: string, { hasher, store }: AccountServices): Promise<void> {
  const stronger = await hasher.strengthen(password, user.passwordHash);
  if (stronger !== undefined) await store.accounts.rehashPassword(user.name, user.passwordHash, stronger);
}

/** Counts the outcomes of logins (SPEC 9). */
export const countedLogins =
  (metrics: Metrics, recent: RecentFailures) =>
  (result: LoginResult): void => {
    metrics.logins.add(1, result);
    if (FAILURES.includes(result)) recent.noteLoginFailure();
  };

const FAILURES: readonly LoginResult[] = ['bad_credentials', 'bad_code', 'bad_passkey', 'rate_limited'];
