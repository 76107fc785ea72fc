/** `POST /api/login/passkey` and its options: what a browser asks the passkey for, and what it got (SPEC 12). */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { ANY, named, SUCCESS } from '../../routes/shapes.ts';
import { fieldsIn, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import {
  declaring,
  type OpenCall,
  orRefusedFields,
  Refused,
  record,
  refusedFields,
  whileCounted,
} from '../http/kernel.ts';
import { ASSERTION, type Assertion, assertion, type RelyingParty } from '../passkeys/credential.ts';
import { checkPasskey, requestOptions, requireSite, secondStepScope } from '../passkeys/passkeys.ts';
import { passwordFault } from '../passwords/password-rules.ts';
import { cookieClient, cookieLine } from '../sessions/session-cookie.ts';
import { guessed } from './guesses.ts';
import { admitted, type Login, type LoginClient, type LoginServices, loginFailed, provePassword } from './login.ts';
import { attemptOnRecord, LOGIN_NO, settle, unlessDisabled } from './post-login.ts';

const PATH = '/api/login/passkey';
/** Ties a challenge to the browser that asked for it. It opens nothing. */
const BROWSER_COOKIE = { name: 'postern_passkey', secure: 'auto', sameSite: 'strict', path: PATH } as const;
const BROWSER_SECONDS = 86_400;
const BROWSER_BYTES = 16;
const BROWSER = /^[A-Za-z0-9_-]{22}$/;

const NO_PASSKEY = 'This account has no passkey';
const PASSKEY_OVER = 'The passkey took too long, or the page was open for too long: try again';
const TWO_OR_NONE = { loc: ['body'], msg: 'Give the user and the password, or neither', type: 'value_error' } as const;

const ASKED = named('PasskeyAsked', z.object({ user: MAYBE_GIVEN_TEXT, password: MAYBE_GIVEN_TEXT }));
const SHOWN = named('PasskeyShown', z.object({ credential: ASSERTION }).meta({ required: ['credential'] }));

const route = declaring<Services>();
const OPEN = { access: 'public', who: 'anyone', secret: true, reads: 'json', before: unlessDisabled } as const;

// biome-ignore format: a table
export const PASSKEY_LOGIN_ROUTES = [
  route({ route: `POST ${PATH}`, ...OPEN, summary: 'Log in with a passkey: the session comes as a cookie', body: SHOWN, counts: true, yes: [200, SUCCESS], no: [...LOGIN_NO, 409], run: logIn }),
  route({ route: `POST ${PATH}/options`, ...OPEN, summary: 'What to ask a passkey for; with user and password: as second factor', body: ASKED, yes: [200, ANY], no: [...LOGIN_NO, 409], run: options }),
];

async function options({ ctx, body }: OpenCall, deps: LoginServices): Promise<object> {
  const site = requireSite(deps);
  const { user = '', password = '' } = orRefusedFields(fieldsIn(ASKED, body));
  if ((user === '') !== (password === '')) throw refusedFields([TWO_OR_NONE]);
  if (user === '') return requestOptions({ to: 'log-in', browser: browserId(ctx) }, undefined, site, deps);
  return whileCounted(deps, () => askSecondStep(ctx, { user, password, site }, deps), 'code_asked');
}

/** The first step of a login whose second one is a passkey. It ends with what is asked of it, and never in a session. */
async function askSecondStep(
  ctx: RouteContext,
  { user, password, site }: { readonly user: string; readonly password: string; readonly site: RelyingParty },
  deps: LoginServices,
): Promise<object> {
  if (passwordFault(password) !== undefined) throw loginFailed(undefined, undefined, 'invalid_request');
  const owner = await attemptOnRecord(user, ctx, deps, (client) => provePassword({ user, password, ...client }, deps));
  const kinds = await deps.secondFactor.wantedFrom(owner);
  record(ctx, deps, { what: 'login', who: owner.name }, 'second-factor-asked');
  if (!kinds.includes('passkey'))
    throw new Refused(409, 'absent', NO_PASSKEY, { counted: 'code_asked', fields: { second_factor: kinds } });
  return requestOptions(secondStepScope(browserId(ctx), owner), owner, site, deps);
}

async function logIn({ ctx, body }: OpenCall, deps: LoginServices): Promise<void> {
  const site = requireSite(deps);
  const shown = orRefusedFields(assertion(Object(body)['credential']));
  const [browser = ''] = browserIn(ctx);
  const attempt = (client: LoginClient) => logInByPasskey({ assertion: shown, browser, site, ...client }, deps);
  ctx.set('Set-Cookie', await settle('', attempt, ctx, deps));
}

const browserIn = (ctx: RouteContext): readonly string[] =>
  cookieValues(ctx.get('Cookie'), BROWSER_COOKIE.name).filter((text) => BROWSER.test(text));

/** Two tabs of a browser have one text: the challenge of each is good. */
function browserId(ctx: RouteContext): string {
  const [browser = randomBytes(BROWSER_BYTES).toString('base64url')] = browserIn(ctx);
  ctx.set('Set-Cookie', cookieLine(BROWSER_COOKIE, browser, BROWSER_SECONDS, cookieClient(ctx.state)));
  return browser;
}

/** Logging in with a passkey: alone, or after the right password. `browser`: the text that it keeps as a cookie. */
interface PasskeyLogin extends LoginClient {
  readonly assertion: Assertion;
  readonly browser: string;
  readonly site: RelyingParty;
}

/** No signature can be guessed; the limit of the address keeps the checks from being used up by one client. */
async function logInByPasskey(
  { assertion, browser, address, signal, site }: PasskeyLogin,
  deps: LoginServices,
): Promise<Login> {
  const place = deps.limiter.reserve(address, deps.knownClients.has(address), { signal });
  const judged = await guessed(place, () => checkPasskey(assertion, browser, site, deps));
  if (judged.ok) return admitted(judged.value, { address, signal }, deps, 'passkey');
  const { why, user } = judged.error;
  if (why !== 'passkey-challenge-over') throw loginFailed(user, why, 'bad_passkey');
  throw new Refused(401, 'passkey-over', PASSKEY_OVER, { recorded: why, counted: 'bad_passkey' });
}
