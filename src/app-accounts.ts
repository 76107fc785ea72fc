/** Introduces the accounts to their store, their secret and their routes (interface 5.1 to 5.4). */
import { availableParallelism } from 'node:os';
import { type Audit, BY_CONFIGURATION } from './accounts/audit.ts';
import { createFirstTimeLogin, ensureFirstAdmin, type NewAdminPassword } from './accounts/first-admin.ts';
import { createLoginLimiter, type LoginLimiter } from './accounts/login-limiter.ts';
import type { LoginRouteParts } from './accounts/login-routes.ts';
import { createPasswordHasher, type PasswordHasher } from './accounts/password.ts';
import type { RoleRouteParts } from './accounts/role-routes.ts';
import type { SessionRouteParts } from './accounts/session-routes.ts';
import { importSigningKey } from './accounts/session-token.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { findSigningSecret } from './accounts/signing-secret.ts';
import type { TokenRouteParts } from './accounts/token-routes.ts';
import type { UserRouteParts } from './accounts/user-routes.ts';
import type { StartOptions } from './app.ts';
import { countedAudit, countedEvictions, countedLimiter, countedLogins, countedSessions } from './app-counted.ts';
import { type Credentials, openCredentials } from './app-credentials.ts';
import type { Settings } from './config/schema.ts';
import type { Caller } from './domain/caller.ts';
import { scopeOfRole } from './domain/camera-scope.ts';
import { type Clause, parseRateLimit } from './domain/rate-limit.ts';
import type { Store } from './store/open-store.ts';
import type { Logs } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Recent } from './telemetry/recent.ts';

/** What a reload leaves as it is: tokens, counted failures, who is logged in. */
export interface Accounts extends Credentials {
  readonly limiter: LoginLimiter;
  /** As they are by these settings; nothing has changed yet. */
  under(settings: Settings): AccountsInForce;
  /** From now on, for everybody. */
  enforce(accounts: AccountsInForce): void;
  /** After that: users without their role are viewers, and there is an admin. `reset`: with a new password in any case. */
  settle(accounts: AccountsInForce, reset: boolean): Promise<NewAdminPassword | undefined>;
}

/** What holds of the accounts under one configuration. */
export interface AccountsInForce {
  readonly settings: Settings;
  readonly clauses: readonly Clause[];
  readonly sessions: Sessions;
  /** The same, for whoever goes on with a new session after changing the password. */
  readonly sessionsAfterPasswordChange: Sessions;
  /** Who a caller is now; undefined when the session or token is over. */
  recheck(caller: Caller): Promise<Caller | undefined>;
  /** What the account routes need; the cameras of a scope are known elsewhere. */
  readonly routeParts: Omit<LoginRouteParts, 'visibleCameras'> &
    UserRouteParts &
    Omit<RoleRouteParts, 'knownCameras'> &
    SessionRouteParts &
    TokenRouteParts;
}

/** The home-automation add-on's options (interface 5.3). */
export const ADD_ON_OPTIONS = '/data/options.json';
/** Password checks that may wait for their turn (SPEC 4.1). */
const WAITING_CHECKS = 32;

export async function openAccounts(
  options: StartOptions,
  store: Store,
  logs: Logs,
  metrics: Metrics,
  recent: Recent,
): Promise<Accounts> {
  const { clock } = options;
  const log = logs.named('service.accounts');
  const secret = await findSigningSecret({
    environment: options.env,
    optionsFile: ADD_ON_OPTIONS,
    configDirectory: options.directory,
  });
  if (!secret.ok) throw new Error(secret.error);
  for (const warning of secret.value.warnings) log.warn(warning);

  const steadyClock = options.steadyClock ?? { now: () => performance.now() };
  const auditLog = logs.named('service.audit');
  const audit: Audit = (entry) => auditLog.info(entry, entry.what);
  const { keyId } = secret.value;
  const fixedRoles = options.config.settings.auth.roles;
  const onTokenEvict = countedEvictions('apikey', metrics);
  const credentials = await openCredentials({ store, keyId, fixedRoles, clock, steadyClock, audit, log, onTokenEvict });
  const { roleBook } = credentials;
  const limiter = createLoginLimiter({
    clauses: [],
    clock: steadyClock,
    onEvict: countedEvictions('ip', metrics),
  });
  const firstTimeLogin = createFirstTimeLogin(false);
  const key = await importSigningKey(secret.value.key);
  const hashers = new Map<number, PasswordHasher>();
  return {
    ...credentials,
    limiter,
    under(settings) {
      const { auth } = settings;
      const clauses = clausesOf(auth.failed_login_rate_limit);
      const hasher = hashers.get(auth.hash_iterations) ?? openHasher(auth.hash_iterations);
      hashers.set(auth.hash_iterations, hasher);
      const uncounted = createSessions({
        store: store.accounts,
        key,
        clock,
        roles: roleBook.latest,
        accountsVersion: store.version,
        sessionLength: auth.session_length,
        refreshTime: auth.refresh_time,
        cookie: { name: auth.cookie_name, secure: auth.cookie_secure, sameSite: auth.cookie_same_site, path: '/' },
      });
      const sessions = countedSessions(uncounted, 'login', metrics);
      const recheck = rechecker(auth.enabled, sessions, credentials);
      const routeParts = {
        store: store.accounts,
        sessions,
        hasher,
        limiter: countedLimiter(limiter, clauses, metrics),
        clock,
        roles: roleBook.latest,
        roleStore: store.roles,
        roleBook,
        tokenStore: store.apiTokens,
        flushTokenUses: credentials.guardedTokens.flush,
        seenSessions: credentials.seenSessions,
        bodySeconds: () => settings.server.timeout_login_body,
        recheck,
        firstTimeLogin,
        settings: () => ({
          authEnabled: auth.enabled,
          loginPath: '/login',
          logoutUrl: settings.proxy.logout_url,
          bodySeconds: settings.server.timeout_login_body,
        }),
        onLogin: countedLogins(metrics, recent),
        audit: countedAudit(audit, auth.trusted_proxies, metrics),
      };
      const sessionsAfterPasswordChange = countedSessions(uncounted, 'password_change', metrics);
      return { settings, clauses, sessions, sessionsAfterPasswordChange, recheck, routeParts };
    },
    enforce({ settings, clauses }) {
      roleBook.renew(settings.auth.roles);
      limiter.setClauses(clauses);
    },
    async settle({ settings, routeParts }, reset) {
      await credentials.demoteWhoseRoleIsGone();
      if (!settings.auth.enabled) return undefined;
      const made = await ensureFirstAdmin({ store: store.accounts, hasher: routeParts.hasher, clock, reset });
      if (!made) return undefined;
      const what = reset ? 'password-changed' : 'user-created';
      routeParts.audit({ what, who: undefined, from: BY_CONFIGURATION, verdict: 'allowed', user: made.user });
      firstTimeLogin.onNewPassword();
      return made;
    },
  };
}

const openHasher = (iterations: number): PasswordHasher =>
  createPasswordHasher({ iterations, concurrency: Math.max(1, availableParallelism() - 1), queue: WAITING_CHECKS });

/** What does not open the door any more keeps none open: accounts and a proxy's headers are never believed together. */
function rechecker(
  hasAccounts: boolean,
  sessions: Sessions,
  { tokens, roleBook }: Credentials,
): AccountsInForce['recheck'] {
  return async (caller) => {
    switch (caller.credential.kind) {
      case 'session':
        return hasAccounts ? sessions.recheck(caller) : undefined;
      case 'api-token':
        return tokens.recheck(caller);
      case 'proxy-headers':
        // What the proxy said of the user still holds; what the role may see may have changed.
        return hasAccounts ? undefined : { ...caller, scope: scopeOfRole(caller.role, await roleBook.latest()) };
      case 'internal-listener':
        return caller;
    }
  };
}

/** The configuration was checked: what does not parse cannot come here. */
function clausesOf(text: string | null): readonly Clause[] {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
