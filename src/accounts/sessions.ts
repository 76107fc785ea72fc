/** Sessions: a token is worth what its user is worth now (interface 5.1; SPEC 4.2). */
import { createHash, randomUUID } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { AccountStore, User } from '../domain/account.ts';
import type { Caller } from '../domain/caller.ts';
import { type CustomRoles, scopeOfRole } from '../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import type { SessionFault, SessionVerdict } from '../domain/verdict.ts';
import { saltOf } from './password.ts';
import { type CookieClient, type CookieSettings, cookieLine } from './session-cookie.ts';
import { readSessionToken, type SessionClaims, signSessionToken, timeFault } from './session-token.ts';

export interface SessionParts {
  readonly store: Pick<AccountStore, 'findUser' | 'isRevoked' | 'revokeToken'>;
  readonly key: CryptoKey;
  readonly clock: Clock;
  readonly roles: () => CustomRoles;
  /** Seconds; 0 asks for a login on nearly every access (interface 5.1.4). */
  readonly sessionLength: number;
  /** Seconds before its end in which a session is renewed by any request. */
  readonly refreshTime: number;
  readonly cookie: CookieSettings;
  /**
   * A text that changes with every change of accounts or revocations, by this process or another. Without it they
   * are read anew for each request.
   */
  readonly accountsVersion?: () => string;
}

export interface Sessions {
  verify(token: string, carriedBy: 'cookie' | 'bearer'): Promise<SessionVerdict>;
  issue(user: User): Promise<string>;
  /** A fresh token for a session carried by cookie that is near its end; undefined when there is nothing to renew. */
  renewalFor(caller: Caller): Promise<string | undefined>;
  /** The same for `/auth`, at any time in a session's life (interface 5.1.5). */
  renew(caller: Caller): Promise<string | undefined>;
  /** Logout: the token is void from here on. Nothing happens to other kinds of credentials. */
  end(caller: Caller): Promise<void>;
  cookieFor(token: string, client: CookieClient): string;
  clearedCookie(client: CookieClient): string;
}

/** What the store says about a token: read once for each version of the accounts. */
interface Standing {
  readonly version: string | undefined;
  readonly user: User | undefined;
  readonly isRevoked: boolean;
}

/** Facts, section 7: `session_length: 0` still needs tokens that live long enough to be sent back. */
const SHORTEST_SESSION = 10;
const REMEMBERED_TOKENS = 5000;

export function createSessions(parts: SessionParts): Sessions {
  const { store, key, clock, cookie } = parts;
  const isRenewable = parts.sessionLength !== 0;
  const lifetime = isRenewable ? parts.sessionLength : SHORTEST_SESSION;
  // A window as long as the session would renew it with every request, for ever.
  const window = Math.min(parts.refreshTime, Math.floor(lifetime / 2));
  const signed = new LRUCache<string, SessionClaims>({ max: REMEMBERED_TOKENS });
  const standings = new LRUCache<string, Standing>({ max: REMEMBERED_TOKENS });

  const standingOf = async ({ userName, tokenId }: SessionClaims): Promise<Standing> => {
    const version = parts.accountsVersion?.();
    const remembered = standings.get(`${userName} ${tokenId}`);
    if (remembered && version !== undefined && remembered.version === version) return remembered;
    const [user, isRevoked] = await Promise.all([store.findUser(userName), store.isRevoked(tokenId)]);
    const standing = { version, user, isRevoked };
    standings.set(`${userName} ${tokenId}`, standing);
    return standing;
  };

  const read = async (token: string): Promise<ReturnType<typeof readSessionToken>> => {
    const digest = createHash('sha256').update(token).digest('base64url');
    const known = signed.get(digest);
    if (known) return { ok: true, value: known };
    const claims = await readSessionToken(token, key);
    if (claims.ok) signed.set(digest, claims.value);
    return claims;
  };

  const issue = (user: User): Promise<string> => {
    const issuedAt = Math.max(unixSeconds(clock), Math.floor(user.createdAt), Math.floor(user.passwordChangedAt ?? 0));
    const times = { issuedAt, expiresAt: issuedAt + lifetime };
    const claims = { userName: user.name, role: user.role, tokenId: randomUUID(), generation: generationOf(user) };
    return signSessionToken({ ...claims, ...times }, key);
  };

  const renew = async (caller: Caller): Promise<string | undefined> => {
    const { credential } = caller;
    if (!isRenewable || credential.kind !== 'session' || credential.carriedBy !== 'cookie') return undefined;
    const user = await store.findUser(caller.name);
    return user && issue(user);
  };

  return {
    issue,
    renew,
    async verify(token, carriedBy) {
      const claims = await read(token);
      if (!claims.ok) return { kind: 'invalid', reason: claims.error };
      const late = timeFault(claims.value, unixSeconds(clock));
      if (late) return { kind: 'invalid', reason: late };
      const standing = await standingOf(claims.value);
      const user = standing.user;
      const fault = standingFault(claims.value, standing);
      if (fault || !user) return { kind: 'invalid', reason: fault ?? 'user-gone' };
      return { kind: 'valid', caller: callerOf(user, claims.value, carriedBy, parts.roles()) };
    },
    async renewalFor(caller) {
      const { credential } = caller;
      if (credential.kind !== 'session' || credential.expiresAt - unixSeconds(clock) > window) return undefined;
      return renew(caller);
    },
    async end({ credential }) {
      if (credential.kind === 'session') await store.revokeToken(credential.tokenId, credential.expiresAt);
    },
    cookieFor: (token, client) => cookieLine(cookie, token, lifetime, client),
    clearedCookie: (client) => cookieLine(cookie, '', 0, client),
  };
}

/** The role is the user's role now, whatever the token says (SPEC 11). */
const callerOf = (user: User, claims: SessionClaims, carriedBy: 'cookie' | 'bearer', roles: CustomRoles): Caller => ({
  name: user.name,
  role: user.role,
  scope: scopeOfRole(user.role, roles),
  credential: {
    kind: 'session',
    tokenId: claims.tokenId,
    issuedAt: claims.issuedAt,
    expiresAt: claims.expiresAt,
    carriedBy,
  },
});

function standingFault(claims: SessionClaims, { user, isRevoked }: Standing): SessionFault | undefined {
  if (isRevoked) return 'revoked';
  if (!user || claims.issuedAt < Math.floor(user.createdAt)) return 'user-gone';
  if (claims.issuedAt < Math.floor(user.passwordChangedAt ?? 0)) return 'password-changed';
  const isOfThisPassword = claims.generation === undefined || claims.generation === generationOf(user);
  return isOfThisPassword ? undefined : 'password-changed';
}

/**
 * Times tell passwords apart by the second; the salt does so exactly, and tells apart two users of one name as well.
 * It is new with each password, and stays when a hash is strengthened. Only its digest leaves the house.
 */
const generationOf = ({ passwordHash }: User): string =>
  createHash('sha256').update(saltOf(passwordHash)).digest('base64url').slice(0, GENERATION_CHARACTERS);

const GENERATION_CHARACTERS = 16;
