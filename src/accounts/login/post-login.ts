/** `POST /api/login` and `POST /api/login/passkey`, and what every login attempt has: a refusal, a count and an audit line (SPEC 4.1, 12). */

import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { AccountServices, Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { toPlace } from '../../domain/accounts/logins.ts';
import type { Closed } from '../../domain/caller.ts';
import { providerName } from '../../domain/credentials.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { ANY, described, SUCCESS } from '../../routes/shapes.ts';
import type { SeenSession } from '../../store/engine/tables.ts';
import { shortText, triedName } from '../audit.ts';
import { CODE, GIVEN_TEXT, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import { declaring, type OpenCall, Refused, record, refusedFields, whileCounted } from '../http/kernel.ts';
import { ASSERTION, type RelyingParty } from '../passkeys/credential.ts';
import { boundTo, judgePasskey, requestOptions, requireParty } from '../passkeys/passkeys.ts';
import { readSalt } from '../passwords/password-hash.ts';
import { passwordFault } from '../passwords/password-rules.ts';
import { cookieLine, type SessionClaims } from '../sessions/session-jwt.ts';
import { guessed, whileThere } from './guesses.ts';
import {
  admitted,
  type Login,
  type LoginClient,
  logIn,
  loginClosed,
  loginFailed,
  provePassword,
  type SecondStep,
  takeSecondStep,
} from './login.ts';

export const LOGIN = described('Login', { user: GIVEN_TEXT, password: GIVEN_TEXT, code: MAYBE_GIVEN_TEXT.meta(CODE) });
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
export async function postLogin({ body, ctx }: OpenCall<z.output<typeof LOGIN>>, deps: AccountServices): Promise<void> {
  unlessUnfit(body.password);
  ctx.set('Set-Cookie', await attemptLogin(body, ctx, deps));
}

/** A login with its audit line, whichever way the user and the password came. Gives the cookie; refuses by a `Refused`. */
export function attemptLogin(
  given: { readonly user: string; readonly password: string; readonly code?: string | undefined },
  ctx: RouteContext,
  deps: AccountServices,
): Promise<string> {
  return settle(given.user, (client) => logIn({ ...given, ...client }, deps), ctx, deps);
}

/** The second step alone, after a first one whose ticket is good. */
export function attemptSecondStep(given: SecondStep, ctx: RouteContext, deps: AccountServices): Promise<string> {
  const { user, origin } = given;
  const onInvited = (): void => {
    if (!origin) return;
    const by = { who: user, user, provider: origin.provider, credential: providerName(origin.provider) };
    record(ctx, deps, { what: 'invitation-used', ...by });
  };
  return settle(user, (client) => takeSecondStep({ ...given, ...client }, deps, onInvited), ctx, deps);
}

/** The cookie of the session that the attempt leads to. */
export const settle = (
  user: string,
  attempt: (client: LoginClient) => Promise<Login>,
  ctx: RouteContext,
  deps: AccountServices,
): Promise<string> =>
  attemptOnRecord(user, ctx, deps, async (client) => {
    const login = await attempt(client);
    const begun = await beginSession(login, ctx, deps);
    if (begun.ok) return begun.value;
    throw begun.error ? loginClosed(login.user, begun.error) : loginFailed(login.user);
  });

/** An attempt, which ends when its client leaves; a refusal of it has its audit line. `user`: as it was written; empty where the refusal says whose attempt it was. */
function attemptOnRecord<Outcome>(
  user: string,
  ctx: RouteContext,
  deps: AccountServices,
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
  { settings, sessions, seenSessions, firstTimeLogin, closedOf, audit, onAct }: AccountServices,
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
  const entry = record(ctx, { audit }, { ...act, ...loginCredential(session, apiToken) });
  for (const part of begun.unseen) onAct({ ...entry, what: `new-${part}` });
  await sessions.endReplaced(ctx.get('Cookie'));
  const end = async ({ id, expiresAt }: Pick<SeenSession, 'id' | 'expiresAt'>): Promise<void> => {
    await sessions.revoke(id, expiresAt);
    const act = { what: 'session-ended', reason: 'too-many-sessions', verdict: 'allowed' } as const;
    audit({ ...act, who: user.name, user: user.name, from: address, sessionId: id });
  };
  if (session) await Promise.all(begun.surplus.map(end));
  return ok(sessions.cookieFor(token, ctx.state));
}

function loginCredential(session: SessionClaims | undefined, apiToken: string) {
  if (!session) return { credential: `token:${apiToken}`, tokenId: apiToken };
  const { tokenId, provider } = session;
  return provider === undefined
    ? { credential: `session:${tokenId}` }
    : { credential: providerName(provider), sessionId: tokenId };
}

/**
 * The session of a person who has accepted an invitation, as a cookie of the response. A password begins none where it is no good
 * for a login (but that of an admin's invitation of the command line does), and none beside a second factor: its owner shows that
 * at a login. `opensAt`: Unix seconds; the account is closed until then.
 */
export async function beginInvited(
  { name, createdAt }: User,
  isEmergency: boolean,
  ctx: RouteContext,
  deps: AccountServices,
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

/** `POST /api/login/passkey` and its options: what a browser asks the passkey for, and what it got (SPEC 12). */
const PATH = '/api/login/passkey';
/** Ties a challenge to the browser that asked for it. It opens nothing. */
const BROWSER_COOKIE = { name: 'postern_passkey', secure: 'auto', sameSite: 'strict', path: PATH } as const;
const BROWSER_SECONDS = 86_400;
const BROWSER_BYTES = 16;
const BROWSER = /^[A-Za-z0-9_-]{22}$/;

const NO_PASSKEY = 'This account has no passkey';
const PASSKEY_OVER = 'The passkey took too long, or the page was open for too long: try again';
const TWO_OR_NONE = { loc: ['body'], msg: 'Give the user and the password, or neither', type: 'value_error' } as const;

const ASKED = described('PasskeyAsked', { user: MAYBE_GIVEN_TEXT, password: MAYBE_GIVEN_TEXT });
const SHOWN = described('PasskeyShown', { credential: ASSERTION });

const route = declaring<Services>();
const OPEN = { access: 'public', who: 'anyone', secret: true, before: unlessOff } as const;

// biome-ignore format: a table
export const PASSKEY_LOGIN_ROUTES = [
  route({ route: `POST ${PATH}`, ...OPEN, summary: 'Log in with a passkey: the session comes as a cookie', body: SHOWN, counts: true, yes: [200, SUCCESS], no: [...LOGIN_NO, 409], run: logInWithPasskey }),
  route({ route: `POST ${PATH}/options`, ...OPEN, summary: 'What to ask a passkey for; with user and password: as second factor', body: ASKED, yes: [200, ANY], no: [...LOGIN_NO, 409], run: options }),
];

function unlessOff(_: unknown, deps: Pick<Services, 'settings'>): void {
  unlessDisabled(_, deps);
  requireParty(deps);
}

async function options({ ctx, body }: OpenCall<z.output<typeof ASKED>>, deps: AccountServices): Promise<object> {
  const party = requireParty(deps);
  const { user = '', password = '' } = body;
  if ((user === '') !== (password === '')) throw refusedFields([TWO_OR_NONE]);
  if (user === '') return requestOptions({ to: 'log-in', browser: browserId(ctx) }, undefined, party, deps);
  return whileCounted(deps, () => askSecondStep(ctx, { user, password, party }, deps), 'code_asked');
}

/** The first step of a login whose second one is a passkey. It ends with what is asked of it, and never in a session. */
async function askSecondStep(
  ctx: RouteContext,
  { user, password, party }: { readonly user: string; readonly password: string; readonly party: RelyingParty },
  deps: AccountServices,
): Promise<object> {
  if (passwordFault(password) !== undefined) throw loginFailed(undefined, undefined, 'invalid_request');
  const owner = await attemptOnRecord(user, ctx, deps, (client) => provePassword({ user, password, ...client }, deps));
  const kinds = await deps.secondFactor.wantedFrom(owner);
  record(ctx, deps, { what: 'login', who: owner.name }, 'second-factor-asked');
  if (!kinds.includes('passkey'))
    throw new Refused(409, 'absent', NO_PASSKEY, { counted: 'code_asked', fields: { second_factor: kinds } });
  return requestOptions({ to: 'second-step', browser: browserId(ctx), ...boundTo(owner) }, owner, party, deps);
}

/** Alone, or after the right password. No signature can be guessed; the limit of the address keeps the checks from being used up by one client. */
async function logInWithPasskey({ ctx, body }: OpenCall<z.output<typeof SHOWN>>, deps: AccountServices): Promise<void> {
  const party = requireParty(deps);
  const [browser = ''] = browserIn(ctx);
  const attempt = async ({ address, signal }: LoginClient): Promise<Login> => {
    const place = deps.limiter.reserve(address, deps.knownClients.has(address), { signal });
    const judged = await guessed(place, () => judgePasskey(body.credential, { browser }, party, deps));
    if (judged.ok) return admitted(judged.value, { address, signal }, deps, 'passkey');
    const { why, user } = judged.error;
    if (why !== 'passkey-challenge-over') throw loginFailed(user, why, 'bad_passkey');
    throw new Refused(401, 'passkey-over', PASSKEY_OVER, { recorded: why, counted: 'bad_passkey' });
  };
  ctx.set('Set-Cookie', await settle('', attempt, ctx, deps));
}

const browserIn = (ctx: RouteContext): readonly string[] =>
  cookieValues(ctx.get('Cookie'), BROWSER_COOKIE.name).filter((text) => BROWSER.test(text));

/** Two tabs of a browser have one text: the challenge of each is good. */
function browserId(ctx: RouteContext): string {
  const [browser = randomBytes(BROWSER_BYTES).toString('base64url')] = browserIn(ctx);
  ctx.set('Set-Cookie', cookieLine(BROWSER_COOKIE, browser, BROWSER_SECONDS, ctx.state));
  return browser;
}
