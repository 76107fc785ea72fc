/** Sign-ins: accounts connected to an identity provider, as they are kept, and the interface of their store (SPEC 16). Times are Unix seconds. */
import type { Role, UserName } from '../names.ts';
import type { User } from './account.ts';

/** What stands in the place of a provider's name where the role is Postern's own. No provider may be called so. */
export const OWN_SOURCE = 'postern';

export interface SignIn {
  /** The `name` of its entry in `auth.oidc`. */
  readonly provider: string;
  readonly issuer: string;
  /** The claim `sub`: with the issuer it names the person, and nothing else does. */
  readonly subject: string;
  readonly user: UserName;
  readonly connectedAt: number;
  readonly lastUsedAt: number;
}

/** A guest's sign-in whose account is gone. It has no user name: the person is forgotten, but for what keeps the account from coming back without an end. */
export interface ClosedSignIn {
  readonly provider: string;
  readonly subject: string;
  readonly knownUntil: number;
}

/** How long a guest's sign-in is known, from the deletion of the account on (SPEC 13). */
export const CLOSED_SECONDS = 400 * 86_400;

/** A session that began by a provider. */
export interface ProviderSession {
  /** The `jti` of its tokens. */
  readonly sessionId: string;
  readonly issuer: string;
  readonly subject: string;
  /** What the provider calls its own session. */
  readonly sid?: string;
  readonly expiresAt: number;
}

/** Faults (disk, network) are thrown. Each change is one transaction. */
export interface SignInStore {
  findSignIn(issuer: string, subject: string): Promise<SignIn | undefined>;
  /** Whether the person was a guest here whose account is gone: no account is made at a login. */
  isClosed(issuer: string, subject: string): Promise<boolean>;
  /** Those that no account is connected with, in order of provider and subject. */
  listClosed(): Promise<readonly ClosedSignIn[]>;
  /** A login may make an account again. */
  forgetClosed(provider: string, subject: string): Promise<'forgotten' | 'absent'>;
  forgetClosedBefore(knownUntil: number): Promise<void>;
  /** Those of a user, or of all without `user`, in order of user and provider. */
  listSignIns(user?: UserName): Promise<readonly SignIn[]>;
  /** `taken`: the subject has an account already, or the account a sign-in of that provider; `absent`: no such user of that time. */
  connect(signIn: SignIn, userCreatedAt: number): Promise<'connected' | 'taken' | 'absent'>;
  /** `taken`: a user of that name, or of one that differs in case only; `connected`: the subject has an account already. */
  addUserWithSignIn(user: User, signIn: SignIn): Promise<'added' | 'taken' | 'connected'>;
  /** False: the account has it no more. */
  noteUsed(signIn: Pick<SignIn, 'issuer' | 'subject' | 'user'>, at: number): Promise<boolean>;
  /**
   * `last-way-in`: the account has no password, no passkey and no other sign-in. By an admin a role that the provider gave
   * becomes Postern's own; by the owner, who would keep it for good, it is `gives-role`.
   */
  disconnect(
    user: UserName,
    provider: string,
    by: 'owner' | 'admin',
  ): Promise<'disconnected' | 'absent' | 'last-way-in' | 'gives-role'>;
  /**
   * The roles that the provider gives now, as role resolution found them; none: the account is worth nothing. `absent` where
   * its role is not of that provider. An admin who is the last one may lose the role: the provider decides.
   */
  setProviderRoles(
    user: UserName,
    provider: string,
    roles: readonly Role[],
    at: number,
  ): Promise<'set' | 'same' | 'absent'>;
  /**
   * Undefined: the role is Postern's own from now on. Else that of the provider, from its next login on. `absent`: no such
   * user, or not with a sign-in of that provider; `last-admin` when no admin with a lasting role of Postern's own would be left.
   */
  setRoleSource(user: UserName, provider: string | undefined): Promise<'set' | 'absent' | 'last-admin'>;
  noteSession(session: ProviderSession): Promise<void>;
  /** A session that goes on under another id. */
  renameSession(from: string, to: string): Promise<void>;
  /** Those of a subject, of the provider's session `sid`, or of both together; none without either. */
  sessionsOf(issuer: string, subject: string | undefined, sid: string | undefined): Promise<readonly ProviderSession[]>;
  forgetSessionsBefore(expiredAt: number): Promise<void>;
}
