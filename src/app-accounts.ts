/** Introduces the accounts to their store, their secret and their routes (interface 5.1 to 5.4). */
import { availableParallelism } from 'node:os';
import { AT_START } from './accounts/audit.ts';
import { createFirstTimeLogin, ensureFirstAdmin, type NewAdminPassword } from './accounts/first-admin.ts';
import { createLoginLimiter } from './accounts/login-limiter.ts';
import type { LoginRouteParts } from './accounts/login-routes.ts';
import { createPasswordHasher } from './accounts/password.ts';
import type { RoleRouteParts } from './accounts/role-routes.ts';
import type { SessionRouteParts } from './accounts/session-routes.ts';
import { importSigningKey } from './accounts/session-token.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { findSigningSecret } from './accounts/signing-secret.ts';
import type { TokenRouteParts } from './accounts/token-routes.ts';
import type { UserRouteParts } from './accounts/user-routes.ts';
import type { StartOptions } from './app.ts';
import { countedAudit, countedLimiter, countedLogins, countedSessions } from './app-counted.ts';
import { type Credentials, openCredentials } from './app-credentials.ts';
import type { Caller } from './domain/caller.ts';
import { scopeOfRole } from './domain/camera-scope.ts';
import { parseRateLimit } from './domain/rate-limit.ts';
import type { Store } from './store/open-store.ts';
import type { Logs } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Recent } from './telemetry/recent.ts';

export interface Accounts extends Credentials {
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
  readonly newAdminPassword: NewAdminPassword | undefined;
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
  const { settings, clock } = options;
  const { auth } = settings;
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
  const audit = countedAudit((entry) => auditLog.info(entry, entry.what), auth.trusted_proxies, metrics);
  const { keyId } = secret.value;
  const credentials = await openCredentials({ store, keyId, fixedRoles: auth.roles, clock, steadyClock, audit, log });
  const hasher = createPasswordHasher({
    iterations: auth.hash_iterations,
    concurrency: Math.max(1, availableParallelism() - 1),
    queue: WAITING_CHECKS,
  });
  const clauses = clausesOf(auth.failed_login_rate_limit);
  const onEvict = (state: 'idle' | 'active'): void => metrics.rateLimitEvictions.add(1, 'ip', state);
  const limiter = createLoginLimiter({ clauses, clock: steadyClock, onEvict });
  const uncounted = createSessions({
    store: store.accounts,
    key: await importSigningKey(secret.value.key),
    clock,
    roles: credentials.roleBook.latest,
    accountsVersion: store.version,
    sessionLength: auth.session_length,
    refreshTime: auth.refresh_time,
    cookie: { name: auth.cookie_name, secure: auth.cookie_secure, sameSite: auth.cookie_same_site, path: '/' },
  });
  const sessions = countedSessions(uncounted, 'login', metrics);
  const recheck = rechecker(sessions, credentials);
  const newAdminPassword = auth.enabled
    ? await ensureFirstAdmin({ store: store.accounts, hasher, clock, reset: auth.reset_admin_password })
    : undefined;
  if (newAdminPassword) {
    const what = auth.reset_admin_password ? 'password-changed' : 'user-created';
    audit({ what, who: undefined, from: AT_START, verdict: 'allowed', user: newAdminPassword.user });
  }
  return {
    ...credentials,
    sessions,
    sessionsAfterPasswordChange: countedSessions(uncounted, 'password_change', metrics),
    recheck,
    newAdminPassword,
    routeParts: {
      store: store.accounts,
      sessions,
      hasher,
      limiter: countedLimiter(limiter, clauses, metrics),
      clock,
      roles: credentials.roleBook.latest,
      roleStore: store.roles,
      roleBook: credentials.roleBook,
      tokenStore: store.apiTokens,
      flushTokenUses: credentials.guardedTokens.flush,
      seenSessions: credentials.seenSessions,
      bodySeconds: () => settings.server.timeout_login_body,
      recheck,
      firstTimeLogin: createFirstTimeLogin(newAdminPassword !== undefined),
      settings: () => ({
        authEnabled: auth.enabled,
        loginPath: '/login',
        logoutUrl: settings.proxy.logout_url,
        bodySeconds: settings.server.timeout_login_body,
      }),
      onLogin: countedLogins(metrics, recent),
      audit,
    },
  };
}

function rechecker(sessions: Sessions, { tokens, roleBook }: Credentials): Accounts['recheck'] {
  return async (caller) => {
    switch (caller.credential.kind) {
      case 'session':
        return sessions.recheck(caller);
      case 'api-token':
        return tokens.recheck(caller);
      case 'proxy-headers':
        // What the proxy said of the user still holds; what the role may see may have changed.
        return { ...caller, scope: scopeOfRole(caller.role, await roleBook.latest()) };
      case 'internal-listener':
        return caller;
    }
  };
}

/** The configuration was checked: what does not parse cannot come here. */
function clausesOf(text: string | null) {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
