/** Second factors of accounts as they are kept (SPEC 12). Times are Unix seconds. */
import type { User } from './account.ts';

export const FACTOR_KINDS = ['totp', 'passkey'] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];

/** `auth.second_factor`: who may have a second factor, and who must. */
export const FACTOR_MODES = ['off', 'optional', 'admins', 'everyone'] as const;
export type FactorMode = (typeof FACTOR_MODES)[number];

/** What a session owes: a factor is to be set up before anything else, or shown at a new login. */
export type FactorOwed = 'nothing' | 'enrolment' | 'login';

/** What a user gets with the first factor. */
export interface FirstFactor {
  /** Random; it becomes the user's `factorEpoch`, so that sessions from before end. */
  readonly epoch: string;
  /** Hashes of the recovery codes. */
  readonly recoveryCodes: readonly string[];
  /** The user when the factor was asked for. With another password or other factors by now, that session is over: nothing is added. */
  readonly known: Pick<User, 'factorEpoch' | 'passwordChangedAt'>;
}

/** A challenge that was signed. Its id is remembered until it is over, so that it counts once. */
export interface SpentChallenge {
  readonly id: string;
  readonly expiresAt: number;
}
