/** Sign-ins: accounts connected to an identity provider, as they are kept (SPEC 16). Times are Unix seconds. */
import type { UserName } from '../names.ts';

/** What stands in the place of a provider's name where the role is Postern's own. No provider may be called so. */
export const OWN_SOURCE = 'postern';

export interface SignIn {
  /** Its name in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  /** The claim `sub`: with the issuer it names the person, and nothing else does. */
  readonly subject: string;
  readonly user: UserName;
  readonly connectedAt: number;
  readonly lastUsedAt: number;
}

/** How long a guest's sign-in is known, from the deletion of the account on (SPEC 13). */
export const CLOSED_SECONDS = 400 * 86_400;

/** A new one. `now` in Unix seconds. */
export const newSignIn = (
  user: UserName,
  { provider, issuer, subject }: Pick<SignIn, 'provider' | 'issuer' | 'subject'>,
  now: number,
): SignIn => ({ provider, issuer, subject, user, connectedAt: now, lastUsedAt: now });
