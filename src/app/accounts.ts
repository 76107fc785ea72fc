/** Opens the accounts with their store and secret, which outlive a reload, and makes what they are under one configuration (interface 5.1 to 5.4). */
import { type Audit, BY_CONFIGURATION, countedAudit } from '../accounts/audit.ts';
import { createGrantUses } from '../accounts/grants/grants.ts';
import { type GuardedAct, ONLY_STRICT } from '../accounts/http/kernel.ts';
import { createInvitationLimiter } from '../accounts/invitations/invitations.ts';
import {
  createFirstTimeLogin,
  ensureFirstAdmin,
  makePassword,
  type NewAdminPassword,
  warnWithoutAdmin,
} from '../accounts/login/first-admin.ts';
import { createHashCosts } from '../accounts/login/guesses.ts';
import { countedLogins } from '../accounts/login/login.ts';
import { countedLimiter, createKnownClients } from '../accounts/login/login-limiter.ts';
import { openLimits } from '../accounts/login/shared-limiter.ts';
import { createChallenges, toRelyingParty } from '../accounts/passkeys/credential.ts';
import { warnOfUnusable } from '../accounts/passkeys/passkeys.ts';
import { createHashers } from '../accounts/passwords/password-hash.ts';
import {
  createSealer,
  createTickets,
  derivedKey,
  type KeyPurpose,
  PURPOSES,
} from '../accounts/second-factor/sealing.ts';
import { createSecondFactor } from '../accounts/second-factor/second-factor.ts';
import { createSeenSessions } from '../accounts/sessions/seen-sessions.ts';
import { importSigningKey } from '../accounts/sessions/session-jwt.ts';
import { createSessions } from '../accounts/sessions/sessions.ts';
import { findSigningSecret } from '../accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../accounts/sessions/store-grace.ts';
import { openPublisher } from '../accounts/store/own-store.ts';
import { createTokenLimiter, createTokenVerifier } from '../accounts/tokens/api-tokens.ts';
import { deleteExpired, demoteWhoseRoleIsGone } from '../accounts/users/users.ts';
import { rolesOfFile } from '../config/schema/role-schema.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { User } from '../domain/accounts/account.ts';
import { addressMaker } from '../domain/addresses.ts';
import type { Caller } from '../domain/caller.ts';
import type { CustomRoles } from '../domain/camera-scope.ts';
import { type Clock, type DeletionGuard, hourly, steadyNow, unixSeconds } from '../domain/clock.ts';
import { hasFreshProof } from '../domain/credentials.ts';
import { ADMIN } from '../domain/names.ts';
import { rateLimit } from '../domain/rate-limit.ts';
import { rightsOfUser } from '../domain/rights.ts';
import type { Store } from '../store/open-store.ts';
import type { Logs } from '../telemetry/logs/log.ts';
import { openIdentities, openJudging } from './identities.ts';
import type { Features } from './resources/features.ts';
import type { AccountServices, Lasting } from './services.ts';

/** What a reload leaves as it is: tokens, counted failures, who is logged in. */
export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** `settings`: those of the start. */
export async function openAccounts(
  options: Pick<Lasting, 'store' | 'clock' | 'metrics' | 'recent' | 'tokenRights'> & {
    readonly directory: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    /** One that is never set. Default: the machine's own count of milliseconds. */
    readonly steadyClock?: Clock | undefined;
    readonly settings: Settings;
    readonly mayDelete: DeletionGuard;
    readonly bodySeconds: number;
    readonly logs: Logs;
    readonly features: Pick<Features, 'note' | 'identities' | 'providers' | 'subtract'>;
  },
) {
  const { settings, directory, env, clock, store, logs, metrics, recent } = options;
  const log = logs.named('service.accounts');
  const secret = await findSigningSecret({ environment: env, configDirectory: directory });
  if (!secret.ok) throw new Error(secret.error);
  for (const warning of secret.value.warnings) log.warn(warning);

  const steadyClock = options.steadyClock ?? { now: steadyNow };
  const auditLog = logs.named('service.audit');
  const audit: Audit = (entry) => {
    auditLog.info(entry, entry.what);
    options.features.note(entry);
  };
  const hasherOf = createHashers();
  let made =
    settings.auth.enabled && (await store.accounts.countUsers()) === 0
      ? makePassword(hasherOf(settings.auth.hash_iterations))
      : undefined;
  const { key: signingKey, keyId } = secret.value;
  const credentials = await openCredentials({ ...options, steadyClock, keyId, audit, log });
  const { roleRegistry } = credentials;
  const publisher = await openPublisher({ store, clock, log }, keyId);
  const limits = await openLimits({
    store: store.loginBlocks,
    isAlone: !store.hasOtherNvrs,
    attempts: store.attempts,
    clock,
    steadyClock,
    onFault: (fault) =>
      log.warn({ err: fault }, 'who must wait at the login could not be kept or read: the status page lacks it'),
    sharedClock: options.steadyClock,
    key: signingKey,
  });
  // Users who have a session have logged in before.
  const loggedIn = await store.sessions.listSessions(unixSeconds(clock));
  const firstTimeLogin = createFirstTimeLogin(false);
  /** What signs and seals, each with a key of its own made from the signing secret. */
  const keyed = {
    sealer: createSealer(derivedKey(signingKey, PURPOSES.totp)),
    challenges: createChallenges(derivedKey(signingKey, PURPOSES.passkeys)),
    passkeyUserKey: derivedKey(signingKey, PURPOSES.passkeyUsers),
    tickets: createTickets(derivedKey(signingKey, PURPOSES.secondStep)),
    keyFor: (purpose: KeyPurpose) => derivedKey(signingKey, purpose),
  };
  await warnOfUnusable(settings, store.secondFactor, keyed.sealer, log);
  const lasting: Lasting = {
    ...credentials,
    ...limits,
    ...keyed,
    subtract: options.features.subtract,
    closedOf: async (user) => rightsOfUser(user, await roleRegistry.active(), unixSeconds(clock)).closed,
    onLogin: countedLogins(metrics, recent),
    invitationLimiter: createInvitationLimiter(steadyClock),
    store,
    clock,
    key: await importSigningKey(signingKey),
    knownClients: createKnownClients(loggedIn.map(({ address }) => address)),
    firstTimeLogin,
    hasherOf,
    audit,
    onAct: options.features.note,
    tokenRights: options.tokenRights,
    metrics,
    recent,
    log,
    bodySeconds: () => options.bodySeconds,
  };
  return {
    ...credentials,
    lasting,
    async close() {
      await limits.blocks.close();
      await publisher.close();
      await credentials.close();
    },
    publishCameras: (cameras: readonly string[]) => publisher.publish({ cameras }),
    /** The accounts as they are by these settings; nothing has changed yet. */
    under: (settings: Settings) => accountsUnder(settings, lasting, options.features),
    /** Makes it active for all requests. */
    enforce({ settings, clauses }: AccountServices) {
      roleRegistry.renew(rolesOfFile(settings.auth));
      limits.limiter.setClauses(clauses);
    },
    /** Makes users without their role viewers, and an admin where there is none. `reset`: with a new password in any case. */
    async settle({ settings, hasher, audit }: AccountServices, reset: boolean): Promise<NewAdminPassword | undefined> {
      const roles = await roleRegistry.latest();
      await demoteWhoseRoleIsGone(publisher.publishedRoles(), roles, { store, clock, audit, log });
      await publisher.publish({ roles: [...settings.auth.roles.keys()] });
      await publisher.warn(settings);
      if (!settings.auth.enabled) return undefined;
      const isPasswordOff = settings.auth.password_login === 'none';
      const admin = await ensureFirstAdmin({ store: store.accounts, hasher, clock, reset, made });
      made = undefined;
      if (isPasswordOff) await warnWithoutAdmin({ store, log });
      if (!admin) return undefined;
      const what = reset ? 'password-changed' : 'user-created';
      audit({ what, who: undefined, from: BY_CONFIGURATION, verdict: 'allowed', user: admin.user });
      firstTimeLogin.onNewPassword();
      return { ...admin, ...(isPasswordOff && { isPasswordOff }) };
    },
  };
}

/** `keyId`: the digest of the key that sessions are signed with. `steadyClock`: one that is never set. `settings`: those of the start. */
export async function openCredentials(
  options: Pick<Lasting, 'clock' | 'audit' | 'log'> & {
    readonly store: Store;
    readonly settings: Settings;
    readonly steadyClock: Clock;
    readonly mayDelete: DeletionGuard;
    readonly keyId: string;
  },
) {
  const { store, settings, steadyClock, mayDelete, keyId, clock, audit, log } = options;
  const listeners: ((roles: CustomRoles) => void)[] = [];
  const onChange = (roles: CustomRoles): void => {
    for (const tell of listeners) tell(roles);
  };
  const { version, heard } = store;
  // A file on this machine is never out of reach: one that is locked or gone must not keep rights alive.
  const seconds = settings.store.url.engine === 'postgres' ? settings.store.grace : 0;
  const grace = createStoreGrace({ version, heard, clock: steadyClock, seconds });
  const judging = openJudging({ store, clock, grace }, settings, onChange);
  const { roleRegistry, tokens } = judging;
  await roleRegistry.latest();
  // Every request needs the roles: they are read again at once, so that a store that goes away then leaves them known.
  heard?.watch('custom_roles', () => void Promise.resolve(roleRegistry.latest()).catch(() => {}));
  const onFault = (fault: unknown): void =>
    log.warn(
      { err: fault },
      'the last use of sessions, API tokens and screens could not be written, so the lists show older times: check the store',
    );
  const grantUses = createGrantUses({ store, clock }, onFault);
  const tokenLimiter = createTokenLimiter(steadyClock);
  const tokenVerifier = createTokenVerifier({ tokens, grantUses, tokenLimiter, audit });
  const seenSessions = createSeenSessions({ store: store.sessions, keyId, clock, onFault });
  const tidy = async (): Promise<void> => {
    if (!mayDelete()) return;
    await deleteExpired({ store, clock, audit, log }).catch((fault) =>
      log.warn({ err: fault }, 'expired sessions and revocations could not be deleted from the store: retrying in 1 h'),
    );
  };
  await store.sessions.forgetSessionsUnlessSignedWith(keyId);
  const stopTidying = hourly(tidy);
  return {
    ...judging,
    tokenVerifier,
    seenSessions,
    grantUses,
    /** What a wrong password costs: as much as with the hashes that the store has. */
    followStore: createHashCosts(store, grace),
    /** Called when the custom roles have changed, by whomever. */
    onRoles: (tell: (roles: CustomRoles) => void) => void listeners.push(tell),
    async close() {
      stopTidying();
      await Promise.all([seenSessions.close(), grantUses.close()]);
    },
  };
}

/** The accounts under one configuration. Changes nothing that holds now. */
function accountsUnder(
  settings: Settings,
  lasting: Lasting,
  features: Pick<Features, 'identities' | 'providers' | 'subtract'>,
): AccountServices {
  const { auth, server } = settings;
  const { store, clock, metrics, seenSessions } = lasting;
  const limit = auth.failed_login_rate_limit;
  const clauses = limit === null ? [] : rateLimit(limit);
  const providers = features.providers(settings);
  const secondFactor = createSecondFactor({
    store: store.secondFactor,
    sealer: lasting.sealer,
    clock,
    mode: auth.second_factor,
    hasPasskeys: toRelyingParty(server.public_url).ok,
    trusted: new Set(providers.list.filter(({ isTrusted }) => isTrusted).map(({ name }) => name)),
  });
  const { isOwedBy, sessionOwes: factorOwed } = secondFactor;
  const audit = countedAudit(lasting.audit, auth.trusted_proxies, metrics);
  const running = {
    factorOwed,
    isEndedHere: store.isHeld,
    providerSessions: providers.sessions,
    ends: seenSessions.ends,
  };
  const sessions = createSessions(settings, lasting, running);
  const { identities, recheck, makerRights } = openIdentities(settings, lasting, sessions, isOwedBy, features);
  const hasher = lasting.hasherOf(auth.hash_iterations);
  return {
    ...lasting,
    settings,
    audit,
    sessions,
    hasher,
    secondFactor,
    clauses,
    identities,
    makerRights,
    authEnabled: auth.enabled,
    publicAddressOf: addressMaker(server.public_url),
    limiter: countedLimiter(lasting.limiter, clauses, metrics),
    recheck,
    asksProof: (caller: Caller, act: GuardedAct) =>
      (auth.reauthenticate === 'strict' || !ONLY_STRICT.has(act)) && !hasFreshProof(caller, unixSeconds(clock)),
    mayUsePassword: ({ role }: Pick<User, 'role'>) =>
      auth.password_login === 'everyone' || (auth.password_login === 'admins' && role === ADMIN),
    providers,
  };
}
