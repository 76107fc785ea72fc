/** Whether a session token still holds, by what the store says of its user (interface 5.1.6; SPEC 4.2, 11). */
import { hash } from 'node:crypto';
import type { User } from '../../domain/accounts/account.ts';
import type { Caller, SessionFault } from '../../domain/caller.ts';
import { type ActiveRoles, heldBy, rightsOfUser } from '../../domain/rights.ts';
import { readSalt } from '../passwords/password-hash.ts';
import type { SessionFacts } from './session-jwt.ts';

/** What the store says about a token. */
export interface SessionState {
  readonly user: User | undefined;
  /** The digest of the user's password and factors; undefined without a user. */
  readonly secretsDigest: string | undefined;
  readonly isRevoked: boolean;
  /** The store cannot be reached: it may have ended the session since. */
  readonly isInGrace?: boolean;
}

/** When the user last proved to be the user. The NVR's tokens, and those of older versions, do not say it. */
export const loginTime = ({ authenticatedAt, issuedAt }: Pick<SessionFacts, 'authenticatedAt' | 'issuedAt'>): number =>
  authenticatedAt ?? issuedAt;

/** What an account is worth now, by whichever credential. */
export const toPerson = (
  user: User,
  {
    roles,
    now,
    owesFactor,
  }: { readonly roles: ActiveRoles; readonly now: number; readonly owesFactor: (user: User) => boolean },
): Omit<Caller, 'credential'> => ({
  name: user.name,
  ...rightsOfUser(user, roles, now),
  ...(user.otherRoles && { roles: heldBy(user) }),
  ...(owesFactor(user) && { mustEnrol: true }),
  ...(user.validUntil !== undefined && { isGuest: true }),
  ...(user.passwordIsGenerated && { hasGeneratedPassword: true }),
});

/**
 * Why a token is void, if it is. `secretsDigest` names the password exactly; the second of the last change decides only
 * for tokens of the NVR, which have none. So a password or an account from a time when the clock was
 * ahead does not lock its user out.
 */
export function sessionStateFault(
  { issuedAt, secretsDigest }: SessionFacts,
  { user, secretsDigest: current, isRevoked }: SessionState,
  now: number,
): SessionFault | undefined {
  if (isRevoked) return 'revoked';
  if (!user || (user.createdAt <= now && issuedAt < Math.floor(user.createdAt))) return 'user-gone';
  if (secretsDigest !== undefined) return secretsDigest === current ? undefined : 'password-changed';
  // The NVR knows nothing of second factors: a token of its own was got by a password alone.
  if (user.factorEpoch !== undefined) return 'password-changed';
  return issuedAt < Math.floor(user.passwordChangedAt ?? 0) ? 'password-changed' : undefined;
}

/**
 * Times tell passwords apart by the second; the salt does so exactly, and tells apart two users of one name as well.
 * It is new with each password, and stays when a hash is strengthened. The epoch is new when the user gets a second factor:
 * a session of before was begun without it. Tokens carry only their digest.
 */
export const digestSecrets = ({ passwordHash, factorEpoch }: User): string =>
  hash('sha256', `${readSalt(passwordHash)}${factorEpoch === undefined ? '' : ` ${factorEpoch}`}`, 'base64url').slice(
    0,
    DIGEST_CHARACTERS,
  );

const DIGEST_CHARACTERS = 16;
