/** `POST /api/login`, and what every login attempt has: its outcome as a refusal, a count and an audit line (SPEC 4.1, 12). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { SeenSession } from '../../domain/accounts/logins.ts';
import type { Closed } from '../../domain/caller.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { named } from '../../routes/shapes.ts';
import { shortText, triedName } from '../audit.ts';
import { CODE, GIVEN_TEXT, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import { type OpenCall, Refused, record, refusedFields } from '../http/kernel.ts';
import { readSalt } from '../passwords/password-hash.ts';
import { passwordFault } from '../passwords/password-rules.ts';
import { cookieClient } from '../sessions/session-cookie.ts';
import type { SessionClaims } from '../sessions/session-jwt.ts';
import { toPlace } from './client-key.ts';
import { whileThere } from './guesses.ts';
import {
  admitted,
  type Login,
  type LoginClient,
  type LoginServices,
  logIn,
  loginClosed,
  loginFailed,
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

/** Refuses a text that cannot be a password. */
export function unlessUnfit(password: string): void {
  const fault = passwordFault(password);
  if (fault !== undefined) throw refusedFields([{ loc: ['body', 'password'], msg: fault, type: 'value_error' }]);
}

/** `POST /api/login`. */
export async function postLogin({ body, ctx }: OpenCall<z.output<typeof LOGIN>>, deps: LoginServices): Promise<void> {
  unlessUnfit(body.password);
  ctx.set('Set-Cookie', await attemptLogin(body, ctx, deps));
}

/** A login with its audit line, whichever way the user and the password came. Gives the cookie; refuses by a `Refused`. */
export function attemptLogin(
  given: { readonly user: string; readonly password: string; readonly code?: string | undefined },
  ctx: RouteContext,
  deps: LoginServices,
): Promise<string> {
  return settle(given.user, (client) => logIn({ ...given, ...client }, deps), ctx, deps);
}

/** The second step alone, after a first one whose ticket is good. */
export function attemptSecondStep(given: SecondStep, ctx: RouteContext, deps: LoginServices): Promise<string> {
  const { user, origin } = given;
  const onInvited = (): void => {
    if (!origin) return;
    const by = { who: user, user, provider: origin.provider, credential: `oidc:${origin.provider}` };
    record(ctx, deps, { what: 'invitation-used', ...by });
  };
  return settle(user, (client) => takeSecondStep({ ...given, ...client }, deps, onInvited), ctx, deps);
}

/** The cookie of the session that the attempt leads to. */
export const settle = (
  user: string,
  attempt: (client: LoginClient) => Promise<Login>,
  ctx: RouteContext,
  deps: LoginServices,
): Promise<string> =>
  attemptOnRecord(user, ctx, deps, async (client) => {
    const login = await attempt(client);
    const begun = await beginSession(login, ctx, deps);
    if (begun.ok) return begun.value;
    throw begun.error ? loginClosed(login.user, begun.error) : loginFailed(login.user);
  });

/** An attempt, which ends when its client leaves; a refusal of it has its audit line. `user`: as it was written; empty where the refusal says whose attempt it was. */
export function attemptOnRecord<Outcome>(
  user: string,
  ctx: RouteContext,
  deps: LoginServices,
  attempt: (client: LoginClient) => Promise<Outcome>,
): Promise<Outcome> {
  const client = { address: ctx.state.clientAddress, shownTokens: deps.sessions.tokensIn(ctx.get('Cookie')) };
  return whileThere(ctx.res, (signal) => attempt({ ...client, signal })).catch((fault) => {
    if (!(fault instanceof Refused)) throw fault;
    const who = triedName(user) ?? fault.user?.name;
    const isUnknown = fault.counted === 'bad_credentials' && fault.user === undefined;
    const unknown = isUnknown && who !== undefined && ({ unknown: true } as const);
    record(ctx, deps, { what: 'login', who, ...unknown }, fault.recorded ?? fault.counted);
    throw fault;
  });
}

/**
 * A session that was issued: listed at once, on every replica, recorded, and made the cookie of the response. One more than a user
 * may have ends the oldest (SPEC 12). While hash or code were checked the account may have been changed, or deleted: errs with why
 * it is closed by now, or with nothing where it is not as it was.
 */
export async function beginSession(
  { user, token, by, apiToken = '' }: Login,
  ctx: RouteContext,
  { settings, sessions, seenSessions, firstTimeLogin, closedOf, audit, onAct }: LoginServices,
): Promise<Result<string, Closed | undefined>> {
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  // No session of the person where an API token was given: it is listed as the token, and takes the place of none.
  const session = await sessions.sessionNamedBy(token);
  const place = toPlace(address, shortText(agent ?? ''));
  const login = { place, salt: readSalt(user.passwordHash), most: settings.auth.sessions_per_user };
  const begun = await seenSessions.begin(user, session, { address, agent }, login);
  if (!begun) return err(undefined);
  const closed = await closedOf(begun.user);
  if (closed) {
    await sessions.end(undefined, [token]);
    return err(closed);
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
  return ok(sessions.cookieFor(token, cookieClient(ctx.state)));
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
  try {
    ctx.set('Set-Cookie', await settle(name, (client) => admitted(user, client, deps, factor), ctx, deps));
    return { hasSession: true };
  } catch (fault) {
    if (fault instanceof Refused) return {};
    throw fault;
  }
}
