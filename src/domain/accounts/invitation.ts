/** Links by which people set their own password, as they are kept, and the interface of their store (SPEC 12). Times are Unix seconds. */
import type { UserName } from '../names.ts';
import type { PasskeyRecord, SpentChallenge } from './second-factor.ts';
import type { SignIn } from './sign-in.ts';

export interface Invitation {
  /** SHA-256 of the token, base64url; the token itself is kept nowhere. */
  readonly tokenHash: string;
  /** Whose password it sets. */
  readonly user: UserName;
  /** When that account was made: a user made again under the same name gets nothing by it. */
  readonly userCreatedAt: number;
  /** The admin who made it, by name, or one of `MAKERS_WITHOUT_ACCOUNT`. */
  readonly madeBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a person with a link brings instead of a password. */
export interface InvitedPasskey {
  readonly passkey: PasskeyRecord;
  readonly challenge: SpentChallenge;
  /** The hash of a text that no person knows: it replaces the password. */
  readonly passwordHash: string;
  /** Random; it becomes the user's `factorEpoch`. */
  readonly epoch: string;
}

/** No user name has a colon. */
export const MAKERS_WITHOUT_ACCOUNT = { commandLine: ':command-line', internalListener: ':internal-listener' } as const;

/**
 * Faults (disk, network) are thrown. Whether a link still holds is decided by the store, in one transaction: it is not used,
 * not over, its user is the one it was made for, and its maker is an admin still. A new password or role of the user ends it.
 */
export interface InvitationStore {
  /** Stores the invitation in the place of an older one for the same user. `absent` when there is no such user of that time. */
  putInvitation(invitation: Invitation): Promise<'put' | 'absent'>;
  /** One that holds at `now`. */
  findInvitation(tokenHash: string, now: number): Promise<Invitation | undefined>;
  /** Invitations that are valid at `now`, by user. */
  listInvitations(now: number): Promise<readonly Invitation[]>;
  /** Sets the password, which ends the sessions. `void` when the link does not hold: of two at once, one is the first. */
  acceptInvitation(tokenHash: string, passwordHash: string, now: number): Promise<'accepted' | 'void'>;
  /**
   * Adds the passkey and replaces the password, which ends the sessions. `has-factor`: the user has a second factor already,
   * and a new passkey would be a way around it. `taken`: a passkey of that id exists. What is refused changes nothing.
   */
  acceptByPasskey(
    tokenHash: string,
    invited: InvitedPasskey,
    now: number,
  ): Promise<'accepted' | 'void' | 'spent' | 'taken' | 'has-factor'>;
  /**
   * Connects the account with the person at the provider and replaces the password, which ends the sessions. `taken`: the
   * person is connected with another account, or the account with another person there. What is refused changes nothing.
   */
  acceptBySignIn(
    tokenHash: string,
    signIn: SignIn,
    passwordHash: string,
    now: number,
  ): Promise<'accepted' | 'void' | 'taken'>;
  removeInvitation(user: string): Promise<'removed' | 'absent'>;
}
