/** Sign-ins: accounts connected to an identity provider (SPEC 16). Times are Unix seconds. */
import type { UserName } from '../names.ts';

/** What stands in the place of a provider's name where the role is Postern's own. No provider may be called so. */
export const OWN_SOURCE = 'postern';

/** How long a guest's sign-in is known, from the deletion of the account on (SPEC 13). */
export const CLOSED_SECONDS = 400 * 86_400;

/** A new one. `now` in Unix seconds. */
export const newSignIn = (
  user: UserName,
  { provider, issuer, subject }: Readonly<Record<'provider' | 'issuer' | 'subject', string>>,
  now: number,
) => ({ provider, issuer, subject, user, connectedAt: now, lastUsedAt: now });
