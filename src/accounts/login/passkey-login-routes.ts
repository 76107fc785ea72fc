/** `POST /api/login/passkey` and its options: what a browser asks the passkey for, and what it got (SPEC 12). */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { cookieValues } from '../../domain/cookie-values.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ANY, named, SUCCESS } from '../../routes/shapes.ts';
import { fieldsIn, MAYBE_GIVEN_TEXT } from '../http/body-fields.ts';
import { readJson } from '../http/read-json.ts';
import { refuse, refuseBody, refuseFields, respond } from '../http/responses.ts';
import { ASSERTION, type Assertion, assertion } from '../passkeys/credential-json.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import { passwordFault } from '../passwords/password-rules.ts';
import { cookieClientOf, cookieLine } from '../sessions/session-cookie.ts';
import { isFailure } from './code-guess.ts';
import { admitted, type LoginAttempt, type LoginOutcome, type LoginServices, provePassword } from './login.ts';
import { settled } from './login-limiter.ts';
import { LOGIN_FAILED, type LoginResult, loginResult, respondWithOutcome } from './login-response.ts';
import { type AttemptServices, DISABLED, LOGIN_NO, type LoginClient, settle, whileCounted } from './post-login.ts';

type PasskeyLoginServices = AttemptServices & Pick<Services, 'passkeyCheck' | 'bodySeconds'>;

const PATH = '/api/login/passkey';
/** Ties a challenge to the browser that asked for it. It opens nothing. */
const BROWSER_COOKIE = { name: 'postern_passkey', secure: 'auto', sameSite: 'strict', path: PATH } as const;
const BROWSER_SECONDS = 86_400;
const BROWSER_BYTES = 16;
const BROWSER = /^[A-Za-z0-9_-]{22}$/;

const NO_PASSKEY = 'This account has no passkey';
const TWO_OR_NONE = { loc: ['body'], msg: 'Give the user and the password, or neither', type: 'value_error' } as const;

const ASKED = named('PasskeyAsked', z.object({ user: MAYBE_GIVEN_TEXT, password: MAYBE_GIVEN_TEXT }));
const SHOWN = named('PasskeyShown', z.object({ credential: ASSERTION }).meta({ required: ['credential'] }));

// biome-ignore format: a table
export const PASSKEY_LOGIN_ROUTES: readonly OwnRoute<Services>[] = [
  { route: `POST ${PATH}`, access: 'public', secret: true, summary: 'Log in with a passkey: the session comes as a cookie', body: SHOWN, yes: [200, SUCCESS], no: [...LOGIN_NO, 409], handler: (ctx, deps) => whileCounted(deps, () => logIn(ctx, deps)) },
  { route: `POST ${PATH}/options`, access: 'public', secret: true, summary: 'What to ask a passkey for; with user and password: as second factor', body: ASKED, yes: [200, ANY], no: [...LOGIN_NO, 409], handler: sendOptions },
];

async function sendOptions(ctx: RouteContext, deps: PasskeyLoginServices): Promise<void> {
  const asked = await bodyOf(ctx, deps);
  if (!asked) return;
  const { json, site } = asked;
  const fields = fieldsIn(ASKED, json);
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const { user = '', password = '' } = fields.value;
  if ((user === '') !== (password === '')) return refuseFields(ctx, [TWO_OR_NONE]);
  if (user !== '') return whileCounted(deps, () => sendSecondStep(ctx, { user, password, site }, deps));
  respond(ctx, 200, deps.passkeyCheck.requestOptions(browserOf(ctx), site));
}

async function sendSecondStep(
  ctx: RouteContext,
  { user, password, site }: { readonly user: string; readonly password: string; readonly site: RelyingParty },
  deps: PasskeyLoginServices,
): Promise<LoginResult> {
  if (passwordFault(password) !== undefined) {
    refuse(ctx, 401, LOGIN_FAILED);
    return 'invalid_request';
  }
  const outcome = await settle(user, (client) => askAfterPassword({ user, password, ...client }, deps), ctx, deps);
  if (outcome.kind !== 'code-asked') return respondWithOutcome(ctx, outcome);
  if (outcome.kinds.includes('passkey'))
    respond(ctx, 200, await deps.passkeyCheck.secondStepOptions(browserOf(ctx), outcome.user, site));
  else refuse(ctx, 409, NO_PASSKEY, { second_factor: outcome.kinds });
  return loginResult(outcome);
}

async function logIn(ctx: RouteContext, deps: PasskeyLoginServices): Promise<LoginResult> {
  const asked = await bodyOf(ctx, deps);
  if (!asked) return 'invalid_request';
  const { json, site } = asked;
  const credential = assertion(Object(json)['credential']);
  if (!credential.ok) {
    refuseFields(ctx, credential.error);
    return 'invalid_request';
  }
  const [browser = ''] = browserIn(ctx);
  const attempt = ({ address, signal }: LoginClient) =>
    logInByPasskey({ assertion: credential.value, browser, address, signal, site }, deps);
  return respondWithOutcome(ctx, await settle('', attempt, ctx, deps));
}

/** Undefined when the response is set already. */
async function bodyOf(
  ctx: RouteContext,
  { settings, bodySeconds, passkeyCheck: { site } }: PasskeyLoginServices,
): Promise<{ readonly json: unknown; readonly site: RelyingParty } | undefined> {
  if (!settings.auth.enabled) return void refuse(ctx, 404, DISABLED);
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  return site.ok ? { json: body.value, site: site.value } : void refuse(ctx, 409, site.error);
}

const browserIn = (ctx: RouteContext): readonly string[] =>
  cookieValues(ctx.get('Cookie'), BROWSER_COOKIE.name).filter((text) => BROWSER.test(text));

/** Two tabs of a browser have one text: the challenge of each is good. */
function browserOf(ctx: RouteContext): string {
  const [browser = randomBytes(BROWSER_BYTES).toString('base64url')] = browserIn(ctx);
  ctx.set('Set-Cookie', cookieLine(BROWSER_COOKIE, browser, BROWSER_SECONDS, cookieClientOf(ctx.state)));
  return browser;
}

/** Logging in with a passkey: alone, or after the right password (SPEC 12). */
interface PasskeyLogin {
  readonly assertion: Assertion;
  /** The text that the browser keeps as a cookie. */
  readonly browser: string;
  readonly address: string;
  readonly signal?: AbortSignal | undefined;
  readonly site: RelyingParty;
}

/** No signature can be guessed; the limit of the address keeps the checks from being used up by one client. */
async function logInByPasskey(
  { assertion, browser, address, signal, site }: PasskeyLogin,
  deps: LoginServices & Pick<Services, 'passkeyCheck'>,
): Promise<LoginOutcome> {
  const place = await deps.limiter.reserve(address, deps.knownClients.has(address), { signal });
  if (place.kind !== 'reserved') return place;
  const outcome = await settled(place, () => deps.passkeyCheck.check(assertion, browser, site), isFailure);
  switch (outcome.kind) {
    case 'right':
      return admitted(outcome.user, { address, signal }, deps, 'passkey');
    case 'over':
      return { kind: 'passkey-over' };
    case 'wrong':
      return { ...outcome, kind: 'passkey-wrong' };
  }
}

/** The first step of a login whose second one is a passkey. It ends with `code-asked`, and never in a session. */
async function askAfterPassword(attempt: LoginAttempt, deps: LoginServices): Promise<LoginOutcome> {
  const outcome = await provePassword(attempt, deps);
  if (outcome.kind !== 'match') return outcome;
  return { kind: 'code-asked', user: outcome.user, kinds: await deps.secondFactor.wantedFrom(outcome.user) };
}
