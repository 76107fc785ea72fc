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
import { cookieLine } from '../../accounts/sessions/session-cookie.ts';
import { digestSecrets } from '../../accounts/sessions/session-state.ts';
import type { Services } from '../../app/services.ts';
import { type Caller, lostRights } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { providerName } from '../../domain/credentials.ts';
import type { UserName } from '../../domain/names.ts';
import { INVITATION_PATH } from '../../domain/page-paths.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { readForm } from '../../routes/read-body.ts';
import { described } from '../../routes/shapes.ts';
import {
  type Attempt,
  attemptCookies,
  attemptIn,
  type CallbackPlaces,
  endedAttemptCookie,
  newAttempt,
  type Purpose,
} from './attempt.ts';
import type { OidcMetrics, SignInResult } from './metrics.ts';
import { OIDC_PATH, type ProviderFault } from './provider.ts';
import { endProviderSessions, findOwner, markUsed, wasUsed } from './provider-sessions.ts';
import type { ActiveProvider } from './providers.ts';
import { accept, connect, isFresh, logIn, type NamedPerson, type SignInOutcome } from './sign-in.ts';
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
  route({ route: `GET ${OIDC_PATH}/{name}/callback`, ...PAGE, summary: 'The answer of the provider', yes: [302], no: [403, 404, 409], run: (call, deps) => callback(call, deps).then(() => ANSWERED) }),
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
  const attempt = newAttempt(given, unixSeconds(deps.clock));
  const address = await active.provider.addressFor(attempt, given.purpose.kind === 'prove');
  if (!address.ok) return void refuseFault({ ctx, deps, provider: given.provider }, address.error);
  const client = ctx.state;
  ctx.append('Set-Cookie', [...attemptCookies(attempt, ctx.get('Cookie'), deps.attempts, client)]);
  ctx.set('Cache-Control', 'no-store');
  return address.value;
}

async function begin({ ctx, params, query }: OpenCall, deps: OidcServices): Promise<object> {
  const returnTo = pageOf(ctx, query.get('return_to') ?? '');
  const given = { provider: params['name'] ?? '', purpose: { kind: 'login' }, returnTo } as const;
  const address = await beginAttempt(ctx, deps, given);
  if (address !== undefined) ctx.redirect(address);
  return ANSWERED;
}

/** A page leads on: the policy of the invitation's page stops a form that is redirected to another site. */
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

/** The answer of the provider, and whom it names. */
interface Signed extends Visit, NamedPerson {
  readonly deps: OidcServices;
  readonly attempt: Attempt;
}

async function callback({ ctx, params, query }: OpenCall, deps: OidcServices): Promise<void> {
  const { name: provider = '' } = params;
  const visit = { ctx, deps, provider };
  const active = providerNamed(provider, deps);
  if (!active) return refusePage(ctx, deps, 'sign-in-unknown');
  const [state = '', ...more] = query.getAll('state');
  const now = unixSeconds(deps.clock);
  const attempt = more.length === 0 && attemptIn(ctx.get('Cookie'), { provider, state }, deps.attempts, now);
  if (!attempt) return over(visit);
  const leavePlace = deps.callbacks.enter(ctx.state.clientAddress, attempt.state);
  if (leavePlace === 'over') return over(visit);
  if (leavePlace === 'busy') return refuseFor(visit, 'sign-in-busy');
  ctx.append('Set-Cookie', endedAttemptCookie(attempt, ctx.state));
  const identity = await active.provider.identify(ctx.search, attempt).finally(leavePlace);
  if (!identity.ok) return refuseFault(visit, identity.error);
  // Not before: what any visitor can send would be written into the store, and told to all replicas.
  if (!(await markUsed(deps, `attempt ${attempt.state}`, attempt.expiresAt))) return over(visit);
  const noteChange: NamedPerson['noteChange'] = (act) => note(visit, act, act.user);
  await serve({ ...visit, active, attempt, identity: identity.value, noteChange });
}

async function serve(signed: Signed): Promise<void> {
  const { ctx, deps } = signed;
  const { purpose } = signed.attempt;
  if (purpose.kind === 'login') return settle(signed, await logIn(signed));
  if (purpose.kind === 'invitation') return settle(signed, await accept(purpose.token, signed));
  const caller = await findCaller(purpose, ctx, deps);
  if (!caller) return over(signed);
  if (purpose.kind === 'prove') return prove(signed, caller);
  return settle(signed, await connect({ name: caller.name, createdAt: purpose.userCreatedAt }, signed));
}

/** The person who began the attempt, in the same session, with the rights of before also after the provider's answer. */
async function findCaller(
  { user, session }: Extract<Purpose, { user: string }>,
  { state: { caller } }: RouteContext,
  { recheck }: Pick<Services, 'recheck'>,
): Promise<Caller | undefined> {
  if (caller?.credential.kind !== 'session' || caller.credential.tokenId !== session) return undefined;
  return caller.name === user && !lostRights(await recheck(caller), caller) ? caller : undefined;
}

async function prove(signed: Signed, caller: Caller): Promise<void> {
  const { ctx, deps, identity } = signed;
  const isOwn = (await findOwner(identity, deps)) === caller.name;
  const isProven = isFresh(identity, unixSeconds(deps.clock));
  const reason = !isOwn ? 'sign-in-of-other' : isProven ? undefined : 'sign-in-not-proven';
  const token = reason === undefined ? await deps.sessions.prove(caller) : undefined;
  note(signed, { what: 'reauthenticated', user: caller.name }, caller.name, reason);
  if (reason) return refuseFor(signed, reason);
  if (token === undefined) return over(signed);
  ctx.append('Set-Cookie', deps.sessions.cookieFor(token, ctx.state));
  succeed(signed, 'proven', signed.attempt.returnTo);
}

async function settle(signed: Signed, outcome: SignInOutcome): Promise<void> {
  const { ctx, deps, provider, attempt } = signed;
  const { returnTo } = attempt;
  switch (outcome.kind) {
    case 'logged-in': {
      const begun = await beginSession(outcome, ctx, deps);
      if (!begun.ok) {
        const reason = begun.error?.reason ?? 'sign-in-not-connected';
        return settle(signed, { kind: 'refused', reason, user: outcome.user.name });
      }
      ctx.append('Set-Cookie', begun.value);
      return succeed(signed, 'success', returnTo);
    }
    case 'second-step': {
      const expiresAt = unixSeconds(deps.clock) + TICKET_SECONDS;
      const { kind: _, user, ...first } = outcome;
      // A change of password or factors between the two steps ends it.
      const step = { user: user.name, secretsDigest: digestSecrets(user), expiresAt };
      const ticket = deps.tickets.sign({ ...step, ...first });
      ctx.append('Set-Cookie', cookieLine(STEP_COOKIE, ticket, TICKET_SECONDS, ctx.state));
      note(signed, { what: 'login' }, user.name, 'second-factor-asked');
      const page = `${ctx.state.basePath ?? ''}${LOGIN_STEP}&next=${encodeURIComponent(returnTo)}`;
      return succeed(signed, 'second_step', page);
    }
    case 'connected':
      note(signed, { what: 'sign-in-connected', user: outcome.user, provider }, outcome.user);
      return succeed(signed, 'connected', returnTo);
    case 'refused': {
      const { reason, user } = outcome;
      note(signed, { what: attempt.purpose.kind === 'connect' ? 'sign-in-connected' : 'login' }, user, reason);
      return refuseFor(signed, reason);
    }
  }
}

/** `refused`: why it was not done. */
const note = ({ ctx, deps, provider }: Visit, act: DoneAct, who?: UserName, refused?: string): void =>
  void record(ctx, deps, { ...act, who, credential: providerName(provider) }, refused);

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

const over = (visit: Visit): void => refuseFor(visit, 'sign-in-over');

/** Counted and not logged: they may come with each of many requests. */
const UNLOGGED: readonly RefusalReason[] = ['sign-in-busy', 'sign-in-over'];

function refuseFor(visit: Visit, reason: RefusalReason): void {
  if (reason === 'sign-in-busy') visit.ctx.set('Retry-After', String(BUSY_RETRY_SECONDS));
  const result = reason === 'sign-in-over' ? 'over' : 'refused';
  noteResult(visit, result, UNLOGGED.includes(reason) ? undefined : reason);
  refusePage(visit.ctx, visit.deps, reason);
}

const FAULTS = { away: 'sign-in-away', declined: 'sign-in-declined', unfit: 'sign-in-unfit' } as const;

function refuseFault(visit: Visit, { kind, why }: ProviderFault): void {
  noteResult(visit, kind, why);
  note(visit, { what: 'login' }, undefined, FAULTS[kind]);
  refusePage(visit.ctx, visit.deps, FAULTS[kind]);
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
  const token = await active.provider.readLogoutToken(form.fields.get('logout_token') ?? '');
  if (!token.ok) {
    noteResult({ deps, provider }, token.error.kind, token.error.why);
    throw token.error.kind === 'away'
      ? new Refused(503, 'sign-in-away', 'The keys of the provider cannot be read at the moment')
      : new Refused(400, 'sign-in-unfit', 'The logout token does not hold');
  }
  const { issuer, id, expiresAt } = token.value;
  const mark = `logout ${issuer} ${id}`;
  if (await wasUsed(deps, mark)) {
    noteResult({ deps, provider }, 'unfit', 'the logout token was used before');
    throw new Refused(400, 'sign-in-unfit', 'The logout token was used before');
  }
  const { users, faults } = await endProviderSessions(token.value, deps);
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
