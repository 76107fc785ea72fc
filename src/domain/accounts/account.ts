/** Built-in accounts as they are kept, and the interface of their store (interface 2.1). Times are Unix seconds. */
import type { Role, UserName } from '../names.ts';

export interface User {
  readonly name: UserName;
  readonly role: Role;
  /** `pbkdf2_sha256$<iterations>$<salt>$<base64>`. */
  readonly passwordHash: string;
  /** Tokens issued before this are void (interface 5.1.6). */
  readonly passwordChangedAt: number | null;
  /** Tokens issued before this belong to an earlier user of the same name. */
  readonly createdAt: number;
  /** When the role was given; absent: with the account. */
  readonly roleSince?: number;
  /** A guest: the account may be used from then on, and until then. Absent: without that end. */
  readonly validFrom?: number;
  readonly validUntil?: number;
  /** The user has a second factor (SPEC 12). */
  readonly hasFactor?: true;
  /** Random; new when the user gets the first factor, and when the last one goes: sessions from before end. */
  readonly factorEpoch?: string;
  /** The password was made by Postern and printed: the console asks for another one. A new password ends this. */
  readonly passwordIsGenerated?: true;
  /** The provider that gives the role at each of its logins; absent: the role is Postern's own. */
  readonly roleSource?: string;
  /** What the provider's groups give beside `role`. */
  readonly otherRoles?: readonly Role[];
  /** The account was made without a password that a person knows. A new password ends this. */
  readonly hasNoPassword?: true;
}

/** Where accounts and revocations are kept. Faults (disk, network) are thrown; "absent" and "taken" are answers. */
export interface AccountStore {
  countUsers(): Promise<number>;
  /** All users, in order of name. */
  listUsers(): Promise<readonly User[]>;
  findUser(name: string): Promise<User | undefined>;
  /** `taken` when a user of that name exists, or of one that differs in case only. */
  addUser(user: User): Promise<'added' | 'taken'>;
  /**
   * Also the way to reset: the hash, and when it changed. `absent` when there is no such user, or not with the hash that
   * was proven: of two changes at once the one that comes second has proven nothing.
   */
  setPassword(name: UserName, passwordHash: string, changedAt: number, proven?: string): Promise<'set' | 'absent'>;
  /** Right after the password was set, with that hash: it was generated, and is to be changed. */
  markGenerated(name: UserName, passwordHash: string): Promise<void>;
  /** A stronger hash of the same password: no session ends. */
  rehashPassword(name: UserName, oldHash: string, newHash: string): Promise<void>;
  /** The role is Postern's own then. `last-admin` when this would leave no admin whose account lasts. `at`: when the role was given. */
  setRole(name: UserName, role: Role, at?: number): Promise<'set' | 'absent' | 'last-admin'>;
  /** Null: without that end. `last-admin` when this would leave no admin whose account lasts. */
  setValidity(name: UserName, from: number | null, until: number | null): Promise<'set' | 'absent' | 'last-admin'>;
  /** Accounts that ended before that time. */
  endedBefore(time: number): Promise<readonly UserName[]>;
  /**
   * Forgets the sign-ins. `guest`: only one whose account had ended before that time, another is `absent`; the sign-ins of a
   * guest stay known from `at` on, closed.
   */
  deleteUser(
    name: UserName,
    guest?: { readonly endedBefore: number; readonly at: number },
  ): Promise<'deleted' | 'absent' | 'last-admin'>;
  /**
   * Users whose role is not one of `known` become viewers, but those whose role a provider gives; gives their names. With
   * `among`: of these roles alone, which are some.
   */
  demoteUnknownRoles(known: readonly Role[], among?: readonly Role[]): Promise<readonly UserName[]>;
  /** False: it was revoked before, for as long. Of two at once the second is told so. */
  revokeToken(tokenId: string, expiresAt: number): Promise<boolean>;
  isRevoked(tokenId: string): Promise<boolean>;
  /** Forgets revocations of tokens that have expired anyway. */
  forgetRevocationsBefore(expiredAt: number): Promise<void>;
}

/** The outcome of importing one user of the NVR. */
export type ImportedUser =
  | {
      readonly kind: 'added';
      readonly name: string;
      readonly role: Role;
      /** Entries may hold `*`, which alone is every camera. */
      readonly cameras: readonly string[];
      /** The role in the NVR, where nothing says what it may see. */
      readonly unknownRole?: string;
    }
  /** A user who exists here keeps role and password: they may have been changed here since. */
  | { readonly kind: 'kept'; readonly name: string }
  | { readonly kind: 'refused'; readonly name: string; readonly reason: string };
