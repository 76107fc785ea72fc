/** API tokens: `pst_<id>_<secret>`, with at most the rights that their owner has now (SPEC 4.4, 11). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { User } from '../../domain/accounts/account.ts';
import type { ApiToken, TokenUse } from '../../domain/accounts/api-token.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { ApiTokenVerdict, Caller, Rights } from '../../domain/caller.ts';
import { bothScopes, type CameraScope, NO_CAMERAS, scopeOf } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, VIEWER } from '../../domain/names.ts';
import { type ActiveRoles, bothRights, grantOf, heldBy, rightsOfRole, rightsOfUser } from '../../domain/rights.ts';
import type { Audit } from '../audit.ts';
import { createCoalescedWrites } from '../coalesced-writes.ts';
import { type GrantServices, limitedWhenBad, newGrantId, rememberedGrants, rememberedUsers } from '../grants/grants.ts';
import type { LimiterPlace } from '../login/login-limiter.ts';

export type CarriedBy = 'bearer' | 'basic' | 'cookie';

export interface ApiTokens {
  verify(text: string, carriedBy: CarriedBy): Promise<ApiTokenVerdict>;
  /** The caller with the rights of now; undefined when the token is no longer valid. */
  recheck(caller: Caller): Promise<Caller | undefined>;
  /** What the token is worth now, whoever sends it: for the sessions that were begun with it. */
  callerNow(tokenId: string): Promise<Caller | undefined>;
}

const TOKEN = /^pst_(?<id>[0-9a-f]{16})_(?<secret>[0-9a-f]{64})$/;
const SECRET_BYTES = 32;

/** A new token's text, to be shown once, and what is kept of it. */
export function newTokenText(): { readonly text: string; readonly id: string; readonly secretHash: string } {
  const id = newGrantId();
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { text: `pst_${id}_${secret}`, id, secretHash: digestOf(secret).toString('hex') };
}

/** Which roles a caller may give to a token: an admin any, a viewer any but admin, a custom role only itself. */
export const mayGive = (own: Role, wanted: Role): boolean =>
  own === wanted || own === ADMIN || (own === VIEWER && wanted !== ADMIN);

export function createApiTokens(
  services: Pick<GrantServices, 'store' | 'clock' | 'roles' | 'authEnabled' | 'grace'>,
): ApiTokens {
  const { store, clock, roles, authEnabled, grace } = services;
  const tokens = rememberedGrants<ApiToken>('api_tokens', grace);
  const users = rememberedUsers(services);
  const stateOf = async (id: string) => {
    const token = await tokens(id, () => store.apiTokens.findToken(id));
    const owner = token && token.userCreatedAt !== null ? await users(token.user) : undefined;
    return { token, owner };
  };

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

export interface TokenVerifier {
  /** `address` is the client's. */
  verify(text: string, carriedBy: CarriedBy, address: string): Promise<ApiTokenVerdict>;
  /** The same for a login, which limits and records bad ones itself. */
  judge(text: string, address: string): Promise<ApiTokenVerdict>;
  /** Writes the uses that wait. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const NAMED = /^pst_(?<id>[0-9a-f]{16})_/;

/** Notes the use of good tokens, and limits bad ones by address, apart from logins: a broken client must not block those. */
export function createTokenVerifier({
  tokens,
  store,
  tokenLimiter,
  clock,
  audit,
  onFault,
}: Pick<GrantServices, 'store' | 'clock'> & {
  readonly tokens: Pick<ApiTokens, 'verify'>;
  readonly tokenLimiter: { reserve(address: string): MaybePromise<LimiterPlace> };
  readonly audit: Audit;
  readonly onFault: (fault: unknown) => void;
}): TokenVerifier {
  const uses = createCoalescedWrites<TokenUse>({ write: store.apiTokens.noteTokenUses, clock, onFault });
  const judge = async (text: string, carriedBy: CarriedBy, address: string): Promise<ApiTokenVerdict> => {
    const verdict = await tokens.verify(text, carriedBy);
    if (verdict.kind === 'valid' && verdict.caller.credential.kind === 'api-token') {
      const { tokenId: id } = verdict.caller.credential;
      uses.note(id, () => ({ id, at: unixSeconds(clock), from: address }));
    }
    return verdict;
  };
  return {
    flush: uses.flush,
    close: uses.close,
    async verify(text, carriedBy, address) {
      const verdict = await limitedWhenBad(await judge(text, carriedBy, address), address, tokenLimiter);
      if (verdict.kind === 'valid' || verdict.reason === 'limited') return verdict;
      const tokenId = NAMED.exec(text)?.groups?.['id'];
      const what = { what: 'token-refused', who: undefined, from: address, verdict: 'refused' } as const;
      audit({ ...what, reason: verdict.reason, ...(tokenId !== undefined && { tokenId }) });
      return verdict;
    },
    judge: (text, address) => judge(text, 'bearer', address),
  };
}
