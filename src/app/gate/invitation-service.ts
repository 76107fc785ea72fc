/** Invitations for the page behind their links, when its form is sent (SPEC 8, 12). */
import { type AcceptDeps, acceptInvitation, lookAtInvitation } from '../../accounts/invitations/accept-invitation.ts';
import type { HeldInvitation } from '../../accounts/invitations/invitations.ts';
import type { User } from '../../domain/accounts/account.ts';
import { MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/grant.ts';
import type { InvitationService, InvitedGuest } from '../../ui/ui-options.ts';
import type { AccountServices } from '../services.ts';

export interface InvitationServiceDeps {
  readonly invitations: AcceptDeps & Pick<AccountServices, 'closedOf' | 'hasOwnLogin'>;
  /** The names, as people call them, of the cameras that the user will see; undefined: all. */
  readonly camerasOf: (user: User) => Promise<readonly string[] | undefined>;
  /** `auth.timezone`. */
  readonly timeZone: string | undefined;
}

export function invitationService({ invitations, camerasOf, timeZone }: InvitationServiceDeps): InvitationService {
  const openingAt = (at: number | undefined) => (at === undefined ? {} : { opens: { at, timeZone } });
  const holderOf = async (owner: User) => ({
    user: owner.name,
    mayUsePasskey: !owner.hasFactor,
    ...openingAt((await invitations.closedOf(owner))?.opens?.at),
  });
  const guestOf = async ({ invitation: { madeBy }, owner }: HeldInvitation): Promise<InvitedGuest> => ({
    by: MAKERS.includes(madeBy) ? undefined : madeBy,
    cameras: await camerasOf(owner),
    until: owner.validUntil,
    timeZone,
  });
  return {
    async look(token, ctx) {
      if (!invitations.hasOwnLogin) return { kind: 'no-passwords' };
      const look = await lookAtInvitation(token, ctx, invitations);
      if (look.kind === 'limited') return { kind: 'limited', seconds: look.retryAfterSeconds };
      if (look.kind === 'void') return look;
      const guest = look.owner.hasNoPassword && { guest: await guestOf(look) };
      return { kind: 'holds', ...(await holderOf(look.owner)), ...guest };
    },
    async accept(given, ctx) {
      if (!invitations.hasOwnLogin) return { kind: 'no-passwords' };
      const outcome = await acceptInvitation(given, ctx, invitations);
      if (outcome.kind === 'limited') return { kind: 'limited', seconds: outcome.retryAfterSeconds };
      if (outcome.kind === 'accepted') return { ...outcome, ...openingAt(outcome.opensAt) };
      return 'owner' in outcome ? { ...outcome, ...(await holderOf(outcome.owner)) } : outcome;
    },
  };
}

const MAKERS: readonly string[] = Object.values(MAKERS_WITHOUT_ACCOUNT);
