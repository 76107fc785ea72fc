/** Introduces the accounts to their store, their secret and their routes (interface 5.1 to 5.4). */
import { availableParallelism } from 'node:os';
import { createFirstTimeLogin, ensureFirstAdmin, type NewAdminPassword } from './accounts/first-admin.ts';
import { createLoginLimiter } from './accounts/login-limiter.ts';
import type { LoginRouteParts } from './accounts/login-routes.ts';
import { createPasswordHasher } from './accounts/password.ts';
import { importSigningKey } from './accounts/session-token.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { findSigningSecret } from './accounts/signing-secret.ts';
import type { UserRouteParts } from './accounts/user-routes.ts';
import type { StartOptions } from './app.ts';
import { ADMIN, VIEWER } from './domain/names.ts';
import { parseRateLimit } from './domain/rate-limit.ts';
import type { Store } from './store/open-store.ts';
import type { Logs } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';

export interface Accounts {
  readonly sessions: Sessions;
  /** What the account routes need; the cameras of a scope are known elsewhere. */
  readonly routeParts: Omit<LoginRouteParts, 'visibleCameras'> & UserRouteParts;
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

  const demoted = await store.accounts.demoteUnknownRoles([ADMIN, VIEWER, ...auth.roles.keys()]);
  for (const name of demoted) log.warn({ user: name }, 'the role of this user is gone: the user is a viewer now');
  const hasher = createPasswordHasher({
    iterations: auth.hash_iterations,
    concurrency: Math.max(1, availableParallelism() - 1),
    queue: WAITING_CHECKS,
  });
  const limiter = createLoginLimiter({ clauses: clausesOf(auth.failed_login_rate_limit), clock });
  const sessions = createSessions({
    store: store.accounts,
    key: await importSigningKey(secret.value.key),
    clock,
    roles: () => auth.roles,
    accountsVersion: store.version,
    sessionLength: auth.session_length,
    refreshTime: auth.refresh_time,
    cookie: { name: auth.cookie_name, secure: auth.cookie_secure, sameSite: auth.cookie_same_site, path: '/' },
  });
  const newAdminPassword = auth.enabled
    ? await ensureFirstAdmin({ store: store.accounts, hasher, clock, reset: auth.reset_admin_password })
    : undefined;
  const audit = logs.named('service.audit');
  return {
    sessions,
    newAdminPassword,
    routeParts: {
      store: store.accounts,
      sessions,
      hasher,
      limiter,
      clock,
      roles: () => auth.roles,
      bodySeconds: () => settings.server.timeout_login_body,
      firstTimeLogin: createFirstTimeLogin(newAdminPassword !== undefined),
      settings: () => ({
        authEnabled: auth.enabled,
        loginPath: '/login',
        logoutUrl: settings.proxy.logout_url,
        bodySeconds: settings.server.timeout_login_body,
      }),
      onLogin: (result) => metrics.logins.add(1, result),
      audit: (entry) => audit.info(entry, entry.what),
    },
  };
}

/** The configuration was checked: what does not parse cannot come here. */
function clausesOf(text: string | null) {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
