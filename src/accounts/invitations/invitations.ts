/** Invitations: links, good once, by which people set their own password; no admin needs to know it (SPEC 12). */

import type { User } from '../../domain/accounts/account.ts';
import { type Invitation, MAKERS_WITHOUT_ACCOUNT, NEW_GRANT } from '../../domain/accounts/grant.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type UserName } from '../../domain/names.ts';
import { INVITATION_PATH } from '../../domain/page-paths.ts';
import type { Store } from '../../store/open-store.ts';
import { newGrant, secretHash } from '../grants/grants.ts';
import { unfit } from '../http/kernel.ts';
import { parseNewPassword } from '../passwords/password-rules.ts';
import { createUsers, type GivenValidity, type UserDeps, userAbsent } from '../users/users.ts';

export interface InvitationDeps extends UserDeps {
  readonly kept: Pick<Store, 'invitations' | 'grants'>;
  /** `auth.invitation_lifetime`, seconds. */
  readonly lifetime: number;
}

export interface WantedInvitation {
  readonly user: string;
  /** The account is made with this role. Undefined: the account is there already, and keeps its role. */
  readonly role?: string | undefined;
  readonly validity?: GivenValidity | undefined;
  readonly madeBy: string;
}

/** `path` is below the base path and holds the secret; it is shown once. */
export interface MadeInvitation {
  readonly user: UserName;
  readonly path: string;
  readonly expiresAt: number;
}

export type Acceptance =
  /** `since`: when the account was made, Unix seconds. `isEmergency`: an admin's, made at the command line. */
  | { readonly kind: 'accepted'; readonly user: UserName; readonly since: number; readonly isEmergency?: true }
  /** Unknown, used, over, revoked or void: all alike. */
  | { readonly kind: 'void' }
  | { readonly kind: 'password-unfit'; readonly owner: User; readonly message: string }
  | { readonly kind: 'busy'; readonly owner: User };

/** A link that holds, and the user that it is for. */
export interface HeldInvitation {
  readonly invitation: Invitation;
  readonly owner: User;
}

export type Invitations = ReturnType<typeof createInvitations>;

export function createInvitations(deps: InvitationDeps) {
  const { store, kept, hasher, passwordRules, clock, lifetime } = deps;
  const users = createUsers(deps);
  /** What the link is for, while it holds. */
  const find = async (token: string): Promise<HeldInvitation | undefined> => {
    const digest = secretHash(token);
    if (digest === undefined) return undefined;
    const invitation = await kept.invitations.findInvitation(digest, unixSeconds(clock));
    const owner = invitation && (await store.findUser(invitation.user));
    // The account may have been ended since the link was made. Before its time a guest may set the password, and not log in.
    const hasEnded = (owner?.validUntil ?? Number.POSITIVE_INFINITY) <= unixSeconds(clock);
    return owner && !hasEnded ? { invitation, owner } : undefined;
  };
  return {
    find,
    /** Invitations that are still valid. */
    list: () => kept.invitations.listInvitations(unixSeconds(clock)),
    revoke: (user: string) => kept.grants.revoke('invitation', { user }, unixSeconds(clock)),
    /** Refuses by a `Refused`. */
    async make({ user: name, role, validity, madeBy }: WantedInvitation): Promise<MadeInvitation> {
      if (role !== undefined) await users.add({ name, role, validity, password: undefined });
      const user = await store.findUser(name);
      if (!user) throw userAbsent();
      const { secret, ...made } = newGrant();
      const createdAt = unixSeconds(clock);
      const { validFrom = createdAt, validUntil = Number.POSITIVE_INFINITY } = user;
      if (validUntil <= createdAt) throw unfit('validity-unfit', 'The account has ended: extend it first');
      // A guest's link holds until the account has begun, too, and never longer than the account.
      const expiresAt = Math.min(Math.max(createdAt, validFrom) + lifetime, validUntil);
      const bound = { user: user.name, userCreatedAt: user.createdAt, madeBy };
      const invitation = { ...NEW_GRANT, ...made, ...bound, createdAt, expiresAt };
      if ((await kept.grants.add('invitation', invitation)) === 'absent') throw userAbsent();
      return { user: user.name, path: `${INVITATION_PATH}/${secret}`, expiresAt };
    },
    /** Uses the link up. */
    async accept(token: string, password: string): Promise<Acceptance> {
      const held = await find(token);
      if (!held) return VOID;
      const { owner, invitation } = held;
      const fit = await parseNewPassword(password, owner.name, passwordRules);
      if (!fit.ok) return { kind: 'password-unfit', owner, message: fit.error };
      const hashed = await hasher.hash(fit.value);
      if (hashed.kind === 'busy') return { kind: 'busy', owner };
      const { secretHash } = invitation;
      const outcome = await kept.invitations.acceptInvitation(secretHash, hashed.hash, unixSeconds(clock));
      if (outcome === 'void') return VOID;
      const isEmergency = invitation.madeBy === MAKERS_WITHOUT_ACCOUNT.commandLine && owner.role === ADMIN;
      return { kind: 'accepted', user: owner.name, since: owner.createdAt, ...(isEmergency && { isEmergency }) };
    },
  };
}

const VOID = { kind: 'void' } as const;
