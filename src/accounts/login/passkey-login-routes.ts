/** `POST /api/login/passkey` and its options: what a browser asks the passkey for, and what it got (SPEC 12). */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { ANY, named, SUCCESS } from '../../routes/shapes.ts';
import { fieldsIn, MAYBE_GIVEN_TEXT } from '../http/json-body.ts';
import { declaring, type OpenCall, orRefusedFields, Refused, refusedFields, whileCounted } from '../http/kernel.ts';
import { ASSERTION, type Assertion, assertion, type RelyingParty } from '../passkeys/credential.ts';
import { checkPasskey, requestOptions, requireSite, secondStepScope } from '../passkeys/passkeys.ts';
import { passwordFault } from '../passwords/password-rules.ts';
import { cookieClient, cookieLine } from '../sessions/session-cookie.ts';
import { isFailure } from './guesses.ts';
import { admitted, type LoginClient, type LoginOutcome, type LoginServices, provePassword } from './login.ts';
import { settled } from './login-limiter.ts';
import { LOGIN_FAILED, LOGIN_NO, refusedLogin, settle, takeCookie, unlessDisabled } from './post-login.ts';

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
  if (passwordFault(password) !== undefined) throw new Refused(401, undefined, LOGIN_FAILED);
  const ask = async (client: LoginClient): Promise<LoginOutcome> => {
    const outcome = await provePassword({ user, password, ...client }, deps);
    if (outcome.kind !== 'match') return outcome;
    return { kind: 'code-asked', user: outcome.user, kinds: await deps.secondFactor.wantedFrom(outcome.user) };
  };
  const outcome = await settle(user, ask, ctx, deps);
  if (outcome.kind === 'logged-in') throw new Error('the first step of a login began a session');
  if (outcome.kind !== 'code-asked') throw refusedLogin(outcome);
  if (!outcome.kinds.includes('passkey'))
    throw new Refused(409, 'absent', NO_PASSKEY, { counted: 'code_asked', fields: { second_factor: outcome.kinds } });
  return requestOptions(secondStepScope(browserId(ctx), outcome.user), outcome.user, site, deps);
}

async function logIn({ ctx, body }: OpenCall, deps: LoginServices): Promise<void> {
  const site = requireSite(deps);
  const shown = orRefusedFields(assertion(Object(body)['credential']));
  const [browser = ''] = browserIn(ctx);
  const attempt = (client: LoginClient) => logInByPasskey({ assertion: shown, browser, site, ...client }, deps);
  takeCookie(ctx, await settle('', attempt, ctx, deps));
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
): Promise<LoginOutcome> {
  const place = deps.limiter.reserve(address, deps.knownClients.has(address), { signal });
  const outcome = await settled(place, () => checkPasskey(assertion, browser, site, deps), isFailure);
  switch (outcome.kind) {
    case 'right':
      return admitted(outcome.user, { address, signal }, deps, 'passkey');
    case 'over':
      return { kind: 'passkey-over' };
    case 'wrong':
      return { ...outcome, kind: 'passkey-wrong' };
    default:
      return outcome;
  }
}
