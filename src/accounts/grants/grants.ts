/**
 * Grants: API tokens, links and screens. Each is a secret of 256 bits of which the store has the digest, made by a person, worth at most
 * what its maker is worth now, with an end and a revocation that act on the next request (SPEC 4.4, 13, 18).
 */
import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { User } from '../../domain/accounts/account.ts';
import type { LinkMaker } from '../../domain/accounts/link.ts';
import type { MaybePromise } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import { type Caller, isAdministrator, type Verdict } from '../../domain/caller.ts';
import { NO_CAMERAS } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import { type ActiveRoles, heldBy, rightsOfRole, rightsOfUser } from '../../domain/rights.ts';
import type { Store } from '../../store/open-store.ts';
import { Refused } from '../http/kernel.ts';
import type { LimiterPlace } from '../login/login-limiter.ts';
import type { StoreGrace, StoreMemory } from '../sessions/store-grace.ts';

/** What grants are judged by. */
export interface GrantServices {
  readonly store: Pick<Store, 'accounts' | 'apiTokens' | 'links' | 'screens'>;
  readonly clock: Clock;
  readonly grace: StoreGrace;
  readonly roles: () => MaybePromise<ActiveRoles>;
  /** `auth.enabled`. */
  readonly authEnabled: boolean;
  /** The user must set up a second factor before anything else. */
  readonly owesFactor: (user: User) => boolean;
  /** The caller that an API token stands for now; undefined when it no longer holds. */
  readonly recheckToken: (caller: Caller) => Promise<Caller | undefined>;
}

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const ID_BYTES = 8;
const REMEMBERED = 5000;

export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
/** Names the grant in lists and logs; it opens nothing. */
export const newGrantId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Undefined for a text that is no such secret. A plain hash will do: 256 bits cannot be guessed. */
export const secretHash = (secret: string): string | undefined =>
  SECRET.test(secret) ? hash('sha256', secret, 'base64url') : undefined;

/** A new secret, to be shown once, and what is kept of it. */
export function newGrant(): { readonly id: string; readonly secret: string; readonly secretHash: string } {
  const secret = newSecret();
  return { id: newGrantId(), secret, secretHash: secretHash(secret) ?? '' };
}

/** Grants of a table, remembered by any key. Unknown ones are not: they would evict real ones. */
export const rememberedGrants = <Grant extends { readonly id: string }>(
  table: 'api_tokens' | 'links' | 'screens',
  grace: StoreGrace,
): StoreMemory<Grant | undefined> =>
  grace.memory<Grant | undefined>(REMEMBERED, {
    rowsOf: (_, grant) => [`${table} ${grant?.id}`],
    isKept: (grant) => grant !== undefined,
  });

export const rememberedUsers = ({ grace, store }: Pick<GrantServices, 'grace' | 'store'>) => {
  const users = grace.memory<User | undefined>(REMEMBERED, { rowsOf: (name) => [`users ${name}`] });
  return (name: string): MaybePromise<User | undefined> => users(name, () => store.accounts.findUser(name));
};

/** Whether a grant is over: one whose end this process has seen stays so when the clock is set back. */
export function createEnds(clock: Clock) {
  const ended = new LRUCache<string, true>(upTo(REMEMBERED));
  return (id: string, endsAt: number | null): boolean => {
    if (endsAt !== null && endsAt <= unixSeconds(clock)) ended.set(id, true);
    return ended.has(id);
  };
}

export type MakerRights = Omit<Caller, 'credential'>;

/** What makers are worth now, and what closes their account or role at the moment. Undefined: the maker is gone. */
export function createMakers(services: GrantServices) {
  const { clock, roles, authEnabled, owesFactor, recheckToken } = services;
  const users = rememberedUsers(services);
  return async (maker: LinkMaker): Promise<MakerRights | undefined> => {
    if (maker.tokenId !== null) return endingWithToken(await recheckToken(tokenCaller(maker, maker.tokenId)));
    const { user: name, userCreatedAt, role } = maker;
    const now = unixSeconds(clock);
    if (userCreatedAt === null) {
      // Nothing here learns what became of a proxy's user; with accounts of its own, Postern knows no such user.
      return authEnabled ? undefined : { name, ...rightsOfRole(role, await roles(), now) };
    }
    const user = await users(name);
    // A user made again under the same name is another user.
    if (!authEnabled || user?.createdAt !== userCreatedAt || owesFactor(user)) return undefined;
    return { name, ...rightsOfUser(user, await roles(), now), ...(user.otherRoles && { roles: heldBy(user) }) };
  };
}

/** What a link shows must end by the clock when its maker's token does: open streams look at it. */
function endingWithToken(caller: Caller | undefined): MakerRights | undefined {
  if (caller?.credential.kind !== 'api-token') return undefined;
  const { expiresAt } = caller.credential;
  if (expiresAt === undefined) return caller;
  return { ...caller, changesAt: Math.min(expiresAt, caller.changesAt ?? Number.POSITIVE_INFINITY) };
}

const tokenCaller = ({ user: name, role }: LinkMaker, tokenId: string): Caller => ({
  name,
  role,
  scope: NO_CAMERAS,
  credential: { kind: 'api-token', tokenId },
});

/** Limits bad secrets by address. A good one passes, however many bad ones come from there: others may be behind the same router. */
export async function limitedWhenBad<Fault>(
  verdict: Verdict<Fault>,
  address: string,
  limiter: { reserve(address: string): MaybePromise<LimiterPlace> },
): Promise<Verdict<Fault | 'limited'>> {
  if (verdict.kind === 'valid') return verdict;
  const place = await limiter.reserve(address);
  if (place.kind !== 'reserved') return { kind: 'invalid', reason: 'limited' };
  place.keep();
  return verdict;
}

/** A refusal that the audit line names by its reason. */
export const unfit = (reason: string, message: string, status = 400): Refused =>
  new Refused(status, message, { recorded: reason });

/** Whether the caller knows, changes and revokes the grants of all users. */
export const seesAllGrants = (caller: Caller): boolean => isAdministrator(caller) && mayManageAccounts(caller);
