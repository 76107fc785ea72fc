/** Opens the accounts with their store and secret: what outlives a reload (interface 5.1 to 5.4). */
import { availableParallelism } from 'node:os';
import { type Audit, BY_CONFIGURATION } from '../accounts/audit.ts';
import { createInvitationLimiter } from '../accounts/invitations/accept-invitation.ts';
import { createLinkPasses } from '../accounts/links/link-pass.ts';
import { createLinkLimiter } from '../accounts/links/links.ts';
import { createKnownClients } from '../accounts/login/client-key.ts';
import {
  createFirstTimeLogin,
  ensureFirstAdmin,
  type NewAdminPassword,
  warnWithoutAdmin,
} from '../accounts/login/first-admin.ts';
import { createLoginPlaces } from '../accounts/login/login-places.ts';
import { openLimits } from '../accounts/login/shared-limiter.ts';
import { createCallbackPlaces } from '../accounts/oidc/attempt.ts';
import { createChallenges } from '../accounts/passkeys/challenges.ts';
import { relyingPartyOf } from '../accounts/passkeys/credential.ts';
import { createPasswordHasher, type PasswordHasher } from '../accounts/passwords/password-hash.ts';
import { createSealer, createTickets, derivedKey, type Sealer } from '../accounts/second-factor/sealing.ts';
import { importSigningKey } from '../accounts/sessions/session-jwt.ts';
import { findSigningSecret } from '../accounts/sessions/signing-secret.ts';
import { openSitePublisher } from '../accounts/sites/sites.ts';
import { rolesOfFile } from '../config/schema/role-schema.ts';
import type { Settings } from '../config/schema/schema.ts';
import { type Clock, type DeletionGuard, unixSeconds } from '../domain/clock.ts';
import { rightsOfUser } from '../domain/rights.ts';
import type { AuditedAct } from '../features/feature.ts';
import type { SecondFactorStore } from '../store/accounts/second-factor.ts';
import type { Logs } from '../telemetry/logs/log.ts';
import { openCredentials } from './accounts/credentials.ts';
import { accountsUnder } from './active-accounts.ts';
import { steadyNow } from './resources/steady-clock.ts';
import type { AccountServices, Lasting } from './services.ts';
import { countedLogins } from './telemetry/counting.ts';

/** What a reload leaves as it is: tokens, counted failures, who is logged in. */
export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** `settings`: those of the start; `onAct`: called with everything that is audited. */
export async function openAccounts(
  options: Pick<Lasting, 'store' | 'clock' | 'metrics' | 'recent'> & {
    readonly directory: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    /** One that is never set. Default: the machine's own count of milliseconds. */
    readonly steadyClock?: Clock | undefined;
    readonly settings: Settings;
    readonly mayDelete: DeletionGuard;
    readonly bodySeconds: number;
    readonly logs: Logs;
    readonly onAct: (act: AuditedAct) => void;
  },
) {
  const { settings, directory, env, clock, store, logs, metrics, recent } = options;
  const log = logs.named('service.accounts');
  const secret = await findSigningSecret({ environment: env, configDirectory: directory });
  if (!secret.ok) throw new Error(secret.error);
  for (const warning of secret.value.warnings) log.warn(warning);

  const steadyClock = options.steadyClock ?? { now: steadyNow };
  const auditLog = logs.named('service.audit');
  const loginPlaces = createLoginPlaces({
    store: store.loginPlaces,
    clock,
    onNew: (login, part) => options.onAct({ ...login, what: `new-${part}` }),
    onFault: (fault) =>
      log.warn({ err: fault }, 'the place of a login could not be kept: a new device or network is not told'),
  });
  const audit: Audit = (entry) => {
    auditLog.info(entry, entry.what);
    options.onAct(entry);
    loginPlaces.note(entry);
  };
  const { keyId } = secret.value;
  const fixedRoles = rolesOfFile(settings.auth);
  const credentials = await openCredentials({
    store,
    keyId,
    fixedRoles,
    site: settings.server.site,
    authEnabled: settings.auth.enabled,
    clock,
    steadyClock,
    // A file on this machine is never out of reach: one that is locked or gone must not keep rights alive.
    graceSeconds: settings.store.url.engine === 'postgres' ? settings.store.grace : 0,
    mayDelete: options.mayDelete,
    audit,
    log,
  });
  const { roleRegistry } = credentials;
  const publisher = await openSitePublisher({ store, clock, log }, settings.server.site ?? '', keyId);
  const { limiter, codeLimiter, blocks } = await openLimits({
    store: store.loginBlocks,
    site: settings.server.site,
    attempts: store.attempts,
    clock,
    steadyClock,
    onFault: (fault) =>
      log.warn({ err: fault }, 'who must wait at the login could not be kept or read: the status page lacks it'),
    sharedClock: options.steadyClock,
    key: secret.value.key,
  });
  // Users who have a session have logged in before.
  const loggedIn = await store.sessions.listSessions(unixSeconds(clock));
  const knownClients = createKnownClients(loggedIn.map(({ address }) => address));
  const firstTimeLogin = createFirstTimeLogin(false);
  const key = await importSigningKey(secret.value.key);
  const hasherOf = createHashers();
  const keyed = keyedBy(secret.value.key);
  await warnOfUnusable(settings, store.secondFactor, keyed.sealer, log);
  const { tokenVerifier, curtain, hashCosts } = credentials;
  const lasting: Lasting = {
    ...credentials,
    verifyToken: tokenVerifier.judge,
    latestCurtain: curtain.latest,
    followStore: hashCosts,
    closedOf: async (user) => rightsOfUser(user, await roleRegistry.active(), unixSeconds(clock)).closed,
    onLogin: countedLogins(metrics, recent),
    codeLimiter,
    blocks,
    invitationLimiter: createInvitationLimiter(steadyClock),
    linkLimiter: createLinkLimiter(steadyClock),
    callbacks: createCallbackPlaces(),
    ...keyed,
    store,
    clock,
    key,
    limiter,
    knownClients,
    firstTimeLogin,
    hasherOf,
    audit,
    metrics,
    recent,
    log,
    bodySeconds: () => options.bodySeconds,
  };
  return {
    ...credentials,
    limiter,
    codeLimiter,
    async close() {
      await loginPlaces.close();
      await blocks.close();
      await publisher.close();
      await credentials.close();
    },
    /** The cameras of the NVR have changed: the other sites on the store are told. */
    publishCameras: publisher.cameras,
    /** The accounts as they are by these settings; nothing has changed yet. */
    under: (settings: Settings) => accountsUnder(settings, lasting),
    /** Makes it active for all requests. */
    enforce({ settings, clauses }: AccountServices) {
      roleRegistry.renew(rolesOfFile(settings.auth));
      limiter.setClauses(clauses);
    },
    /** Makes users without their role viewers, and an admin where there is none. `reset`: with a new password in any case. */
    async settle({ settings, hasher, audit }: AccountServices, reset: boolean): Promise<NewAdminPassword | undefined> {
      await credentials.demoteWhoseRoleIsGone(publisher.publishedRoles());
      await publisher.roles([...settings.auth.roles.keys()]);
      if (!settings.auth.enabled) return undefined;
      const isPasswordOff = settings.auth.password_login === 'none';
      const made = await ensureFirstAdmin({ store: store.accounts, hasher, clock, reset });
      if (isPasswordOff) await warnWithoutAdmin({ store, log });
      if (!made) return undefined;
      const what = reset ? 'password-changed' : 'user-created';
      audit({ what, who: undefined, from: BY_CONFIGURATION, verdict: 'allowed', user: made.user });
      firstTimeLogin.onNewPassword();
      return { ...made, ...(isPasswordOff && { isPasswordOff }) };
    },
  };
}

/** What signs and seals, each with a key of its own made from the signing secret. */
const keyedBy = (secret: Uint8Array) => ({
  sealer: createSealer(derivedKey(secret, 'totp')),
  challenges: createChallenges(derivedKey(secret, 'passkeys')),
  passkeyUserKey: derivedKey(secret, 'passkey-users'),
  tickets: createTickets(derivedKey(secret, 'second-step')),
  attempts: createSealer(derivedKey(secret, 'oidc-attempts')),
  passes: createLinkPasses(secret),
});

/** Password checks that may wait for their turn (SPEC 4.1). */
const WAITING_CHECKS = 32;

/** One queue for each iteration count: waiting checks go on when a reload leaves the count as it is. */
function createHashers(): (iterations: number) => PasswordHasher {
  const hashers = new Map<number, PasswordHasher>();
  const concurrency = Math.max(1, availableParallelism() - 1);
  return (iterations) => {
    const hasher = hashers.get(iterations) ?? createPasswordHasher({ iterations, concurrency, queue: WAITING_CHECKS });
    hashers.set(iterations, hasher);
    return hasher;
  };
}

/** Second factors that their users cannot use, told at the start: sealed under another secret, or passkeys of no address (SPEC 12). */
interface FactorSettings {
  readonly auth: Pick<Settings['auth'], 'enabled' | 'second_factor'>;
  readonly server: Pick<Settings['server'], 'public_url'>;
}

/** A factor is never dropped with the secret or the address: that would open the account to the password alone. */
export async function warnOfUnusable(
  settings: FactorSettings,
  secondFactor: Pick<SecondFactorStore, 'countTotpNotSealedWith' | 'listFactors'>,
  { keyId }: Pick<Sealer, 'keyId'>,
  log: { warn(facts: object, sentence: string): void },
): Promise<void> {
  const users = await secondFactor.countTotpNotSealedWith(keyId);
  if (users > 0)
    log.warn(
      { users },
      'the signing secret is another one than when these users set up their authenticator app: their codes cannot be checked. They log in with a recovery code and set it up again; or run "postern users second-factor reset NAME"',
    );
  const idle = await idlePasskeys(settings, secondFactor.listFactors);
  if (idle) log.warn({ users: idle.users }, `these users have passkeys that cannot be used. ${idle.why}`);
}

/** How many users have passkeys, while there can be none; undefined when all is well. A changed host name cannot be seen. */
export async function idlePasskeys(
  { auth, server }: FactorSettings,
  listFactors: SecondFactorStore['listFactors'],
): Promise<{ readonly users: number; readonly why: string } | undefined> {
  const site = relyingPartyOf(server.public_url);
  if (!auth.enabled || auth.second_factor === 'off' || site.ok) return undefined;
  const users = (await listFactors()).filter(({ kinds }) => kinds.includes('passkey')).length;
  return users > 0 ? { users, why: site.error } : undefined;
}
