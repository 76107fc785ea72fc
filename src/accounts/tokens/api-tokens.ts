/** API tokens: `pst_<id>_<secret>`, with at most the rights that their owner has now (SPEC 4.4, 11). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Holder } from '../../access/camera-view.ts';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { ApiTokenFault, ApiTokenVerdict, Caller, Rights } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS, toScope } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, VIEWER } from '../../domain/names.ts';
import { rateLimit } from '../../domain/rate-limit.ts';
import { type ActiveRoles, bothRights, grantMoment, heldBy, rightsOfRole, rightsOfUser } from '../../domain/rights.ts';
import type { ApiToken } from '../../store/engine/tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { Audit } from '../audit.ts';
import { type GrantServices, type GrantUses, limitedWhenBad, newGrantId } from '../grants/grants.ts';
import { createLoginLimiter, type LimiterPlace, type MemoryLimiter } from '../login/login-limiter.ts';
import { isFactorRequired } from '../second-factor/second-factor.ts';

export type CarriedBy = 'bearer' | 'basic' | 'cookie';

const TOKEN = /^pst_(?<id>[0-9a-f]{16})_(?<secret>[0-9a-f]{64})$/;
const SECRET_BYTES = 32;

/** A new token's text, to be shown once, and what is kept of it. */
export function newTokenText(): { readonly text: string; readonly id: string; readonly secretHash: string } {
  const id = newGrantId();
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  return { text: `pst_${id}_${secret}`, id, secretHash: digestSecret(secret).toString('hex') };
}

/** Which roles a caller may give to a token: an admin any, a viewer any but admin, a custom role only itself. */
export const mayGive = (own: Role, wanted: Role): boolean =>
  own === wanted || own === ADMIN || (own === VIEWER && wanted !== ADMIN);

export function createApiTokens({
  grants,
  clock,
  roles,
  authEnabled,
}: Pick<GrantServices, 'grants' | 'clock' | 'roles' | 'authEnabled'>) {
  const stateOf = async (id: string) => {
    const token = await grants.find('api-token', { id });
    const owner = token && token.userCreatedAt !== null ? await grants.user(token.user) : undefined;
    const fault: ApiTokenFault | undefined =
      token && (grants.isOver(token) ? 'expired' : faultOfOwner(token, owner, authEnabled));
    return { token, owner, fault };
  };

  const callerOf = async (token: ApiToken, owner: User | undefined, carriedBy: CarriedBy): Promise<Caller> => {
    const { id: tokenId, user: name, managesAccounts, logsIn, right, expiresAt } = token;
    const own = {
      ...(managesAccounts && { managesAccounts }),
      ...(logsIn && { logsIn }),
      ...(expiresAt !== null && { expiresAt }),
    };
    const rights = rightsOfToken(token, owner, await roles(), unixSeconds(clock));
    return {
      name,
      ...rights,
      ...(right !== undefined && { right }),
      credential: { kind: 'api-token', tokenId, carriedBy, ...own },
    };
  };

  /** What the token is worth now, for every sender: also for the sessions that were begun with it. Undefined: it is no longer valid. */
  const callerNow = async (id: string, carriedBy: CarriedBy = 'bearer'): Promise<Caller | undefined> => {
    const { token, owner, fault } = await stateOf(id);
    return token && !fault ? callerOf(token, owner, carriedBy) : undefined;
  };

  return {
    callerNow,
    async verify(text: string, carriedBy: CarriedBy): Promise<ApiTokenVerdict> {
      const { id, secret } = TOKEN.exec(text)?.groups ?? {};
      if (id === undefined || secret === undefined) return { kind: 'invalid', reason: 'malformed' };
      const { token, owner, fault } = await stateOf(id);
      // For an unknown id the digest is compared too, with one that no secret has: both cost the same time.
      const expected = token ? Buffer.from(token.secretHash, 'hex') : NOTHING;
      if (!timingSafeEqual(digestSecret(secret), expected) || !token) return { kind: 'invalid', reason: 'unknown' };
      if (fault) return { kind: 'invalid', reason: fault };
      return { kind: 'valid', caller: await callerOf(token, owner, carriedBy) };
    },
    /** The caller with the rights of now. */
    recheck: async ({ credential }: Caller): Promise<Caller | undefined> =>
      credential.kind === 'api-token' ? callerNow(credential.tokenId, credential.carriedBy) : undefined,
  };
}

export type ApiTokens = ReturnType<typeof createApiTokens>;

const NOTHING = Buffer.alloc(32);

const digestSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/**
 * A user made again under the same name is another user. A token of a proxy's user counts only while a proxy says who
 * its users are: with accounts of its own, Postern does not know that user, and cannot end the token with the account.
 */
function faultOfOwner(
  { userCreatedAt }: ApiToken,
  owner: User | undefined,
  authEnabled: boolean,
): 'user-gone' | undefined {
  const isKnown = userCreatedAt === null ? !authEnabled : owner?.createdAt === userCreatedAt;
  return isKnown ? undefined : 'user-gone';
}

/**
 * A token loses rights together with its owner and gains none: the cameras, denials, hours and history of both count. When
 * the owner's role shrank, it is the owner's. A token of a proxy's user has no owner here.
 */
export function rightsOfToken(token: ApiToken, owner: User | undefined, roles: ActiveRoles, now: number): Rights {
  const { cameras, right } = token;
  const given = rightsOfRole(token.role, roles, now, owner && grantMoment(owner));
  const scope = cameras === null ? given.scope : bothScopes(given.scope, toScope(cameras));
  // One that was made for a right sees no camera, whatever its owner sees.
  const narrowed = { ...given, scope: right === undefined ? scope : NO_CAMERAS };
  if (!owner) return narrowed;
  const both = bothRights(narrowed, rightsOfUser(owner, roles, now));
  return heldBy(owner).some((role) => mayGive(role, token.role)) ? both : { ...both, role: owner.role };
}

const NAMED = /^pst_(?<id>[0-9a-f]{16})_/;

/** Limits the log lines of a broken client. It is no defence: a secret of 256 bits cannot be guessed. */
export const createTokenLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: rateLimit('10/minute'), clock });

/** Notes the use of good tokens, and limits bad ones by address, apart from logins: a broken client must not block those. */
export function createTokenVerifier({
  tokens,
  grantUses,
  tokenLimiter,
  audit,
}: {
  readonly tokens: Pick<ApiTokens, 'verify'>;
  readonly grantUses: Pick<GrantUses, 'note'>;
  readonly tokenLimiter: { reserve(address: string): MaybePromise<LimiterPlace> };
  readonly audit: Audit;
}) {
  /** Judges for a login, which limits and records bad ones itself. `address` is the client's. */
  const judge = async (text: string, address: string, carriedBy: CarriedBy = 'bearer'): Promise<ApiTokenVerdict> => {
    const verdict = await tokens.verify(text, carriedBy);
    if (verdict.kind === 'valid' && verdict.caller.credential.kind === 'api-token')
      grantUses.note(verdict.caller.credential.tokenId, address);
    return verdict;
  };
  return {
    judge,
    async verify(text: string, carriedBy: CarriedBy, address: string): Promise<ApiTokenVerdict> {
      const verdict = await limitedWhenBad(await judge(text, address, carriedBy), address, tokenLimiter);
      if (verdict.kind === 'valid' || verdict.reason === 'limited') return verdict;
      const tokenId = NAMED.exec(text)?.groups?.['id'];
      const what = { what: 'token-refused', who: undefined, from: address, verdict: 'refused' } as const;
      audit({ ...what, reason: verdict.reason, ...(tokenId !== undefined && { tokenId }) });
      return verdict;
    },
  };
}

interface HolderSources {
  readonly store: Pick<Store, 'accounts' | 'grants'>;
  readonly auth: Pick<Settings['auth'], 'enabled' | 'second_factor'>;
  readonly roles: ActiveRoles;
  readonly subtract: Services['subtract'];
  /** Unix seconds. */
  readonly now: number;
}

/** Who holds rights: the accounts, and the API tokens that still hold, with what they are worth at this moment (SPEC 15). */
export async function holdersIn({ store, auth, roles, now, subtract }: HolderSources): Promise<readonly Holder[]> {
  const [users, tokens] = await Promise.all([store.accounts.listUsers(), store.grants.list('api-token')]);
  const owners = new Map(users.map((user) => [user.name, user]));
  const held = tokens
    .map((token) => ({ token, owner: token.userCreatedAt === null ? undefined : owners.get(token.user) }))
    .filter(({ token, owner }) => (token.expiresAt ?? now + 1) > now && !faultOfOwner(token, owner, auth.enabled));
  return Promise.all([
    ...users.map(async (user): Promise<Holder> => {
      const owesFactor = auth.enabled && !user.hasFactor && isFactorRequired(auth.second_factor, user.role);
      const held = { ...rightsOfUser(user, roles, now), roles: heldBy(user) };
      const rights = await subtract(held);
      return { kind: 'user', name: user.name, rights, ...(owesFactor && { mustEnrol: true }) };
    }),
    ...held.map(async ({ token, owner }): Promise<Holder> => {
      const rights = await subtract(rightsOfToken(token, owner, roles, now));
      return { kind: 'token', name: token.name, owner: token.user, rights };
    }),
  ]);
}
