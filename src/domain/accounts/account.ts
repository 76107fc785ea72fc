/** Built-in accounts as they are kept (interface 2.1). Times are Unix seconds. */
import type { UserName } from '../names.ts';
import type { RightsHolder } from '../rights.ts';

/** Tokens issued before `createdAt` belong to an earlier user of the same name. */
export interface User extends RightsHolder {
  readonly name: UserName;
  /** `pbkdf2_sha256$<iterations>$<salt>$<base64>`. */
  readonly passwordHash: string;
  /** Tokens issued before this are void (interface 5.1.6). */
  readonly passwordChangedAt: number | null;
  /** The user has a second factor (SPEC 12). */
  readonly hasFactor?: true;
  /** Random; new when the user gets the first factor, and when the last one goes: sessions from before end. */
  readonly factorEpoch?: string;
  /** The password was made by Postern and printed: the console asks for another one. A new password ends this. */
  readonly passwordIsGenerated?: true;
  /** The account was made without a password that a person knows. A new password ends this. */
  readonly hasNoPassword?: true;
}
