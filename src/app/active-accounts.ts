/** The accounts under one configuration: sessions, limits, and what the routes need (interface 5.1 to 5.4). */
import { type GuardedAct, ONLY_STRICT } from '../accounts/http/kernel.ts';
import { countedAudit, countedLimiter } from '../accounts/login/counted-logins.ts';
import { toRelyingParty } from '../accounts/passkeys/credential.ts';
import { createSecondFactor } from '../accounts/second-factor/second-factor.ts';
import { createSessions } from '../accounts/sessions/sessions.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { User } from '../domain/accounts/account.ts';
import { addressMaker } from '../domain/addresses.ts';
import type { Caller } from '../domain/caller.ts';
import { unixSeconds } from '../domain/clock.ts';
import { hasFreshProof } from '../domain/credentials.ts';
import { ADMIN } from '../domain/names.ts';
import { type Clause, parseRateLimit } from '../domain/rate-limit.ts';
import { openIdentities } from './identities.ts';
import type { Features } from './resources/features.ts';
import type { AccountServices, Lasting } from './services.ts';

/** Changes nothing that holds now. */
export function accountsUnder(
  settings: Settings,
  lasting: Lasting,
  features: Pick<Features, 'identities' | 'providers' | 'subtract'>,
): AccountServices {
  const { auth, server } = settings;
  const { store, clock, metrics, seenSessions } = lasting;
  const clauses = parseClauses(auth.failed_login_rate_limit);
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
  const { identities, recheck, ...opened } = openIdentities(settings, lasting, sessions, isOwedBy, features);
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
    makerRights: opened.makerRights,
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

/** The configuration was checked: what does not parse cannot come here. */
function parseClauses(text: string | null): readonly Clause[] {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}
