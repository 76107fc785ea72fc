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
  /** Called when a token of a session that goes on is signed. */
  readonly onRenewed?: (() => void) | undefined;
}

/** A session that goes on. Times are Unix seconds. */
export interface BegunSession {
  readonly tokenId: string;
  readonly login: number;
  /** Undefined: the password or a factor was never given in it. */
  readonly proof: number | undefined;
}

export const begunBy = (session: Lasting): BegunSession => ({
  tokenId: session.tokenId,
  login: loginOf(session),
  proof: session.provenAt,
});

/** The session under another id: what is left of the one with the former id is over. */
export const continuedBy = (session: Lasting): BegunSession => ({ ...begunBy(session), tokenId: randomUUID() });

/** Issues a token. Without `begun` a new session begins, with a proof of this moment. */
export const createIssuer =
  ({ key, clock, lifetime, age, ends, onRenewed }: IssuerDeps) =>
  (user: User, begun?: BegunSession): Promise<string> => {
    const issuedAt = unixSeconds(clock);
    const { tokenId, login, proof } = begun ?? { tokenId: randomUUID(), login: issuedAt, proof: issuedAt };
    const authenticatedAt = Math.min(login, issuedAt);
    const expiresAt = Math.min(issuedAt + lifetime, age.endOf({ authenticatedAt, issuedAt }));
    ends.note(tokenId, expiresAt);
    if (begun) onRenewed?.();
    const claims = { userName: user.name, role: user.role, tokenId, secretsDigest: secretsDigestOf(user) };
    const provenAt = proof === undefined ? {} : { provenAt: Math.min(proof, issuedAt) };
    return signSessionToken({ ...claims, issuedAt, expiresAt, authenticatedAt, ...provenAt }, key);
  };
