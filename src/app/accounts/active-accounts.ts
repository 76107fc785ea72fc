/** The accounts under one configuration: sessions, limits, and what the routes need (interface 5.1 to 5.4). */

import { ONLY_STRICT } from '../../accounts/http/kernel.ts';
import { createInvitations } from '../../accounts/invitations/invitations.ts';
import { createInvitedPasskeys, type InvitedPasskeyDeps } from '../../accounts/invitations/invited-passkeys.ts';
import { createLinks, type Links, openLinks } from '../../accounts/links/links.ts';
import { invitedSessions } from '../../accounts/login/post-login.ts';
import { providerSessionsOf } from '../../accounts/oidc/provider-sessions.ts';
import { createSignIns } from '../../accounts/oidc/sign-in.ts';
import { relyingPartyOf } from '../../accounts/passkeys/credential.ts';
import { createPasskeyCheck, createPasskeys } from '../../accounts/passkeys/passkeys.ts';
import { passwordRulesOf } from '../../accounts/passwords/password-rules.ts';
import { createRoles } from '../../accounts/roles/roles.ts';
import { createPairing } from '../../accounts/screens/pairing.ts';
import { createScreens, openScreens, type Screens } from '../../accounts/screens/screens.ts';
import { OFF } from '../../accounts/second-factor/factor-routes.ts';
import { createEnrolment, createSecondFactor, type SecondFactor } from '../../accounts/second-factor/second-factor.ts';
import { type CallerRules, personOf } from '../../accounts/sessions/session-state.ts';
import { createSessions, type Sessions } from '../../accounts/sessions/sessions.ts';
import { createSignInAdmin } from '../../accounts/users/sign-in-admin.ts';
import { createUsers } from '../../accounts/users/users.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { addressMaker, isFramedElsewhere } from '../../domain/addresses.ts';
import type { Caller, Rights } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { hasFreshProof } from '../../domain/credentials.ts';
import { ADMIN, type Role } from '../../domain/names.ts';
import { type Clause, parseRateLimit } from '../../domain/rate-limit.ts';
import { err } from '../../domain/result.ts';
import { rightsOfRoles } from '../../domain/rights.ts';
import { type FindViewed, mayView } from '../../identity/view-as.ts';
import type { AccountServices, Lasting } from '../services.ts';
import { countedAudit, countedLimiter } from '../telemetry/counting.ts';
import type { Credentials } from './credentials.ts';
import { providersUnder } from './providers.ts';

/** What holds of the accounts under one configuration. */
export type ActiveAccounts = ReturnType<typeof accountsUnder>;

/** Changes nothing that holds now. */
export function accountsUnder(settings: Settings, lasting: Lasting) {
  const { auth } = settings;
  const { store, clock, credentials, metrics, passes } = lasting;
  const { roleRegistry, codeMakers, behindCurtain, grantUses, screenLimiter } = credentials;
  const clauses = clausesOf(auth.failed_login_rate_limit);
  const { invitedPasskeysWith, ...factors } = factorsUnder(settings, lasting);
  const { secondFactor } = factors;
  const sessions = sessionsUnder(settings, secondFactor, lasting);
  const audit = countedAudit(lasting.audit, auth.trusted_proxies, metrics);
  const grants = {
    store,
    clock,
    grants: credentials.grants,
    roles: roleRegistry.active,
    recheckToken: credentials.tokens.recheck,
    authEnabled: auth.enabled,
    owesFactor: secondFactor.isOwedBy,
  };
  const isEnabled = settings.links.max_lifetime > 0;
  const links = openLinks(createLinks({ ...grants, passes, isEnabled }), { ...lasting, audit });
  const screens = openScreens(createScreens(grants), { grantUses, screenLimiter, secure: auth.cookie_secure });
  const findViewed = auth.enabled ? viewedIn(lasting, secondFactor.isOwedBy) : undefined;
  const now = () => unixSeconds(clock);
  const recheck = createRecheck(auth.enabled, sessions, credentials, now, { links, screens }, findViewed);
  const hasher = lasting.hasherOf(auth.hash_iterations);
  const roles = roleRegistry.latest;
  const people = { store: store.accounts, hasher, clock, roles, passwordRules: passwordRulesOf(settings) };
  const invitations = createInvitations({
    ...people,
    kept: store,
    lifetime: auth.invitation_lifetime,
  });
  const providers = providersUnder(settings, lasting, async () => (await roles()).keys());
  const made = { ...lasting, ...factors, settings, audit, sessions, hasher, invitations };
  const services: AccountServices = {
    ...made,
    signInsOf: createSignIns(made),
    limiter: countedLimiter(lasting.limiter, clauses, metrics),
    recheck,
    asksProof: (caller, act) =>
      (auth.reauthenticate === 'strict' || !ONLY_STRICT.has(act)) && !hasFreshProof(caller, now()),
    mayUsePassword: ({ role }) =>
      auth.password_login === 'everyone' || (auth.password_login === 'admins' && role === ADMIN),
    users: createUsers(people),
    signIns: createSignInAdmin(store.signIns),
    customRoles: createRoles({ store: store.accounts, roleStore: store.roles, roleRegistry }),
    screenCookieAgain: screens.cookieAgain,
    providers,
  };
  const granting = { ...services, store: store.accounts, publicAddressOf: addressMaker(settings.server.public_url) };
  /** What routes need that do not take it of the services. */
  const groups = {
    invitations: {
      ...granting,
      invitedPasskeys: invitedPasskeysWith({ invitations, hasher }),
      beginSession: invitedSessions(services),
      hasOwnLogin: auth.enabled,
    },
    screens: {
      ...granting,
      ...grants,
      screens,
      pairing: createPairing({ store, clock, codeMakers, screenLimiter }),
      grantUses,
    },
    tokens: { ...services, roles, grantUses },
    links: {
      ...granting,
      store,
      links,
      grantUses,
      longest: settings.links.max_lifetime,
    },
  };
  return {
    services,
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

/** Second factors and passkeys (SPEC 12). */
function factorsUnder({ auth, server }: Settings, lasting: Lasting) {
  const { clock, challenges, sealer, passkeyUserKey: userKey } = lasting;
  const { secondFactor: store, accounts, invitations: invitationStore } = lasting.store;
  const site = relyingPartyOf(server.public_url);
  const factorDeps = { store, sealer, clock, mode: auth.second_factor };
  const trusted = new Set(auth.oidc.filter((one) => one.second_factor === 'provider').map(({ name }) => name));
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

/** Accounts of Postern's own alone have rights that are known without a request of theirs. */
const viewedIn =
  ({ store, credentials, clock }: Lasting, owesFactor: CallerRules['owesFactor']): FindViewed =>
  async (by, name) => {
    const user = await store.accounts.findUser(name);
    if (!user) return undefined;
    const rules = { roles: await credentials.roleRegistry.active(), now: unixSeconds(clock), owesFactor };
    return { ...personOf(user, rules), credential: { kind: 'view-as', by } };
  };

const sessionsUnder = (
  settings: Settings,
  { sessionOwes }: SecondFactor,
  { store, key, clock, credentials }: Lasting,
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
    providerSessions: providerSessionsOf(settings, { store, clock }),
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

/** The configuration was checked: what does not parse cannot come here. */
function clausesOf(text: string | null): readonly Clause[] {
  const parsed = text === null ? undefined : parseRateLimit(text);
  return parsed?.ok ? parsed.value : [];
}

/** The caller as of now; undefined when the session or token has ended. */
type Recheck = (caller: Caller) => Promise<Caller | undefined>;

/** A credential of the other mode is refused: accounts and a proxy's headers are never trusted together. */
function createRecheck(
  hasAccounts: boolean,
  sessions: Sessions,
  { tokens, roleRegistry, behindCurtain }: Pick<Credentials, 'tokens' | 'roleRegistry' | 'behindCurtain'>,
  now: () => number,
  { links, screens }: { readonly links: Pick<Links, 'recheck'>; readonly screens: Pick<Screens, 'recheck'> },
  findViewed: FindViewed | undefined,
): Recheck {
  const recheckSession: Recheck = async (caller) => (hasAccounts ? sessions.recheck(caller) : undefined);
  const beforeCurtain: Recheck = async (caller) => {
    switch (caller.credential.kind) {
      case 'session':
        return recheckSession(caller);
      case 'api-token':
        return caller.credential.session ? recheckSession(caller) : tokens.recheck(caller);
      case 'link':
        return links.recheck(caller);
      case 'screen':
        return screens.recheck(caller);
      case 'proxy-headers':
        // What the proxy said of the user holds as long as its token; what the role may see may have changed.
        return hasAccounts || (caller.credential.expiresAt ?? Number.POSITIVE_INFINITY) <= now()
          ? undefined
          : ofProxy(caller, rightsOfRoles(rolesOf(caller), await roleRegistry.active(), now()));
      case 'internal-listener':
        return caller;
      case 'command-line':
        return undefined;
      case 'view-as': {
        const by = await beforeCurtain(caller.credential.by);
        return by && !by.closed && !by.mustEnrol && mayView(by) ? findViewed?.(by, caller.name) : undefined;
      }
    }
  };
  return async (caller) => {
    const now = await beforeCurtain(caller);
    return now && behindCurtain(now);
  };
}

const rolesOf = ({ role, roles = [role] }: Caller): readonly Role[] => roles;

/** Nothing of the rights of before is left. */
const ofProxy = ({ name, credential, roles }: Caller, rights: Rights): Caller => ({
  name,
  credential,
  ...rights,
  ...(roles && { roles }),
});
