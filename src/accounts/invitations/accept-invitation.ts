/** An attempt to use an invitation, whichever way it came: limited by address, with its audit line (SPEC 12). */
import type { Invitation } from '../../domain/accounts/invitation.ts';
import { type Audit, agentOf } from '../audit.ts';
import type { AccountContext } from '../http/responses.ts';
import type { MemoryLimiter, Reservation } from '../login/login-limiter.ts';
import type { Acceptance, Invitations } from './invitations.ts';

export interface AcceptDeps {
  readonly invitations: Pick<Invitations, 'find' | 'accept'>;
  /** Of addresses that sent tokens which do not hold. A token has 256 bits: this bounds the questions to the store. */
  readonly invitationLimiter: MemoryLimiter;
  readonly audit: Audit;
}

export type Attempt = Acceptance | Extract<Reservation, { kind: 'limited' }>;
export type Look =
  | { readonly kind: 'holds'; readonly invitation: Invitation }
  | Extract<Attempt, { kind: 'void' | 'limited' }>;

export async function lookAtInvitation(token: string, ctx: AccountContext, deps: AcceptDeps): Promise<Look> {
  return limited(ctx, deps, async () => {
    const invitation = await deps.invitations.find(token);
    return invitation ? { kind: 'holds', invitation } : { kind: 'void' };
  });
}

export async function acceptInvitation(
  given: { readonly token: string; readonly password: string },
  ctx: AccountContext,
  deps: AcceptDeps,
): Promise<Attempt> {
  const outcome = await limited(ctx, deps, () => deps.invitations.accept(given.token, given.password));
  const { clientAddress: from, requestId } = ctx.state;
  const entry = { what: 'invitation-used', who: undefined, from, ...agentOf(ctx.state), requestId } as const;
  const user = 'user' in outcome ? { user: outcome.user } : {};
  if (outcome.kind === 'accepted') deps.audit({ ...entry, ...user, verdict: 'allowed' });
  else deps.audit({ ...entry, ...user, verdict: 'refused', reason: REASON[outcome.kind] });
  return outcome;
}

// biome-ignore format: a table
const REASON = { void: 'invitation-void', unfit: 'password-unfit', busy: 'busy', limited: 'rate-limited' } as const;

/** Only tokens that do not hold count. */
async function limited<Outcome extends { readonly kind: string }>(
  { state }: AccountContext,
  { invitationLimiter }: AcceptDeps,
  work: () => Promise<Outcome>,
): Promise<Outcome | Extract<Reservation, { kind: 'limited' }>> {
  const place = invitationLimiter.reserve(state.clientAddress);
  if (place.kind === 'limited') return place;
  let isVoid = false;
  try {
    const outcome = await work();
    isVoid = outcome.kind === 'void';
    return outcome;
  } finally {
    if (isVoid) place.keep();
    else place.release();
  }
}
