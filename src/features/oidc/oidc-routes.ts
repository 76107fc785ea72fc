/** `/api/login/oidc`: the buttons of the login page, the way to a provider and back, and its message that a session is over (SPEC 16). */
import { z } from 'zod';
import {
  ANSWERED,
  BUSY_RETRY_SECONDS,
  closing,
  type DoneAct,
  declaring,
  type OpenCall,
  Refused,
  record,
} from '../../accounts/http/kernel.ts';
import { lookAtInvitation } from '../../accounts/invitations/invitations.ts';
import { beginSession } from '../../accounts/login/post-login.ts';
import { type Sealer, STEP_COOKIE, TICKET_SECONDS } from '../../accounts/second-factor/sealing.ts';
import { cookieLine, digestSecrets } from '../../accounts/sessions/session-jwt.ts';
import type { Services } from '../../app/services.ts';
import { lostRights } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { providerName } from '../../domain/credentials.ts';
import { INVITATION_PATH } from '../../domain/page-paths.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { readForm } from '../../routes/read-body.ts';
import { described } from '../../routes/shapes.ts';
import {
  type Attempt,
  attemptCookies,
  attemptIn,
  attemptOver,
  type CallbackPlaces,
  endedAttemptCookie,
  newAttempt,
  type Purpose,
  SignInFault,
} from './attempt.ts';
import type { OidcMetrics, SignInResult } from './metrics.ts';
import { OIDC_PATH } from './provider.ts';
import { endProviderSessions, findOwner, markUsed, wasUsed } from './provider-sessions.ts';
import type { ActiveProvider } from './providers.ts';
import { accept, connect, isFresh, logIn, type NamedPerson, NOT_CONNECTED, refused, type SignedIn } from './sign-in.ts';
import { goOn, pageOf, refusePage } from './sign-in-pages.ts';

/** What a sign-in with a provider works with. */
export interface OidcServices extends Services {
  readonly active: readonly ActiveProvider[];
  /** Seals what browsers keep between this service and a provider. */
  readonly attempts: Sealer;
  /** The answers of providers that are asked about. */
  readonly callbacks: CallbackPlaces;
  readonly oidcMetrics: OidcMetrics;
}

const providerNamed = (name: string, { active }: Pick<OidcServices, 'active'>): ActiveProvider | undefined =>
  active.find((one) => one.name === name);

const BUTTON = described('SignInButton', { name: z.string(), label: z.string(), url: z.string() });
/** Bytes of the form with a logout token. */
const LONGEST_FORM = 65_536;
const BODY_STATUS = { 'not-a-form': 415, 'too-large': 413, 'too-slow': 408, gone: 408 } as const;
const LOGIN_STEP = '/login?step=code';

const route = declaring<OidcServices>();
const OPEN = { access: 'public', who: 'anyone' } as const;
const PAGE = { ...OPEN, secret: true, type: 'text/html' } as const;

// biome-ignore format: a table
export const OIDC_ROUTES = [
  route({ route: `GET ${OIDC_PATH}`, ...OPEN, summary: 'The providers that people can sign in with', yes: [200, z.array(BUTTON)], run: list }),
  route({ route: `GET ${OIDC_PATH}/{name}`, ...PAGE, summary: 'Go to the provider to sign in', query: { return_to: 'The page of this service to come back to' }, yes: [302], no: [404], run: begin }),
  route({ route: `GET ${OIDC_PATH}/{name}/callback`, ...PAGE, summary: 'The answer of the provider', yes: [302], no: [403, 404, 409], run: callback }),
  // The token in the address is the credential. A form: in a query the address would stand in logs and in the browser's history.
  route({ route: `POST ${INVITATION_PATH}/{token}/sign-in/{name}`, ...PAGE, summary: 'Accept an invitation by a provider', yes: [200], no: [403, 404, 429], run: beginInvited }),
  // The signed token is the credential; the provider sends no cookie and no Origin.
  route({ route: `POST ${OIDC_PATH}/{name}/backchannel-logout`, ...OPEN, secret: true, summary: 'The provider ends sessions (OpenID Connect Back-Channel Logout 1.0)', yes: [200], no: [404, 408, 413, 415], run: backchannelLogout }),
];

function list({ ctx }: OpenCall, { active }: OidcServices): z.output<typeof BUTTON>[] {
  const { basePath = '' } = ctx.state;
  return active.map(({ name, label, loginPath }) => ({ name, label, url: `${basePath}${loginPath}` }));
}

/** The address at the provider, with the attempt's cookie set; undefined when the response is set already. */
export async function beginAttempt(
  ctx: RouteContext,
  deps: OidcServices,
  given: { readonly provider: string; readonly purpose: Purpose; readonly returnTo: string },
): Promise<string | undefined> {
  const active = providerNamed(given.provider, deps);
  if (!active) return void refusePage(ctx, deps, 'sign-in-unknown');
  return orRefused({ ctx, deps, provider: given.provider }, async () => {
    const attempt = newAttempt(given, unixSeconds(deps.clock));
    const address = await active.provider.addressFor(attempt, given.purpose.kind === 'prove');
    ctx.append('Set-Cookie', [...attemptCookies(attempt, ctx.get('Cookie'), deps.attempts, ctx.state)]);
    ctx.set('Cache-Control', 'no-store');
    return address;
  });
}

async function begin({ ctx, params, query }: OpenCall, deps: OidcServices): Promise<object> {
  const returnTo = pageOf(ctx, query.get('return_to') ?? '');
  const given = { provider: params['name'] ?? '', purpose: { kind: 'login' }, returnTo } as const;
  const address = await beginAttempt(ctx, deps, given);
  if (address !== undefined) ctx.redirect(address);
  return ANSWERED;
}

/** A page leads on: the policy of the invitation's page stops a form that is redirected to another origin. */
async function beginInvited({ ctx, params }: OpenCall, deps: OidcServices): Promise<object> {
  const { token = '', name: provider = '' } = params;
  const held = await lookAtInvitation(token, ctx, deps, async (held) => held);
  if (!held) refusePage(ctx, deps, 'sign-in-invitation-void');
  else {
    const purpose = { kind: 'invitation', token } as const;
    const address = await beginAttempt(ctx, deps, { provider, purpose, returnTo: pageOf(ctx, '') });
    if (address !== undefined) goOn(ctx, address, deps.ui);
  }
  return ANSWERED;
}

/** A request about one provider. */
interface Visit {
  readonly ctx: RouteContext;
  readonly deps: OidcServices;
  readonly provider: string;
}

/** Does it. Where a sign-in ends by it, that is counted, told to the log and the audit log, and shown to the person; undefined then. */
async function orRefused<Done>(visit: Visit, work: () => Promise<Done>): Promise<Done | undefined> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof SignInFault)) throw fault;
    const { reason, act } = fault;
    if (act) note(visit, act, reason);
    if (reason === 'sign-in-busy') visit.ctx.set('Retry-After', String(BUSY_RETRY_SECONDS));
    noteResult(visit, resultOf(fault), act && fault.message);
    return void refusePage(visit.ctx, visit.deps, reason);
  }
}

// biome-ignore format: a table
const RESULTS: Readonly<Partial<Record<RefusalReason, SignInResult>>> = {
  'sign-in-away': 'away', 'sign-in-declined': 'declined', 'sign-in-unfit': 'unfit', 'sign-in-over': 'over',
};
const resultOf = ({ reason }: SignInFault): SignInResult => RESULTS[reason] ?? 'refused';

/** The answer of the provider, and whom it names. */
interface Signed extends Visit, NamedPerson {
  readonly deps: OidcServices;
  readonly attempt: Attempt;
}

async function callback({ ctx, params, query }: OpenCall, deps: OidcServices): Promise<object> {
  const { name: provider = '' } = params;
  const active = providerNamed(provider, deps);
  const visit = { ctx, deps, provider };
  if (!active) refusePage(ctx, deps, 'sign-in-unknown');
  else await orRefused(visit, async () => serve(await identify(visit, active, query.getAll('state'))));
  return ANSWERED;
}

async function identify(visit: Visit, active: ActiveProvider, states: readonly string[]): Promise<Signed> {
  const { ctx, deps, provider } = visit;
  const [state = ''] = states.length === 1 ? states : [];
  const attempt = attemptIn(ctx.get('Cookie'), { provider, state }, deps.attempts, unixSeconds(deps.clock));
  const leavePlace = deps.callbacks.enter(ctx.state.clientAddress, state);
  ctx.append('Set-Cookie', endedAttemptCookie(attempt, ctx.state));
  const identity = await active.provider.identify(ctx.search, attempt).finally(leavePlace);
  // Not before: what any visitor can send would be written into the store, and told to all replicas.
  if (!(await markUsed(deps, `attempt ${state}`, attempt.expiresAt))) throw attemptOver();
  return { ...visit, active, attempt, identity, noteChange: (act) => note(visit, { ...act, who: act.user }) };
}

async function serve(signed: Signed): Promise<void> {
  const { purpose, returnTo } = signed.attempt;
  if (purpose.kind === 'login') return begun(signed, await logIn(signed));
  if (purpose.kind === 'invitation') return begun(signed, await accept(purpose.token, signed));
  const { ctx, deps, identity, provider } = signed;
  const { caller } = ctx.state;
  // The person who began the attempt, in the same session, with the rights of before also after the provider's answer.
  const isSame = caller?.credential.kind === 'session' && caller.credential.tokenId === purpose.session;
  if (!isSame || caller.name !== purpose.user || lostRights(await deps.recheck(caller), caller)) throw attemptOver();
  const { name } = caller;
  if (purpose.kind === 'connect') {
    await connect({ name, createdAt: purpose.userCreatedAt }, signed);
    note(signed, { what: 'sign-in-connected', user: name, provider, who: name });
    return succeed(signed, 'connected', returnTo);
  }
  const act = { what: 'reauthenticated', user: name, who: name } as const;
  if ((await findOwner(identity, deps)) !== name) throw new SignInFault('sign-in-of-other', act);
  if (!isFresh(identity, unixSeconds(deps.clock))) throw new SignInFault('sign-in-not-proven', act);
  const token = await deps.sessions.prove(caller);
  note(signed, act);
  if (token === undefined) throw attemptOver();
  ctx.append('Set-Cookie', deps.sessions.cookieFor(token, ctx.state));
  succeed(signed, 'proven', returnTo);
}

async function begun(signed: Signed, login: SignedIn): Promise<void> {
  const { ctx, deps, attempt } = signed;
  const { user } = login;
  if ('token' in login) {
    const session = await beginSession(login, ctx, deps);
    if (!session.ok) throw refused(session.error?.reason ?? NOT_CONNECTED, user.name);
    ctx.append('Set-Cookie', session.value);
    return succeed(signed, 'success', attempt.returnTo);
  }
  const expiresAt = unixSeconds(deps.clock) + TICKET_SECONDS;
  // A change of password or factors between the two steps ends it.
  const step = { ...login, user: user.name, secretsDigest: digestSecrets(user), expiresAt };
  ctx.append('Set-Cookie', cookieLine(STEP_COOKIE, deps.tickets.sign(step), TICKET_SECONDS, ctx.state));
  note(signed, { what: 'login', who: user.name }, 'second-factor-asked');
  const page = `${ctx.state.basePath ?? ''}${LOGIN_STEP}&next=${encodeURIComponent(attempt.returnTo)}`;
  succeed(signed, 'second_step', page);
}

/** `refused`: why it was not done. */
const note = ({ ctx, deps, provider }: Visit, act: DoneAct, refused?: string): void =>
  void record(ctx, deps, { ...act, credential: providerName(provider) }, refused);

function noteResult(
  { deps: { oidcMetrics, log }, provider }: Omit<Visit, 'ctx'>,
  result: SignInResult,
  why?: string,
): void {
  oidcMetrics.logins.add(1, provider, result);
  if (why !== undefined) log.warn({ provider, result, cause: why }, 'a sign-in with a provider did not succeed');
}

function succeed(visit: Visit, result: SignInResult, address: string): void {
  noteResult(visit, result);
  visit.ctx.set('Cache-Control', 'no-store');
  visit.ctx.redirect(address);
}

/** Section 2.8 of the specification: 200 when the sessions are over, 400 for a token that does not hold. */
async function backchannelLogout({ ctx, params, from }: OpenCall, deps: OidcServices): Promise<object> {
  const { name: provider = '' } = params;
  const active = providerNamed(provider, deps);
  if (!active) throw new Refused(404, 'sign-in-unknown', 'There is no such provider');
  const form = await readForm(ctx.req, { bytes: LONGEST_FORM, seconds: deps.bodySeconds() });
  if (form.kind !== 'read')
    throw new Refused(BODY_STATUS[form.kind], 'body-unreadable', 'Send the logout token as a form', {
      headers: closing(ctx),
    });
  const token = await active.provider.readLogoutToken(form.fields.get('logout_token') ?? '').catch((fault) => {
    if (!(fault instanceof SignInFault)) throw fault;
    noteResult({ deps, provider }, resultOf(fault), fault.message);
    throw fault.reason === 'sign-in-away'
      ? new Refused(503, 'sign-in-away', 'The keys of the provider cannot be read at the moment')
      : new Refused(400, 'sign-in-unfit', 'The logout token does not hold');
  });
  const { issuer, id, expiresAt } = token;
  const mark = `logout ${issuer} ${id}`;
  if (await wasUsed(deps, mark)) {
    noteResult({ deps, provider }, 'unfit', 'the logout token was used before');
    throw new Refused(400, 'sign-in-unfit', 'The logout token was used before');
  }
  const { users, faults } = await endProviderSessions(token, deps);
  const reason = faults.length === 0 ? 'provider-logout' : 'not-stored';
  const { requestId } = ctx.state;
  for (const user of users) {
    const act = { what: 'session-ended', reason, verdict: 'allowed' } as const;
    deps.audit({ ...act, who: user, user, from, credential: providerName(provider), requestId });
  }
  // The provider sends the token again: it is marked as used when all that it ends has ended.
  if (faults.length > 0) throw faults[0];
  // The sessions are over: a mark that is held here is no reason for the provider to try again.
  await markUsed(deps, mark, expiresAt).catch(() => {});
  noteResult({ deps, provider }, 'logout');
  return {};
}
