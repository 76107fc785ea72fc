/** The accounts under one configuration: sessions, limits, and what the routes need (interface 5.1 to 5.4). */
import type { CryptoKey } from 'jose';
import type { Audit } from '../../accounts/audit.ts';
import type { AccountResponseDeps } from '../../accounts/http/route-guards.ts';
import type { InvitationRouteDeps } from '../../accounts/invitations/invitation-routes.ts';
import type { LinkPasses } from '../../accounts/links/link-pass.ts';
import type { LinkRouteDeps } from '../../accounts/links/link-routes.ts';
import type { FirstTimeLogin } from '../../accounts/login/first-admin.ts';
import type { KnownClients } from '../../accounts/login/known-clients.ts';
import type { LoginLimiter, MemoryLimiter } from '../../accounts/login/login-limiter.ts';
import type { LoginRouteDeps } from '../../accounts/login/login-routes.ts';
import type { PasskeyLoginRouteDeps } from '../../accounts/login/passkey-login-routes.ts';
import type { ReauthenticateDeps } from '../../accounts/login/reauthenticate-route.ts';
import type { NoticeRouteDeps } from '../../accounts/notices/notice-routes.ts';
import type { PasskeyRouteDeps } from '../../accounts/passkeys/passkey-routes.ts';
import type { PasswordHasher } from '../../accounts/passwords/password-hash.ts';
import type { RoleRouteDeps } from '../../accounts/roles/role-routes.ts';
import type { SecondFactor } from '../../accounts/second-factor/second-factor.ts';
import type { Tickets } from '../../accounts/second-factor/step-ticket.ts';
import type { SessionRouteDeps } from '../../accounts/sessions/session-routes.ts';
import { createSessions, type Sessions } from '../../accounts/sessions/sessions.ts';
import type { TokenRouteDeps } from '../../accounts/tokens/token-routes.ts';
import type { UserRouteDeps } from '../../accounts/users/user-routes.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import { hasFreshProof } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { LOGIN_PATH } from '../../domain/login-path.ts';
import { type Clause, parseRateLimit } from '../../domain/rate-limit.ts';
import { rightsOfUser } from '../../domain/rights/rights.ts';
import type { RecentFailures } from '../../telemetry/recent-failures.ts';
import { countedAudit, countedLimiter, countedLogins, countedSessions } from '../telemetry/counted.ts';
import { type FactorDeps, factorsUnder } from './active-factors.ts';
import type { Credentials } from './credentials.ts';
import { addressMaker, invitationsUnder } from './invitations-of.ts';
import { type ActiveLinks, linksUnder } from './links-of.ts';
import { passwordRulesOf } from './password-rules-of.ts';
import { createRecheck, type Recheck } from './recheck.ts';

/** What holds of the accounts under one configuration. */
export interface ActiveAccounts {
  readonly settings: Settings;
  readonly clauses: readonly Clause[];
  readonly sessions: Sessions;
  /** The same, with another metric label: for the new session after a password change. */
  readonly sessionsAfterPasswordChange: Sessions;
  readonly recheck: Recheck;
  readonly links: ActiveLinks;
  /** What the account routes need; the cameras of a scope are known elsewhere. */
  readonly routeDeps: Omit<LoginRouteDeps, 'visibleCameras'> &
    UserRouteDeps &
    Omit<RoleRouteDeps, 'knownCameras'> &
    SessionRouteDeps &
    TokenRouteDeps &
    ReauthenticateDeps &
    InvitationRouteDeps &
    NoticeRouteDeps &
    Omit<LinkRouteDeps, 'judge'> & { readonly passes: LinkPasses } & PasskeyRouteDeps &
    PasskeyLoginRouteDeps & { readonly tickets: Tickets };
}

/** What outlives every reload. */
export interface AccountDeps extends FactorDeps {
  readonly key: CryptoKey;
  readonly credentials: Credentials;
  readonly limiter: LoginLimiter;
  /** The limiter of wrong codes, by account. */
  readonly codeLimiter: LoginLimiter;
  /** The limiter of tokens that are no invitations, by address. */
  readonly invitationLimiter: MemoryLimiter;
  /** The limiter of secrets that are no links, by address. */
  readonly linkLimiter: MemoryLimiter;
  readonly passes: LinkPasses;
  readonly tickets: Tickets;
  readonly knownClients: KnownClients;
  readonly firstTimeLogin: FirstTimeLogin;
  readonly hasherOf: (iterations: number) => PasswordHasher;
  readonly audit: Audit;
  readonly recent: RecentFailures;
}

/** Changes nothing that holds now. */
export function accountsUnder(settings: Settings, deps: AccountDeps): ActiveAccounts {
  const { auth } = settings;
  const { credentials, metrics } = deps;
  const clauses = clausesOf(auth.failed_login_rate_limit);
  const { invitedPasskeysWith, ...factors } = factorsUnder(settings, deps);
  const uncounted = sessionsUnder(settings, factors.secondFactor, deps);
  const sessions = countedSessions(uncounted, 'login', metrics);
  const sessionsAfterPasswordChange = countedSessions(uncounted, 'password_change', metrics);
  const audit = countedAudit(deps.audit, auth.trusted_proxies, metrics);
  const links = linksUnder(settings, { ...deps, audit, owesFactor: factors.secondFactor.isOwedBy });
  const recheck = createRecheck(auth.enabled, sessions, credentials, () => unixSeconds(deps.clock), links);
  const accountDeps = {
    store: deps.store.accounts,
    hasher: deps.hasherOf(auth.hash_iterations),
    followStore: credentials.hashCosts,
    clock: deps.clock,
    roles: credentials.roleRegistry.latest,
    passwordRules: passwordRulesOf(settings),
    closedOf: async (user: User) =>
      rightsOfUser(user, await credentials.roleRegistry.active(), unixSeconds(deps.clock)).closed,
  };
  const invitations = invitationsUnder(settings, { ...accountDeps, invitationStore: deps.store.invitations });
  const routeDeps = {
    ...accountDeps,
    ...factors,
    invitations,
    invitedPasskeys: invitedPasskeysWith({ invitations, hasher: accountDeps.hasher }),
    invitationLimiter: deps.invitationLimiter,
    hasOwnLogin: auth.enabled,
    noticeStore: deps.store.notices,
    publicAddressOf: addressMaker(settings),
    sessions,
    limiter: countedLimiter(deps.limiter, clauses, metrics),
    knownClients: deps.knownClients,
    sessionsPerUser: auth.sessions_per_user,
    roleStore: deps.store.roles,
    roleRegistry: credentials.roleRegistry,
    tokenStore: deps.store.apiTokens,
    flushTokenUses: credentials.tokenVerifier.flush,
    seenSessions: credentials.seenSessions,
    bodySeconds: () => settings.server.timeout_login_body,
    recheck,
    asksProof: proofRule(auth.reauthenticate === 'strict', deps.clock),
    codeLimiter: deps.codeLimiter,
    tickets: deps.tickets,
    firstTimeLogin: deps.firstTimeLogin,
    settings: () => ({
      authEnabled: auth.enabled,
      loginPath: LOGIN_PATH,
      logoutUrl: settings.proxy.logout_url,
      bodySeconds: settings.server.timeout_login_body,
    }),
    onLogin: countedLogins(metrics, deps.recent),
    audit,
    linkStore: deps.store.links,
    passes: deps.passes,
    hasLinks: settings.links.enabled,
    longest: settings.links.max_lifetime,
  };
  return { settings, clauses, sessions, sessionsAfterPasswordChange, recheck, links, routeDeps };
}

const sessionsUnder = (
  { auth, store: { grace: graceSeconds } }: Settings,
  { isOwedBy }: SecondFactor,
  { store, key, clock, credentials, metrics }: AccountDeps,
): Sessions =>
  createSessions({
    owesFactor: isOwedBy,
    store: store.accounts,
    key,
    clock,
    roles: credentials.roleRegistry.active,
    grace: credentials.grace,
    isEndedHere: store.isHeld,
    ends: credentials.seenSessions.ends,
    onRenewed: () => metrics.tokensIssued.add(1, 'refresh'),
    sessionLength: auth.session_length,
    refreshTime: auth.refresh_time,
    maxAge: auth.session_max_age,
    graceSeconds,
    cookie: { name: auth.cookie_name, secure: auth.cookie_secure, sameSite: auth.cookie_same_site, path: '/' },
  });

/** Whether a request needs a proof: with `strict` every change of users and roles does. */
const proofRule =
  (isStrict: boolean, clock: Clock): AccountResponseDeps['asksProof'] =>
  (caller, act) =>
    (act !== 'accounts' || isStrict) && !hasFreshProof(caller, unixSeconds(clock));

/** The configuration was checked: what does not parse cannot come here. */
function clausesOf(text: string | null): readonly Clause[] {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
