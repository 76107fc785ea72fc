/** Invitations for the page behind their links, when its form is sent (SPEC 8, 12). */
import { acceptInvitation, lookAtInvitation } from '../../accounts/invitations/accept-invitation.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { InvitationService } from '../../ui/invitation-page.ts';
import type { ActiveAccounts } from '../accounts/active-accounts.ts';

const holderOf = ({ name, hasFactor }: User) => ({ user: name, mayUsePasskey: !hasFactor });

export const invitationService = (deps: ActiveAccounts['groups']['invitations']): InvitationService => ({
  async look(token, ctx) {
    if (!deps.hasOwnLogin) return { kind: 'no-passwords' };
    const look = await lookAtInvitation(token, ctx, deps);
    if (look.kind === 'limited') return { kind: 'limited', seconds: look.retryAfterSeconds };
    return look.kind === 'holds' ? { kind: 'holds', ...holderOf(look.owner) } : look;
  },
  async accept(given, ctx) {
    if (!deps.hasOwnLogin) return { kind: 'no-passwords' };
    const outcome = await acceptInvitation(given, ctx, deps);
    if (outcome.kind === 'limited') return { kind: 'limited', seconds: outcome.retryAfterSeconds };
    return 'owner' in outcome ? { ...outcome, ...holderOf(outcome.owner) } : outcome;
  },
});
