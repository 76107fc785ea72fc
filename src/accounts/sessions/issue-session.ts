/** Issues session tokens: of a new session, or of one that goes on (interface 2.3; SPEC 4.2, 12). */
import { randomUUID } from 'node:crypto';
import type { CryptoKey } from 'jose';
import type { User } from '../../domain/accounts/account.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { loginOf, type SessionAge } from './session-age.ts';
import type { SessionEnds } from './session-ends.ts';
import { signSessionToken } from './session-jwt.ts';
import { type Lasting, secretsDigestOf } from './session-state.ts';

export interface IssuerDeps {
  readonly key: CryptoKey;
  readonly clock: Clock;
  /** Seconds. */
  readonly lifetime: number;
  readonly age: SessionAge;
  readonly ends: SessionEnds;
}

/** A session whose token is issued. Times are Unix seconds. */
export interface BegunSession {
  readonly tokenId: string;
  readonly login: number;
  /** Undefined: the password or a factor was never given in it. */
  readonly proof: number | undefined;
  /** It begins with this token. */
  readonly isNew?: true;
  /** The OpenID Connect provider that it began with. */
  readonly provider?: string | undefined;
  /** The second factor was shown to that provider. */
  readonly hasProviderFactor?: true | undefined;
}

/** The login at a provider by which a session begins. */
export interface SessionOrigin {
  /** The id that the session will have, where it was announced before it begins. */
  readonly sessionId?: string;
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The provider's name of its own session. */
  readonly sid?: string;
  /** The second factor was shown to the provider. */
  readonly hasFactor?: true;
  /** Unix seconds: the person has just proved to be the person there. */
  readonly provenAt?: number;
}

export const begunBy = (session: Lasting): BegunSession => ({
  tokenId: session.tokenId,
  login: loginOf(session),
  proof: session.provenAt,
  provider: session.provider,
  hasProviderFactor: session.hasProviderFactor,
});

/** A session that begins by a provider. `now` in Unix seconds. */
export const begunWith = (
  { sessionId = randomUUID(), provider, hasFactor, provenAt }: SessionOrigin,
  now: number,
): BegunSession => ({
  tokenId: sessionId,
  isNew: true,
  login: now,
  proof: provenAt,
  provider,
  hasProviderFactor: hasFactor,
});

/** The session under another id: what is left of the one with the former id is over. */
export const continuedBy = (session: Lasting): BegunSession => ({ ...begunBy(session), tokenId: randomUUID() });

/** Issues a token. Without `begun` a new session begins, with a proof of this moment. */
export const createIssuer =
  ({ key, clock, lifetime, age, ends }: IssuerDeps) =>
  (user: User, begun?: BegunSession): Promise<string> => {
    const issuedAt = unixSeconds(clock);
    const { tokenId, login, proof, ...by } = begun ?? newSession(issuedAt);
    const authenticatedAt = Math.min(login, issuedAt);
    const expiresAt = Math.min(issuedAt + lifetime, age.endOf({ authenticatedAt, issuedAt }));
    ends.note(tokenId, expiresAt);
    const claims = { userName: user.name, role: user.role, tokenId, secretsDigest: secretsDigestOf(user) };
    const provenAt = proof === undefined ? {} : { provenAt: Math.min(proof, issuedAt) };
    return signSessionToken({ ...claims, issuedAt, expiresAt, authenticatedAt, ...provenAt, ...originOf(by) }, key);
  };

const newSession = (now: number): BegunSession => ({
  tokenId: randomUUID(),
  isNew: true,
  login: now,
  proof: now,
});

const originOf = ({ provider, hasProviderFactor }: Pick<BegunSession, 'provider' | 'hasProviderFactor'>) => ({
  ...(provider !== undefined && { provider }),
  ...(hasProviderFactor && { hasProviderFactor }),
});
