/** Opens roles, API tokens and the list of sessions on the store, and deletes what has expired (SPEC 4.2 to 4.4). */
import type { Logger } from 'pino';
import { behindLatest } from '../../access/curtain.ts';
import { type Audit, BY_CONFIGURATION } from '../../accounts/audit.ts';
import { createCurtainRegistry } from '../../accounts/curtain/curtain.ts';
import { createGrantMemory, createGrantUses } from '../../accounts/grants/grants.ts';
import { createLoginLimiter } from '../../accounts/login/login-limiter.ts';
import { createHashCosts } from '../../accounts/passwords/password-hash.ts';
import { createRoleRegistry } from '../../accounts/roles/roles.ts';
import { createScreenLimiter } from '../../accounts/screens/screens.ts';
import { createSeenSessions } from '../../accounts/sessions/seen-sessions.ts';
import { createStoreGrace } from '../../accounts/sessions/store-grace.ts';
import { createApiTokens, createTokenVerifier } from '../../accounts/tokens/api-tokens.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type Clock, type DeletionGuard, hourly, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, VIEWER } from '../../domain/names.ts';
import { type Clause, parseRateLimit } from '../../domain/rate-limit.ts';
import type { ActiveRoles } from '../../domain/rights.ts';
import type { Store } from '../../store/open-store.ts';

export type Credentials = Awaited<ReturnType<typeof openCredentials>>;

export interface CredentialDeps {
  readonly store: Store;
  /** The digest of the key that sessions are signed with. */
  readonly keyId: string;
  /** Those of the configuration. */
  readonly fixedRoles: ActiveRoles;
  /** `server.site`, which changes at a start only. */
  readonly site?: string | undefined;
  /** `auth.enabled`, which changes at a start only. */
  readonly authEnabled: boolean;
  readonly clock: Clock;
  /** One that is never set. */
  readonly steadyClock: Clock;
  /** `store.grace`; 0 for a store that is a file. */
  readonly graceSeconds: number;
  /** Whether what is over may be deleted now. */
  readonly mayDelete: DeletionGuard;
  readonly audit: Audit;
  readonly log: Logger;
  /** A client that sent bad tokens was forgotten because the limiter is full. */
}

/** Limits the log lines of a broken client. It is no defence: a secret of 256 bits cannot be guessed. */
const BAD_TOKENS = '10/minute';
/** A display makes one in ten minutes, and another one when its page is loaded again. */
const CODE_CLAUSES: readonly Clause[] = [
  { count: 10, windowSeconds: 60, text: '10/minute' },
  { count: 60, windowSeconds: 3600, text: '60/hour' },
];

export async function openCredentials(deps: CredentialDeps) {
  const { store, keyId, fixedRoles, authEnabled, clock, steadyClock, audit, log } = deps;
  const listeners: ((roles: CustomRoles) => void)[] = [];
  const onChange = (roles: CustomRoles): void => {
    for (const tell of listeners) tell(roles);
  };
  const { version, heard } = store;
  const grace = createStoreGrace({ version, heard, clock: steadyClock, seconds: deps.graceSeconds });
  const roleRegistry = createRoleRegistry({ store: store.roles, fixed: fixedRoles, grace, onChange });
  await roleRegistry.latest();
  // Every request needs the roles: they are read again at once, so that a store that goes away then leaves them known.
  heard?.watch('custom_roles', () => void Promise.resolve(roleRegistry.latest()).catch(() => {}));
  const curtain = createCurtainRegistry({ store: store.curtain, grace, heard });
  await curtain.latest();
  heard?.watch('curtain', () => void Promise.resolve(curtain.latest()).catch(() => {}));
  const onFault = (fault: unknown): void =>
    log.warn(
      { err: fault },
      'the last use of sessions, API tokens and screens could not be written, so the lists show older times: check the store',
    );
  const grants = createGrantMemory({ store, clock, grace });
  const grantUses = createGrantUses({ store, clock }, onFault);
  const tokens = createApiTokens({ grants, clock, roles: roleRegistry.active, authEnabled });
  const clauses = parseRateLimit(BAD_TOKENS);
  const tokenLimiter = createLoginLimiter({
    clauses: clauses.ok ? clauses.value : [],
    clock: steadyClock,
  });
  const tokenVerifier = createTokenVerifier({ tokens, grantUses, tokenLimiter, audit });
  const codeMakers = createLoginLimiter({ clauses: CODE_CLAUSES, clock: steadyClock });
  const seenSessions = createSeenSessions({ store: store.sessions, keyId, clock, onFault });
  const tidy = async (): Promise<void> => {
    if (!deps.mayDelete()) return;
    await deleteExpired(deps).catch((fault) =>
      log.warn({ err: fault }, 'expired sessions and revocations could not be deleted from the store: retrying in 1 h'),
    );
  };
  await store.sessions.forgetSessionsUnlessSignedWith(keyId);
  const stopTidying = hourly(tidy);
  return {
    roleRegistry,
    curtain,
    /** The caller, account or token without the cameras that are drawn for it now. */
    behindCurtain: behindLatest(curtain.latest, () => unixSeconds(clock)),
    /** Remembers what the store says of callers. */
    grace,
    tokens,
    tokenVerifier,
    seenSessions,
    grants,
    grantUses,
    screenLimiter: createScreenLimiter(steadyClock),
    /** The limiter of codes that pair displays, by address. */
    codeMakers,
    /** What a wrong password costs: as much as with the hashes that the store has. */
    hashCosts: createHashCosts(store.accounts, version),
    /** Called when the custom roles have changed, by whomever. */
    onRoles: (tell: (roles: CustomRoles) => void) => void listeners.push(tell),
    /**
     * SPEC 4.3: a role that was taken out of the file makes viewers of its users. `before`: the roles of this site's file until
     * now. With `server.site` no other role counts as gone, nor one that the file of another site has.
     */
    async demoteWhoseRoleIsGone(before: readonly Role[]): Promise<void> {
      const roles = await roleRegistry.latest();
      if (deps.site === undefined) return demote(deps, roles);
      const others = (await store.sites.listSites()).filter(({ site }) => site !== deps.site);
      const gone = before.filter((role) => !roles.has(role) && !others.some((site) => site.roles.includes(role)));
      if (gone.length > 0) await demote(deps, roles, gone);
    },
    async close() {
      stopTidying();
      await Promise.all([seenSessions.close(), grantUses.close()]);
    },
  };
}

async function demote(
  { store, audit, log }: CredentialDeps,
  roles: CustomRoles,
  among?: readonly Role[],
): Promise<void> {
  const demoted = await store.accounts.demoteUnknownRoles([ADMIN, VIEWER, ...roles.keys()], among);
  for (const user of demoted) {
    log.warn(
      { user },
      'the role of this user is no longer in auth.roles, so the user is now a viewer: give the user another role if that is wrong',
    );
    audit({
      what: 'role-changed',
      who: undefined,
      from: BY_CONFIGURATION,
      verdict: 'allowed',
      reason: 'role-gone',
      user,
    });
  }
}

/** The time for which the account of a guest is kept after its end. */
const GUEST_KEPT_SECONDS = 30 * 86_400;

async function deleteExpired({ store, clock, audit }: CredentialDeps): Promise<void> {
  const { accounts, grants } = store;
  const now = unixSeconds(clock);
  const forgottenFrom = now - GUEST_KEPT_SECONDS;
  for (const user of await accounts.endedBefore(forgottenFrom)) {
    const outcome = await accounts.deleteUser(user, { endedBefore: forgottenFrom, at: now });
    const act = { what: 'user-deleted', who: undefined, from: BY_CONFIGURATION, user } as const;
    if (outcome === 'deleted') audit({ ...act, verdict: 'allowed', reason: 'guest-over' });
  }
  await accounts.forgetEnded(now);
  await grants.forgetEnded(now);
}
