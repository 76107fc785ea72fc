/** The accounts under one configuration: sessions, limits, and what the routes need (interface 5.1 to 5.4). */
import type { CryptoKey } from 'jose';
import type { Logger } from 'pino';
import type { Audit } from '../../accounts/audit.ts';
import { type AccountResponseDeps, ONLY_STRICT } from '../../accounts/http/route-guards.ts';
import type { LinkPasses } from '../../accounts/links/link-pass.ts';
import { createLinks, openLinks } from '../../accounts/links/links.ts';
import type { FirstTimeLogin } from '../../accounts/login/first-admin.ts';
import type { KnownClients } from '../../accounts/login/known-clients.ts';
import type { LoginBlocks } from '../../accounts/login/login-blocks.ts';
import type { LoginLimiter, MemoryLimiter } from '../../accounts/login/login-limiter.ts';
import type { CallbackPlaces } from '../../accounts/oidc/callback-places.ts';
import type { PasswordHasher } from '../../accounts/passwords/password-hash.ts';
import { createRoles } from '../../accounts/roles/roles.ts';
import { createPairing } from '../../accounts/screens/pairing.ts';
import { createScreens, openScreens } from '../../accounts/screens/screens.ts';
import type { Sealer } from '../../accounts/second-factor/sealed-secret.ts';
import type { SecondFactor } from '../../accounts/second-factor/second-factor.ts';
import type { Tickets } from '../../accounts/second-factor/step-ticket.ts';
import { type CallerRules, personOf } from '../../accounts/sessions/session-state.ts';
import { createSessions, type Sessions } from '../../accounts/sessions/sessions.ts';
import type { NoticeRouteDeps } from '../../accounts/users/notice-routes.ts';
import { createSignInAdmin } from '../../accounts/users/sign-in-admin.ts';
import { createUsers } from '../../accounts/users/users.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import { isFramedElsewhere } from '../../domain/addresses/cookie-domain.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { hasFreshProof } from '../../domain/credentials.ts';
import { LOGIN_PATH } from '../../domain/login-path.ts';
import { type Clause, parseRateLimit } from '../../domain/rate-limit.ts';
import { rightsOfUser } from '../../domain/rights/rights.ts';
import type { FindViewed } from '../../gateway/decision/view-as.ts';
import { listNotices } from '../../ledger/notices.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RecentFailures } from '../../telemetry/recent-failures.ts';
import { countedAudit, countedLimiter, countedLogins } from '../telemetry/counting.ts';
import { type FactorDeps, factorsUnder } from './active-factors.ts';
import type { Credentials } from './credentials.ts';
import { addressMaker, invitationsUnder } from './invitations-of.ts';
import { invitedSessions, passwordRule } from './password-login.ts';
import { passwordRulesOf } from './password-rules-of.ts';
import { createRecheck } from './recheck.ts';
import { providerSessionsOf, providersUnder, signInsUnder } from './sign-ins-of.ts';

/** What holds of the accounts under one configuration. */
export type ActiveAccounts = ReturnType<typeof accountsUnder>;

/** What outlives every reload. */
export interface AccountDeps extends FactorDeps {
  readonly key: CryptoKey;
  readonly credentials: Credentials;
  readonly metrics: Metrics;
  readonly limiter: LoginLimiter;
  readonly blocks: LoginBlocks;
  /** The limiter of wrong codes, by account. */
  readonly codeLimiter: LoginLimiter;
  /** The limiter of tokens that are no invitations, by address. */
  readonly invitationLimiter: MemoryLimiter;
  /** The limiter of secrets that are no links, by address. */
  readonly linkLimiter: MemoryLimiter;
  readonly passes: LinkPasses;
  readonly tickets: Tickets;
  /** Seals what browsers keep between this service and a provider. */
  readonly attempts: Sealer;
  /** The answers of providers that are asked about. */
  readonly callbacks: CallbackPlaces;
  readonly knownClients: KnownClients;
  readonly firstTimeLogin: FirstTimeLogin;
  readonly hasherOf: (iterations: number) => PasswordHasher;
  readonly audit: Audit;
  readonly recorded: () => Promise<void>;
  readonly recent: RecentFailures;
  readonly bodySeconds: number;
  readonly log: Logger;
}

/** Changes nothing that holds now. */
export function accountsUnder(settings: Settings, deps: AccountDeps) {
  const { auth } = settings;
  const { credentials, metrics } = deps;
  const clauses = clausesOf(auth.failed_login_rate_limit);
  const { invitedPasskeysWith, ...factors } = factorsUnder(settings, deps);
  const sessions = sessionsUnder(settings, factors.secondFactor, deps);
  const audit = countedAudit(deps.audit, auth.trusted_proxies, metrics);
  const { store: wholeStore, passes } = deps;
  const { grace, screenUses, codeMakers } = credentials;
  const grants = {
    store: wholeStore,
    clock: deps.clock,
    grace,
    roles: credentials.roleRegistry.active,
    recheckToken: credentials.tokens.recheck,
    authEnabled: auth.enabled,
    owesFactor: factors.secondFactor.isOwedBy,
  };
  const isEnabled = settings.links.max_lifetime > 0;
  const links = openLinks(createLinks({ ...grants, passes, isEnabled }), { ...deps, audit });
  const screens = openScreens(createScreens(grants), { ...grants, screenUses, secure: auth.cookie_secure });
  const findViewed = auth.enabled ? viewedIn(deps, factors.secondFactor.isOwedBy) : undefined;
  const recheck = createRecheck(
    auth.enabled,
    sessions,
    credentials,
    () => unixSeconds(deps.clock),
    { links, screens },
    findViewed,
  );
  const accountDeps = {
    store: deps.store.accounts,
    hasher: deps.hasherOf(auth.hash_iterations),
    followStore: credentials.hashCosts,
    clock: deps.clock,
    roles: credentials.roleRegistry.latest,
    passwordRules: passwordRulesOf(settings),
    mayUsePassword: passwordRule(auth),
    closedOf: async (user: User) =>
      rightsOfUser(user, await credentials.roleRegistry.active(), unixSeconds(deps.clock)).closed,
  };
  const { roleRegistry, seenSessions } = credentials;
  const { store, hasher, roles, clock } = accountDeps;
  const invitations = invitationsUnder(settings, { ...accountDeps, invitationStore: deps.store.invitations });
  const responses: AccountResponseDeps = {
    audit,
    bodySeconds: () => deps.bodySeconds,
    recheck,
    asksProof: proofRule(auth.reauthenticate === 'strict', clock),
  };
  const guesses = {
    ...accountDeps,
    limiter: countedLimiter(deps.limiter, clauses, metrics),
    knownClients: deps.knownClients,
    codeLimiter: deps.codeLimiter,
  };
  const publicAddressOf = addressMaker(settings);
  const login = {
    ...responses,
    ...guesses,
    ...factors,
    sessions,
    seenSessions,
    sessionsPerUser: auth.sessions_per_user,
    verifyToken: credentials.tokenVerifier.judge,
    tickets: deps.tickets,
    firstTimeLogin: deps.firstTimeLogin,
    onLogin: countedLogins(metrics, deps.recent),
    screenCookieAgain: screens.cookieAgain,
    settings: () => ({
      authEnabled: auth.enabled,
      loginPath: LOGIN_PATH,
      logoutUrl: settings.proxy.logout_url,
      bodySeconds: deps.bodySeconds,
    }),
  };
  const providers = providersUnder(settings, { ...deps, roles: async () => (await roles()).keys() });
  const signIns = {
    ...responses,
    ...signInsUnder(providers, {
      ...deps,
      ...accountDeps,
      holding: deps.store,
      secondFactor: factors.secondFactor,
      invitations,
      sessions,
      seenSessions,
    }),
    store,
    signIns: deps.store.signIns,
    invitations,
    invitationLimiter: deps.invitationLimiter,
    sessions,
    seenSessions,
    sessionsPerUser: auth.sessions_per_user,
    attempts: deps.attempts,
    callbacks: deps.callbacks,
    tickets: deps.tickets,
    clock,
    firstTimeLogin: deps.firstTimeLogin,
  };
  /** What the routes of each group need; the cameras of a scope are known elsewhere. */
  const groups = {
    login,
    signIns,
    factors: { ...responses, ...factors, store, sessions },
    invitations: {
      ...responses,
      invitations,
      invitedPasskeys: invitedPasskeysWith({ invitations, hasher }),
      invitationLimiter: deps.invitationLimiter,
      beginSession: invitedSessions(login),
      closedOf: accountDeps.closedOf,
      hasOwnLogin: auth.enabled,
      publicAddressOf,
    },
    notices: { ...responses, noticesOf: noticesIn(deps) },
    users: {
      ...responses,
      ...guesses,
      users: createUsers(accountDeps),
      sessions,
      loginPlaces: deps.store.loginPlaces,
      signIns: createSignInAdmin(deps.store.signIns),
    },
    screens: {
      ...responses,
      ...guesses,
      screens,
      pairing: createPairing({ ...grants, codeMakers, badScreens: screenUses.badScreens }),
      screenCookie: screens.screenCookie,
      screenCookieCleared: screens.cookieCleared,
      screenStore: deps.store.screens,
      flushScreenUses: screenUses.flush,
      hasAccounts: auth.enabled,
      publicAddressOf,
    },
    limits: { ...responses, blocks: deps.blocks },
    roles: {
      ...responses,
      customRoles: createRoles({ store, roleStore: deps.store.roles, roleRegistry }),
      hasSites: settings.server.site !== undefined,
    },
    sessions: { ...responses, sessions, seenSessions },
    tokens: {
      ...responses,
      store,
      clock,
      roles,
      tokenStore: deps.store.apiTokens,
      flushTokenUses: credentials.tokenVerifier.flush,
    },
    curtain: {
      ...responses,
      curtainStore: deps.store.curtain,
      latestCurtain: credentials.curtain.latest,
      clock,
    },
    sites: { ...responses, own: settings.server.site, listed: settings.server.sites, siteStore: deps.store.sites },
    links: {
      ...responses,
      ...guesses,
      links,
      linkStore: deps.store.links,
      tokenStore: deps.store.apiTokens,
      passes: deps.passes,
      hasLinks: isEnabled,
      longest: settings.links.max_lifetime,
      publicAddressOf,
    },
  };
  const { behindCurtain } = credentials;
  return {
    settings,
    clauses,
    behindCurtain,
    sessions,
    recheck,
    findViewed,
    links,
    screens,
    audit,
    hasher,
    roles,
    groups,
    providers,
  };
}

/** Accounts of Postern's own alone have rights that are known without a request of theirs. */
const viewedIn =
  ({ store, credentials, clock }: AccountDeps, owesFactor: CallerRules['owesFactor']): FindViewed =>
  async (by, name) => {
    const user = await store.accounts.findUser(name);
    if (!user) return undefined;
    const rules = { roles: await credentials.roleRegistry.active(), now: unixSeconds(clock), owesFactor };
    return { ...personOf(user, rules), credential: { kind: 'view-as', by } };
  };

const NOTICE_SECONDS = 90 * 86_400;

/** Another person may have had the name before. */
const noticesIn =
  ({ store: { accounts, ledger }, clock, recorded }: AccountDeps): NoticeRouteDeps['noticesOf'] =>
  async (name) => {
    await recorded();
    const user = await accounts.findUser(name);
    return user ? listNotices(name, Math.max(user.createdAt, unixSeconds(clock) - NOTICE_SECONDS), ledger) : [];
  };

const sessionsUnder = (
  settings: Settings,
  { sessionOwes }: SecondFactor,
  { store, key, clock, credentials }: AccountDeps,
): Sessions => {
  const { auth } = settings;
  return createSessions({
    factorOwed: sessionOwes,
    store: store.accounts,
    key,
    clock,
    roles: credentials.roleRegistry.active,
    grace: credentials.grace,
    isEndedHere: store.isHeld,
    apiTokenNow: credentials.tokens.callerNow,
    ends: credentials.seenSessions.ends,
    providerSessions: providerSessionsOf(auth, { store, clock }),
    sessionLength: auth.session_length,
    refreshTime: auth.refresh_time,
    maxAge: auth.session_max_age,
    graceSeconds: settings.store.grace,
    cookie: {
      name: auth.cookie_name,
      secure: auth.cookie_secure,
      sameSite: sameSiteOf(settings),
      path: '/',
      domain: auth.cookie_domain,
    },
  });
};

/** A page of another site that shows ours in a frame gets no other cookie (SPEC 8). */
export const sameSiteOf = ({ ui, server, auth }: Settings): 'lax' | 'none' =>
  isFramedElsewhere(ui.frame_ancestors, server.public_url?.origin, auth.cookie_domain) ? 'none' : 'lax';

/** Whether a request needs a proof: with `strict` every change of users and roles does. */
const proofRule =
  (isStrict: boolean, clock: Clock): AccountResponseDeps['asksProof'] =>
  (caller, act) =>
    (isStrict || !ONLY_STRICT.has(act)) && !hasFreshProof(caller, unixSeconds(clock));

/** The configuration was checked: what does not parse cannot come here. */
function clausesOf(text: string | null): readonly Clause[] {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
