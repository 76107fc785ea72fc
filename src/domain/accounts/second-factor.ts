/** Second factors of accounts as they are kept, and the interface of their store (SPEC 12). Times are Unix seconds. */
import type { UserName } from '../names.ts';
import type { User } from './account.ts';

export const FACTOR_KINDS = ['totp', 'passkey'] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];

/** `auth.second_factor`: who may have a second factor, and who must. */
export const FACTOR_MODES = ['off', 'optional', 'admins', 'everyone'] as const;
export type FactorMode = (typeof FACTOR_MODES)[number];

/** What a session owes: a factor is to be set up before anything else, or shown at a new login. */
export type FactorOwed = 'nothing' | 'enrolment' | 'login';

/** The secrets are sealed: no store and no backup tells a code. */
export interface TotpRecord {
  /** Undefined until a first code has confirmed it. */
  readonly secret: string | undefined;
  /** The time step of the latest code that was accepted. */
  readonly lastStep: number | undefined;
  /** The secret that waits for its first code. */
  readonly pending: string | undefined;
  readonly pendingUntil: number | undefined;
}

export interface PasskeyRecord {
  /** The credential id, base64url. */
  readonly id: string;
  readonly user: UserName;
  /** The id by which authenticators know the user, base64url: it tells nothing of the name. */
  readonly userHandle: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether the passkey may be synchronised between devices, and whether it is. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** What a user gets with the first factor. */
export interface FirstFactor {
  /** Random; it becomes the user's `factorEpoch`, so that sessions from before end. */
  readonly epoch: string;
  /** Hashes of the recovery codes. */
  readonly recoveryCodes: readonly string[];
  /** The user when the factor was asked for. With another password or other factors by now, that session is over: nothing is added. */
  readonly known: Pick<User, 'factorEpoch' | 'passwordChangedAt'>;
}

export interface UserFactors {
  readonly user: UserName;
  readonly kinds: readonly FactorKind[];
}

/** A challenge that was signed. Its id is remembered until it is over, so that it counts once. */
export interface SpentChallenge {
  readonly id: string;
  readonly expiresAt: number;
}

/** Faults (disk, network) are thrown. Each change is one transaction that uses up its challenge, or changes nothing. */
export interface PasskeyStore {
  listPasskeys(user: UserName): Promise<readonly PasskeyRecord[]>;
  findPasskey(id: string): Promise<PasskeyRecord | undefined>;
  /**
   * `first` counts when the user had no factor until then. `full`: the user has `most` of them already; `taken`: a passkey of
   * that id exists; `gone`: the user does not, or not as `first` knows it.
   */
  addPasskey(
    passkey: PasskeyRecord,
    added: { readonly challenge: SpentChallenge; readonly first: FirstFactor; readonly most: number },
  ): Promise<'first' | 'more' | 'full' | 'taken' | 'spent' | 'gone'>;
  /** `cloned`: the counter was over 0 and has not risen, as that of a copy. Authenticators without a counter stay at 0. */
  usePasskey(
    passkey: Pick<PasskeyRecord, 'id' | 'user'>,
    used: {
      readonly challenge: SpentChallenge;
      readonly counter: number;
      readonly isBackedUp: boolean;
      readonly at: number;
    },
  ): Promise<'used' | 'spent' | 'cloned' | 'gone'>;
  renamePasskey(user: UserName, id: string, name: string): Promise<'renamed' | 'absent'>;
  /**
   * `epoch` becomes the user's when this was the last factor. `last-way-in`: the account has no password, no other passkey and
   * no sign-in; `gone`: the user does not exist, or not as known.
   */
  removePasskey(
    user: UserName,
    id: string,
    removed: Pick<FirstFactor, 'epoch' | 'known'>,
  ): Promise<'last' | 'more' | 'absent' | 'last-way-in' | 'gone'>;
}

/** Faults (disk, network) are thrown. Each change is one transaction, and what a code is good for is decided by the store. */
export interface SecondFactorStore extends PasskeyStore {
  findTotp(user: string): Promise<TotpRecord | undefined>;
  /** Replaces a secret that waits; one that is confirmed stays in use until the new one is. */
  startTotp(user: UserName, sealed: string, until: number): Promise<'started' | 'absent'>;
  /**
   * The secret that waits becomes the user's, and the time step of its first code is used up. `gone` when another secret
   * waits by now, or the user is not as `first` knows it. `first` counts when the user had no factor until then: otherwise epoch and recovery codes stay.
   */
  confirmTotp(
    user: UserName,
    confirmed: { sealed: string; step: number; first: FirstFactor },
  ): Promise<'first' | 'more' | 'gone'>;
  /** `spent` when the secret is another one by now, or a code of that step or a later one was accepted before. */
  useTotpStep(user: UserName, sealed: string, step: number): Promise<'used' | 'spent'>;
  /** `epoch` becomes the user's when this was the last factor. */
  removeTotp(user: UserName, epoch: string): Promise<'last' | 'more' | 'absent'>;
  /** All factors and recovery codes of a user. */
  removeFactors(user: UserName, epoch: string): Promise<'last' | 'absent'>;
  /** `gone`: the user does not exist, has no factor, or is not as known. */
  replaceRecoveryCodes(
    user: UserName,
    hashes: readonly string[],
    known: FirstFactor['known'],
  ): Promise<'replaced' | 'gone'>;
  /** Deletes it: of two who give it at once, one has used it. */
  useRecoveryCode(user: UserName, hash: string): Promise<'used' | 'absent'>;
  countRecoveryCodes(user: UserName): Promise<number>;
  /** Users who have a factor, by name. */
  listFactors(): Promise<readonly UserFactors[]>;
  /** Confirmed secrets that were sealed with another key than that of this id. */
  countTotpNotSealedWith(keyId: string): Promise<number>;
}
