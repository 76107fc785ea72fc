/** `POST /api/login`, and what every login attempt has: its outcome as a refusal, a count and an audit line (SPEC 4.1, 12). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { SeenSession } from '../../domain/accounts/logins.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { named } from '../../routes/shapes.ts';
import type { LoginResult } from '../../telemetry/metric-labels.ts';
import { triedName } from '../audit.ts';
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
import { passwordFault } from '../passwords/password-rules.ts';
import type { SeenClient } from '../sessions/seen-sessions.ts';
import { cookieClient } from '../sessions/session-cookie.ts';
import type { SessionClaims } from '../sessions/session-jwt.ts';
import {
  admitted,
  type LoginClient,
  type LoginOutcome,
  type LoginServices,
  logIn,
  type SecondStep,
  takeSecondStep,
} from './login.ts';

type BeginServices = Pick<Services, 'firstTimeLogin' | 'audit' | 'sessions' | 'seenSessions' | 'settings'>;
export type AttemptServices = LoginServices & BeginServices & Pick<Services, 'onLogin'>;

export const LOGIN = named(
  'Login',
  z.object({ user: GIVEN_TEXT, password: GIVEN_TEXT, code: MAYBE_GIVEN_TEXT.meta(CODE) }),
);
export const LOGIN_NO: readonly number[] = [401, 403, 404, 413, 415, 422, 429, 503];

/** Where there is no login of Postern's own. */
export function unlessDisabled(_: unknown, { settings }: Pick<Services, 'settings'>): void {
  if (!settings.auth.enabled) throw new Refused(404, 'Authentication is disabled', { counted: 'disabled' });
}

/** `POST /api/login`. */
export async function postLogin(call: OpenCall<z.output<typeof LOGIN>>, deps: AttemptServices): Promise<void> {
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
  deps: AttemptServices,
): Promise<Attempted> {
  return settle(given.user, (client) => logIn({ ...given, ...client }, deps), ctx, deps);
}

/** The second step alone, after a first one whose ticket is good. */
export function attemptSecondStep(given: SecondStep, ctx: RouteContext, deps: AttemptServices): Promise<Attempted> {
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
  deps: AttemptServices,
): Promise<Attempted> {
  const { clientAddress: address } = ctx.state;
  const outcome = await whileThere(ctx.res, (signal) =>
    attempt({ address, shownTokens: deps.sessions.tokensIn(ctx.get('Cookie')), signal }),
  );
  const who = triedName(user) ?? ('user' in outcome ? outcome.user?.name : undefined);
  const act = { what: 'login', who } as const;
  if (outcome.kind === 'token-logged-in') {
    // No session of the person: it is listed as the token, and takes the place of none.
    const { apiToken: tokenId, token } = outcome;
    record(ctx, deps, { ...act, credential: `token:${tokenId}`, tokenId });
    await deps.sessions.endReplaced(ctx.get('Cookie'));
    return { kind: 'logged-in', cookie: deps.sessions.cookieFor(token, cookieClient(ctx.state)) };
  }
  if (outcome.kind !== 'logged-in') {
    const isUnknown = outcome.kind === 'mismatch' && outcome.user === undefined;
    record(ctx, deps, { ...act, ...(isUnknown && who && { unknown: true }) }, auditReason(outcome));
    return outcome;
  }
  return { kind: 'logged-in', cookie: await beginSession(outcome, ctx, deps) };
}

/** A session that was issued: recorded, counted among those of its user, and made the cookie of the response. */
export async function beginSession(
  { user, token, by }: Omit<Extract<LoginOutcome, { kind: 'logged-in' }>, 'kind'>,
  ctx: RouteContext,
  deps: BeginServices,
): Promise<string> {
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  deps.firstTimeLogin.onLogin(user.role);
  const session = await deps.sessions.sessionNamedBy(token);
  const act = { what: 'login', who: user.name, ...(by && { factor: by }) } as const;
  record(ctx, deps, { ...act, ...(session && loginCredential(session)) });
  await deps.sessions.endReplaced(ctx.get('Cookie'));
  if (session) await admitSession(session, { address, agent }, deps);
  return deps.sessions.cookieFor(token, cookieClient(ctx.state));
}

const loginCredential = ({ tokenId, provider }: SessionClaims) =>
  provider === undefined
    ? { credential: `session:${tokenId}` }
    : { credential: `oidc:${provider}`, sessionId: tokenId };

/** One login more than a user may have ends the oldest (SPEC 12). The session of a login is listed at once, so that the next login counts it; on every replica. */
async function admitSession(
  claims: SessionClaims,
  client: SeenClient,
  { settings, sessions, seenSessions, audit }: BeginServices,
): Promise<void> {
  const { userName: user, tokenId } = claims;
  seenSessions.noteLogin(claims, client);
  const others = (await seenSessions.list(user)).filter(({ id }) => id !== tokenId);
  const surplus = others.sort(newestFirst).slice(settings.auth.sessions_per_user - 1);
  const end = async ({ id, expiresAt }: SeenSession): Promise<void> => {
    await sessions.revoke(id, expiresAt);
    const act = { what: 'session-ended', reason: 'too-many-sessions', verdict: 'allowed' } as const;
    audit({ ...act, who: user, user, from: client.address, sessionId: id });
  };
  await Promise.all(surplus.map(end));
}

const newestFirst = (one: SeenSession, other: SeenSession): number =>
  other.since - one.since || other.lastSeen - one.lastSeen;

/**
 * The session of a person who has accepted an invitation, as a cookie of the response. A password begins none where it is no good
 * for a login (but that of an admin's invitation of the command line does), and none beside a second factor: its owner shows that
 * at a login. `opensAt`: Unix seconds; the account is closed until then.
 */
export async function beginInvited(
  { name, createdAt }: User,
  isEmergency: boolean,
  ctx: RouteContext,
  deps: AttemptServices,
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

export type Attempted =
  | { readonly kind: 'logged-in'; readonly cookie: string }
  | Exclude<LoginOutcome, { kind: 'logged-in' | 'token-logged-in' }>;
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
      return new Refused(401, LOGIN_FAILED, { counted });
    case 'passkey-over':
      return new Refused(401, PASSKEY_OVER, { counted, fields: { reason: 'passkey-over' } });
    case 'code-asked':
      return new Refused(401, CODE_ASKED, { counted, fields: { second_factor: outcome.kinds } });
    case 'code-wrong':
      return new Refused(401, CODE_WRONG, { counted, fields: { second_factor: outcome.kinds } });
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
