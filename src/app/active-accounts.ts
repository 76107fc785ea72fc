/** The accounts under one configuration: sessions, limits, and what the routes need (interface 5.1 to 5.4). */
import { type GuardedAct, ONLY_STRICT } from '../accounts/http/kernel.ts';
import { createInvitations } from '../accounts/invitations/invitations.ts';
import { createInvitedPasskeys, type InvitedPasskeyDeps } from '../accounts/invitations/invited-passkeys.ts';
import { countedAudit, countedLimiter } from '../accounts/login/counted-logins.ts';
import { invitedSessions } from '../accounts/login/post-login.ts';
import type { Providers } from '../accounts/login/providers.ts';
import { toRelyingParty } from '../accounts/passkeys/credential.ts';
import { createPasskeyCheck, createPasskeys } from '../accounts/passkeys/passkeys.ts';
import { toPasswordRules } from '../accounts/passwords/password-rules.ts';
import { createRoles } from '../accounts/roles/roles.ts';
import { OFF } from '../accounts/second-factor/factor-routes.ts';
import { createEnrolment, createSecondFactor } from '../accounts/second-factor/second-factor.ts';
import { createUsers } from '../accounts/users/users.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { User } from '../domain/accounts/account.ts';
import { addressMaker } from '../domain/addresses.ts';
import type { Caller } from '../domain/caller.ts';
import { unixSeconds } from '../domain/clock.ts';
import { hasFreshProof } from '../domain/credentials.ts';
import { ADMIN } from '../domain/names.ts';
import { type Clause, parseRateLimit } from '../domain/rate-limit.ts';
import { err } from '../domain/result.ts';
import { openIdentities, sessionsUnder } from './identities.ts';
import type { Features } from './resources/features.ts';
import type { AccountServices, Lasting } from './services.ts';

/** Changes nothing that holds now. */
export function accountsUnder(
  settings: Settings,
  lasting: Lasting,
  features: Pick<Features, 'identities' | 'providers' | 'subtract'>,
): AccountServices {
  const { auth, server } = settings;
  const { store, clock, metrics, roleRegistry, seenSessions } = lasting;
  const clauses = parseClauses(auth.failed_login_rate_limit);
  const providers = features.providers(settings);
  const { invitedPasskeysWith, ...factors } = factorsUnder(settings, lasting, providers);
  const { isOwedBy, sessionOwes: factorOwed } = factors.secondFactor;
  const audit = countedAudit(lasting.audit, auth.trusted_proxies, metrics);
  const sessions = sessionsUnder(settings, lasting, {
    factorOwed,
    isEndedHere: store.isHeld,
    ...(providers.sessions && { providerSessions: providers.sessions }),
    ends: seenSessions.ends,
  });
  const { identities, recheck, ...opened } = openIdentities(settings, lasting, sessions, isOwedBy, features);
  const hasher = lasting.hasherOf(auth.hash_iterations);
  const roles = roleRegistry.latest;
  const people = { store: store.accounts, hasher, clock, roles, passwordRules: toPasswordRules(settings) };
  const invitations = createInvitations({
    ...people,
    kept: store,
    lifetime: auth.invitation_lifetime,
  });
  const made = { ...lasting, ...factors, settings, audit, sessions, hasher, invitations };
  const accounts = {
    ...made,
    clauses,
    roles,
    identities,
    makerRights: opened.makerRights,
    authEnabled: auth.enabled,
    hasOwnLogin: auth.enabled,
    publicAddressOf: addressMaker(server.public_url),
    limiter: countedLimiter(lasting.limiter, clauses, metrics),
    recheck,
    asksProof: (caller: Caller, act: GuardedAct) =>
      (auth.reauthenticate === 'strict' || !ONLY_STRICT.has(act)) && !hasFreshProof(caller, unixSeconds(clock)),
    mayUsePassword: ({ role }: Pick<User, 'role'>) =>
      auth.password_login === 'everyone' || (auth.password_login === 'admins' && role === ADMIN),
    users: createUsers(people),
    customRoles: createRoles({ store: store.accounts, roleStore: store.roles, roleRegistry }),
    invitedPasskeys: invitedPasskeysWith({ invitations, hasher }),
    providers,
  };
  return { ...accounts, beginSession: invitedSessions(accounts) };
}

/** Second factors and passkeys (SPEC 12). */
function factorsUnder({ auth, server }: Settings, lasting: Lasting, { list }: Providers) {
  const { clock, challenges, sealer, passkeyUserKey: userKey } = lasting;
  const { secondFactor: store, accounts, invitations: invitationStore } = lasting.store;
  const site = toRelyingParty(server.public_url);
  const factorDeps = { store, sealer, clock, mode: auth.second_factor };
  const trusted = new Set(list.filter(({ isTrusted }) => isTrusted).map(({ name }) => name));
  const passkeyDeps = { store, challenges, clock, userKey, site: auth.second_factor === 'off' ? err(OFF) : site };
  return {
    secondFactor: createSecondFactor({ ...factorDeps, hasPasskeys: site.ok, trusted }),
    enrolment: createEnrolment(factorDeps),
    passkeys: createPasskeys(passkeyDeps),
    passkeyCheck: createPasskeyCheck({ ...passkeyDeps, users: accounts }),
    invitedPasskeysWith: (given: Pick<InvitedPasskeyDeps, 'invitations' | 'hasher'>) =>
      createInvitedPasskeys({ ...passkeyDeps, ...given, invitationStore }),
  };
}

/** The configuration was checked: what does not parse cannot come here. */
function parseClauses(text: string | null): readonly Clause[] {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
