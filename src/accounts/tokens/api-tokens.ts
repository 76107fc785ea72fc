/** API tokens: `pst_<id>_<secret>`, with at most the rights that their owner has now (SPEC 4.4, 11). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';
import type { Caller, Rights } from '../../domain/caller.ts';
import { bothScopes, type CameraScope, NO_CAMERAS, scopeOf } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, VIEWER } from '../../domain/names.ts';
import { bothRights, grantOf, heldBy, rightsOfRole, rightsOfUser } from '../../domain/rights/rights.ts';
import type { ActiveRoles } from '../../domain/rights/role-limits.ts';
import type { ApiTokenVerdict } from '../../domain/verdict.ts';
import { createStoreGrace, type StoreGrace } from '../sessions/store-grace.ts';

export interface ApiTokenDeps {
  readonly tokenStore: Pick<ApiTokenStore, 'findToken'>;
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly clock: Clock;
  readonly roles: () => ActiveRoles | Promise<ActiveRoles>;
  /** `auth.enabled`. */
  readonly authEnabled: boolean;
  /** The version of the accounts, as for sessions: without it tokens are read anew for each request. */
  readonly accountsVersion?: () => string;
  readonly grace?: StoreGrace;
}

export type CarriedBy = 'bearer' | 'basic' | 'cookie';

export interface ApiTokens {
  verify(text: string, carriedBy: CarriedBy): Promise<ApiTokenVerdict>;
  /** The caller with the rights of now; undefined when the token is no longer valid. */
  recheck(caller: Caller): Promise<Caller | undefined>;
  /** What the token is worth now, whoever sends it: for the sessions that were begun with it. */
  callerNow(tokenId: string): Promise<Caller | undefined>;
}

interface TokenState {
  readonly token: ApiToken | undefined;
  readonly owner: User | undefined;
}

const TOKEN = /^pst_(?<id>[0-9a-f]{16})_(?<secret>[0-9a-f]{64})$/;
const ID_BYTES = 8;
const SECRET_BYTES = 32;
const REMEMBERED_TOKENS = 5000;

/** A new token's text, to be shown once, and what is kept of it. */
export function newTokenText(): { readonly text: string; readonly id: string; readonly secretHash: string } {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { text: `pst_${id}_${secret}`, id, secretHash: digestOf(secret).toString('hex') };
}

/** Which roles a caller may give to a token: an admin any, a viewer any but admin, a custom role only itself. */
export const mayGive = (own: Role, wanted: Role): boolean =>
  own === wanted || own === ADMIN || (own === VIEWER && wanted !== ADMIN);

export function createApiTokens(deps: ApiTokenDeps): ApiTokens {
  const { tokenStore, store, clock, roles, accountsVersion, authEnabled } = deps;
  const { grace = createStoreGrace({ version: accountsVersion }) } = deps;
  // Unknown ids are not remembered: they would evict real tokens.
  const remembered = grace.memory<TokenState>(REMEMBERED_TOKENS, {
    rowsOf: (id, { token }) => [`api_tokens ${id}`, `users ${token?.user}`],
    isKept: ({ token }) => token !== undefined,
  });

  const read = async (id: string): Promise<TokenState> => {
    const token = await tokenStore.findToken(id);
    const owner = token && token.userCreatedAt !== null ? await store.findUser(token.user) : undefined;
    return { token, owner };
  };
  const stateOf = (id: string): MaybePromise<TokenState> => remembered(id, () => read(id));

  const callerOf = async (token: ApiToken, owner: User | undefined, carriedBy: CarriedBy): Promise<Caller> => {
    const rights = rightsOfToken(token, owner, await roles(), unixSeconds(clock));
    const end = token.expiresAt === null ? {} : { expiresAt: token.expiresAt };
    const manages = token.managesAccounts ? ({ managesAccounts: true } as const) : {};
    const logsIn = token.logsIn && { logsIn: true as const };
    const isForCurtain = token.isForCurtain && { isForCurtain: true as const };
    const more = { ...manages, ...logsIn, ...isForCurtain, ...end };
    const credential = { kind: 'api-token', tokenId: token.id, carriedBy, ...more } as const;
    return { name: token.user, ...rights, credential };
  };

  const callerNow = async (id: string, carriedBy: CarriedBy = 'bearer'): Promise<Caller | undefined> => {
    const { token, owner } = await stateOf(id);
    if (!token || faultOfToken(token, owner, authEnabled, unixSeconds(clock))) return undefined;
    return callerOf(token, owner, carriedBy);
  };

  return {
    async verify(text, carriedBy) {
      const { id, secret } = TOKEN.exec(text)?.groups ?? {};
      if (id === undefined || secret === undefined) return { kind: 'invalid', reason: 'malformed' };
      const { token, owner } = await stateOf(id);
      // For an unknown id the digest is compared too, with one that no secret has: both cost the same time.
      const expected = token ? Buffer.from(token.secretHash, 'hex') : NOTHING;
      if (!timingSafeEqual(digestOf(secret), expected) || !token) return { kind: 'invalid', reason: 'unknown' };
      const fault = faultOfToken(token, owner, authEnabled, unixSeconds(clock));
      if (fault) return { kind: 'invalid', reason: fault };
      return { kind: 'valid', caller: await callerOf(token, owner, carriedBy) };
    },
    recheck: async ({ credential }) =>
      credential.kind === 'api-token' ? callerNow(credential.tokenId, credential.carriedBy) : undefined,
    callerNow: (tokenId) => callerNow(tokenId),
  };
}

const NOTHING = Buffer.alloc(32);

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * A user made again under the same name is another user. A token of a proxy's user counts only while a proxy says who
 * its users are: with accounts of its own, Postern does not know that user, and cannot end the token with the account.
 */
export function faultOfToken(
  { expiresAt, userCreatedAt }: ApiToken,
  owner: User | undefined,
  authEnabled: boolean,
  now: number,
): 'expired' | 'user-gone' | undefined {
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  const isKnown = userCreatedAt === null ? !authEnabled : owner?.createdAt === userCreatedAt;
  return isKnown ? undefined : 'user-gone';
}

/**
 * A token loses rights together with its owner and gains none: the cameras, denials, hours and history of both count. When
 * the owner's role shrank, it is the owner's. A token of a proxy's user has no owner here.
 */
export function rightsOfToken(token: ApiToken, owner: User | undefined, roles: ActiveRoles, now: number): Rights {
  const given = rightsOfRole(token.role, roles, now, owner && grantOf(owner));
  const narrowed = { ...given, scope: scopeOfToken(token, given.scope) };
  if (!owner) return narrowed;
  const both = bothRights(narrowed, rightsOfUser(owner, roles, now));
  return heldBy(owner).some((role) => mayGive(role, token.role)) ? both : { ...both, role: owner.role };
}

/** One that was made for the curtain sees no camera, whatever its owner sees. */
function scopeOfToken({ cameras, isForCurtain }: ApiToken, given: CameraScope): CameraScope {
  if (isForCurtain) return NO_CAMERAS;
  return cameras === null ? given : bothScopes(given, scopeOf(cameras));
}
