/** Introduces the accounts to their store, their secret and what they remember: all that outlives a reload (interface 5.1 to 5.4). */
import { type Audit, BY_CONFIGURATION } from '../../accounts/audit.ts';
import { createFirstTimeLogin, ensureFirstAdmin, type NewAdminPassword } from '../../accounts/login/first-admin.ts';
import { createLoginLimiter, type LoginLimiter } from '../../accounts/login/login-limiter.ts';
import { importSigningKey } from '../../accounts/sessions/session-token.ts';
import { findSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import type { Settings } from '../../config/schema.ts';
import type { Store } from '../../store/open-store.ts';
import type { Logs } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Recent } from '../../telemetry/recent.ts';
import type { StartOptions } from '../start.ts';
import { countedEvictions } from '../telemetry/counted.ts';
import { type AccountsInForce, accountsUnder, createHashers } from './accounts-in-force.ts';
import { type Credentials, openCredentials } from './credentials.ts';

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

/** The home-automation add-on's options (interface 5.3). */
export const ADD_ON_OPTIONS = '/data/options.json';

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
  const { roleRegistry } = credentials;
  const limiter = createLoginLimiter({
    clauses: [],
    clock: steadyClock,
    onEvict: countedEvictions('ip', metrics),
  });
  const firstTimeLogin = createFirstTimeLogin(false);
  const key = await importSigningKey(secret.value.key);
  const hasherOf = createHashers();
  const desk = { store, clock, key, credentials, limiter, firstTimeLogin, hasherOf, audit, metrics, recent };
  return {
    ...credentials,
    limiter,
    under: (settings) => accountsUnder(settings, desk),
    enforce({ settings, clauses }) {
      roleRegistry.renew(settings.auth.roles);
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
