/** Invitations as the configuration has them, for the server and the command line alike (SPEC 12). */
import { createInvitations, type InvitationDeps, type Invitations } from '../../accounts/invitations/invitations.ts';
import { createLoginLimiter, type MemoryLimiter } from '../../accounts/login/login-limiter.ts';
import { createUsers, type UserDeps } from '../../accounts/users/users.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { type PublicUrl, publicAddress } from '../../domain/addresses/public-url.ts';
import type { Clock } from '../../domain/clock.ts';
import { INVITATION_PATH, SCREEN_PATH } from '../../domain/login-path.ts';

export const invitationsUnder = (
  { auth }: Settings,
  deps: UserDeps & Pick<InvitationDeps, 'invitationStore'>,
): Invitations => createInvitations({ ...deps, users: createUsers(deps), lifetime: auth.invitation_lifetime });

/**
 * Where people find a path of the service: an invitation and the pairing of a screen where the console is. Undefined while `server.public_url` is not set:
 * `Host` is the client's word.
 */
export const addressMaker =
  ({ server }: Settings) =>
  (path: string): string | undefined => {
    const site =
      path.startsWith(`${INVITATION_PATH}/`) || path === SCREEN_PATH ? consoleSite(server) : server.public_url;
    return site && publicAddress(site, path);
  };

/** Where the console is: `server.console_url`, else `server.public_url`. Passkeys are made for it. */
export const consoleSite = ({
  console_url,
  public_url,
}: Pick<Settings['server'], 'console_url' | 'public_url'>): PublicUrl | undefined => console_url ?? public_url;

/** Links that do not hold, by address: a person who opens an old one a few times is not kept out. */
export const createInvitationLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: [{ count: 20, windowSeconds: 60, text: '20/minute' }], clock });
