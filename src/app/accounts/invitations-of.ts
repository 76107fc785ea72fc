/** Invitations as the configuration has them, for the server and the command line alike (SPEC 12). */
import { createInvitations, type InvitationDeps, type Invitations } from '../../accounts/invitations/invitations.ts';
import { createLoginLimiter, type MemoryLimiter } from '../../accounts/login/login-limiter.ts';
import { createUsers, type UserDeps } from '../../accounts/users/users.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { publicAddress } from '../../domain/addresses/public-url.ts';
import type { Clock } from '../../domain/clock.ts';

export const invitationsUnder = (
  { auth }: Settings,
  deps: UserDeps & Pick<InvitationDeps, 'invitationStore'>,
): Invitations => createInvitations({ ...deps, users: createUsers(deps), lifetime: auth.invitation_lifetime });

/** Where people find a path of the service. Undefined while `server.public_url` is not set: `Host` is the client's word. */
export const addressMaker =
  ({ server: { public_url } }: Settings) =>
  (path: string): string | undefined =>
    public_url && publicAddress(public_url, path);

/** Links that do not hold, by address: a person who opens an old one a few times is not kept out. */
export const createInvitationLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: [{ count: 20, windowSeconds: 60, text: '20/minute' }], clock });
