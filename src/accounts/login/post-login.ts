/** `POST /api/login`, and what every login attempt has: its outcome as a refusal, a count and an audit line (SPEC 4.1, 12). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { SeenSession } from '../../domain/accounts/logins.ts';
import type { Closed } from '../../domain/caller.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { named } from '../../routes/shapes.ts';
import type { LoginResult } from '../../telemetry/metric-labels.ts';
import { shortText, triedName } from '../audit.ts';
import { CODE, GIVEN_TEXT, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import {
  type OpenCall,
  Refused,
  record,
  refusedFields,
  refusedFor,
  refusedWhileBusy,
  refusedWhileLimited,
} from '../http/kernel.ts';
import { whileThere } from '../http/responses.ts';
import { readSalt } from '../passwords/password-hash.ts';
import { passwordFault } from '../passwords/password-rules.ts';
import { cookieClient } from '../sessions/session-cookie.ts';
import type { SessionClaims } from '../sessions/session-jwt.ts';
import { toPlace } from './client-key.ts';
import {
  admitted,
  type LoginClient,
  type LoginOutcome,
  type LoginServices,
  logIn,
  type SecondStep,
  takeSecondStep,
} from './login.ts';

export const LOGIN = named(
  'Login',
  z.object({ user: GIVEN_TEXT, password: GIVEN_TEXT, code: MAYBE_GIVEN_TEXT.meta(CODE) }),
);
export const LOGIN_NO: readonly number[] = [401, 403, 404, 413, 415, 422, 429, 503];

/** Where there is no login of Postern's own. */
export function unlessDisabled(_: unknown, { settings }: Pick<Services, 'settings'>): void {
  if (!settings.auth.enabled)
    throw new Refused(404, 'login-off', 'Authentication is disabled', { counted: 'disabled' });
}

/** `POST /api/login`. */
export async function postLogin(call: OpenCall<z.output<typeof LOGIN>>, deps: LoginServices): Promise<void> {
  const { body, ctx } = call;
  const fault = passwordFault(body.password);
  if (fault !== undefined) throw refusedFields([{ loc: ['body', 'password'], msg: fault, type: 'value_error' }]);
  takeCookie(ctx, await attemptLogin(body, ctx, deps));
}

/** The cookie of a login, or its refusal. */
export function takeCookie(ctx: RouteContext, outcome: Attempted): void {
  if (outcome.kind !== 'logged-in') throw refusedLogin(outcome);
  ctx.set('Set-Cookie', outcome.cookie);
}

/** A login with its audit line, whichever way the user and the password came. */
export function attemptLogin(
  given: { readonly user: string; readonly password: string; readonly code?: string | undefined },
  ctx: RouteContext,
  deps: LoginServices,
): Promise<Attempted> {
  return settle(given.user, (client) => logIn({ ...given, ...client }, deps), ctx, deps);
}

/** The second step alone, after a first one whose ticket is good. */
export function attemptSecondStep(given: SecondStep, ctx: RouteContext, deps: LoginServices): Promise<Attempted> {
  const { user, origin } = given;
  const onInvited = (): void => {
    if (!origin) return;
    const by = { who: user, user, provider: origin.provider, credential: `oidc:${origin.provider}` };
    record(ctx, deps, { what: 'invitation-used', ...by });
  };
  return settle(user, (client) => takeSecondStep({ ...given, ...client }, deps, onInvited), ctx, deps);
}

/** `user`: as it was written; empty where the outcome says whose attempt it was. */
export async function settle(
  user: string,
  attempt: (client: LoginClient) => Promise<LoginOutcome>,
  ctx: RouteContext,
  deps: LoginServices,
): Promise<Attempted> {
  const { clientAddress: address } = ctx.state;
  const outcome = await whileThere(ctx.res, (signal) =>
    attempt({ address, shownTokens: deps.sessions.tokensIn(ctx.get('Cookie')), signal }),
  );
  const attempted = outcome.kind === 'logged-in' ? await beginSession(outcome, ctx, deps) : outcome;
  if (attempted.kind === 'logged-in') return attempted;
  const who = triedName(user) ?? ('user' in attempted ? attempted.user?.name : undefined);
  const isUnknown = attempted.kind === 'mismatch' && attempted.user === undefined;
  record(ctx, deps, { what: 'login', who, ...(isUnknown && who && { unknown: true }) }, auditReason(attempted));
  return attempted;
}

/**
 * A session that was issued: listed at once, on every replica, recorded, and made the cookie of the response. One more than a user
 * may have ends the oldest (SPEC 12). While hash or code were checked the account may have been changed, or deleted.
 */
export async function beginSession(
  { user, token, by, apiToken = '' }: Extract<LoginOutcome, { kind: 'logged-in' }>,
  ctx: RouteContext,
  { settings, sessions, seenSessions, firstTimeLogin, closedOf, audit, onAct }: LoginServices,
): Promise<Begun | { kind: 'mismatch'; user: User } | { kind: 'closed'; user: User; closed: Closed }> {
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  // No session of the person where an API token was given: it is listed as the token, and takes the place of none.
  const session = await sessions.sessionNamedBy(token);
  const place = toPlace(address, shortText(agent ?? ''));
  const login = { place, salt: readSalt(user.passwordHash), most: settings.auth.sessions_per_user };
  const begun = await seenSessions.begin(user, session, { address, agent }, login);
  if (!begun) return { kind: 'mismatch', user };
  const closed = await closedOf(begun.user);
  if (closed) {
    await sessions.end(undefined, [token]);
    return { kind: 'closed', user: begun.user, closed };
  }
  if (session) firstTimeLogin.onLogin(begun.user.role);
  const act = { what: 'login', who: user.name, ...(by && { factor: by }) } as const;
  const entry = record(ctx, { audit }, { ...act, ...(session ? loginCredential(session) : byToken(apiToken)) });
  for (const part of begun.unseen) onAct({ ...entry, what: `new-${part}` });
  await sessions.endReplaced(ctx.get('Cookie'));
  const end = async ({ id, expiresAt }: Pick<SeenSession, 'id' | 'expiresAt'>): Promise<void> => {
    await sessions.revoke(id, expiresAt);
    const act = { what: 'session-ended', reason: 'too-many-sessions', verdict: 'allowed' } as const;
    audit({ ...act, who: user.name, user: user.name, from: address, sessionId: id });
  };
  if (session) await Promise.all(begun.surplus.map(end));
  return { kind: 'logged-in', cookie: sessions.cookieFor(token, cookieClient(ctx.state)) };
}

const byToken = (tokenId: string) => ({ credential: `token:${tokenId}`, tokenId });

const loginCredential = ({ tokenId, provider }: SessionClaims) =>
  provider === undefined
    ? { credential: `session:${tokenId}` }
    : { credential: `oidc:${provider}`, sessionId: tokenId };

/**
 * The session of a person who has accepted an invitation, as a cookie of the response. A password begins none where it is no good
 * for a login (but that of an admin's invitation of the command line does), and none beside a second factor: its owner shows that
 * at a login. `opensAt`: Unix seconds; the account is closed until then.
 */
export async function beginInvited(
  { name, createdAt }: User,
  isEmergency: boolean,
  ctx: RouteContext,
  deps: LoginServices,
  factor?: 'passkey',
): Promise<{ readonly hasSession?: true; readonly opensAt?: number }> {
  const user = await deps.store.accounts.findUser(name);
  // Deleted, and perhaps made again, since the link was used.
  if (user?.createdAt !== createdAt) return {};
  const mayBegin = factor !== undefined || isEmergency || deps.mayUsePassword(user);
  if (!mayBegin || (!factor && (await deps.secondFactor.wantedFrom(user)).length > 0)) return {};
  const closed = await deps.closedOf(user);
  if (closed) return closed.opens ? { opensAt: closed.opens.at } : {};
  const outcome = await settle(name, (client) => admitted(user, client, deps, factor), ctx, deps);
  if (outcome.kind !== 'logged-in') return {};
  ctx.set('Set-Cookie', outcome.cookie);
  return { hasSession: true };
}

type Begun = { readonly kind: 'logged-in'; readonly cookie: string };
export type Attempted = Begun | Exclude<LoginOutcome, { kind: 'logged-in' }>;
type Failed = Exclude<Attempted, { kind: 'logged-in' }>;

/** The same for every cause, so that it does not tell which users exist. */
export const LOGIN_FAILED = 'Login failed';
/** Told only after the right password. */
const CODE_ASKED = 'A code of the second factor is needed: send it as "code"';
const CODE_WRONG = 'The code is not right, or was used before';
const PASSKEY_OVER = 'The passkey took too long, or the page was open for too long: try again';
/** How each outcome is counted, and why it was refused, in the audit line: never for the client. */
// biome-ignore format: a table
const KINDS = {
  'logged-in':     { counted: 'success',         reason: undefined },
  mismatch:        { counted: 'bad_credentials', reason: 'bad-credentials' },
  'code-asked':    { counted: 'code_asked',      reason: 'second-factor-asked' },
  'code-wrong':    { counted: 'bad_code',        reason: 'bad-code' },
  'passkey-wrong': { counted: 'bad_passkey',     reason: undefined },
  'passkey-over':  { counted: 'bad_passkey',     reason: 'passkey-challenge-over' },
  closed:          { counted: 'closed',          reason: undefined },
  limited:         { counted: 'rate_limited',    reason: 'rate-limited' },
  busy:            { counted: 'busy',            reason: 'busy' },
} as const;

const auditReason = (outcome: Failed): string =>
  (outcome.kind === 'closed' ? outcome.closed.reason : 'why' in outcome ? outcome.why : undefined) ??
  KINDS[outcome.kind].reason ??
  outcome.kind;

/** How an attempt is counted. */
export const loginResult = (outcome: Attempted): LoginResult =>
  outcome.kind === 'closed' && outcome.closed.reason === 'password-off' ? 'password_off' : KINDS[outcome.kind].counted;

export function refusedLogin(outcome: Failed): Refused {
  const counted = loginResult(outcome);
  switch (outcome.kind) {
    case 'mismatch':
    case 'passkey-wrong':
      return new Refused(401, undefined, LOGIN_FAILED, { counted });
    case 'passkey-over':
      return new Refused(401, 'passkey-over', PASSKEY_OVER, { counted });
    case 'code-asked':
      return new Refused(401, 'code-asked', CODE_ASKED, { counted, fields: { second_factor: outcome.kinds } });
    case 'code-wrong':
      return new Refused(401, 'wrong-code', CODE_WRONG, { counted, fields: { second_factor: outcome.kinds } });
    case 'closed': {
      // It says when it opens again, as every refusal of such a caller does.
      const { reason, opens } = outcome.closed;
      const headers = opens ? { 'Retry-After': String(opens.inSeconds) } : {};
      return refusedFor(reason, { opens }, { counted, headers });
    }
    case 'limited':
      return refusedWhileLimited(outcome);
    case 'busy':
      return refusedWhileBusy();
  }
}
