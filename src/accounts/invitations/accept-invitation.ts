/** An attempt to use an invitation, whichever way it came: limited by address, with its audit line; and the session that it begins (SPEC 12). */
import type { Clock } from '../../domain/clock.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { type Audit, auditedAgent } from '../audit.ts';
import { createLoginLimiter, type Limited, type MemoryLimiter, settled } from '../login/login-limiter.ts';
import type { Acceptance, HeldInvitation, Invitations } from './invitations.ts';
import type { InvitedOutcome, InvitedPasskeys } from './invited-passkeys.ts';

export interface AcceptDeps {
  readonly invitations: Pick<Invitations, 'find' | 'accept'>;
  readonly invitedPasskeys: InvitedPasskeys;
  /**
   * The limiter of addresses that sent tokens which do not hold. A token has 256 bits: this bounds the questions to the store.
   */
  readonly invitationLimiter: MemoryLimiter;
  readonly audit: Audit;
  /** Logs in the person who has accepted, as a login with what was set would. */
  readonly beginSession: (accepted: Accepted & Factor, ctx: RouteContext) => Promise<BegunSession>;
}

type Accepted = Extract<Acceptance, { readonly kind: 'accepted' }>;
interface Factor {
  readonly factor?: 'passkey';
}

export type BegunSession =
  | { readonly kind: 'begun'; readonly cookie: string }
  /** `opensAt`: Unix seconds; the account is closed until then. Absent: a login needs more than was set, or is closed for good. */
  | { readonly kind: 'login-owed'; readonly opensAt?: number };

export type LookDeps = Pick<AcceptDeps, 'invitationLimiter'> & { readonly invitations: Pick<Invitations, 'find'> };

export type InvitationAttempt = Acceptance | Limited;
/** `hasSession`: the response has its cookie. */
type PasswordAttempt =
  | Exclude<InvitationAttempt, Accepted>
  | (Accepted & { readonly hasSession?: true; readonly opensAt?: number });
export type PasskeyAttempt = InvitedOutcome | Limited;
export type InvitationLookup =
  | ({ readonly kind: 'holds' } & HeldInvitation)
  | Extract<InvitationAttempt, { kind: 'void' | 'limited' }>;

export async function lookAtInvitation(token: string, ctx: RouteContext, deps: LookDeps): Promise<InvitationLookup> {
  return limited(ctx, deps, async () => {
    const held = await deps.invitations.find(token);
    return held ? { kind: 'holds', ...held } : { kind: 'void' };
  });
}

export async function acceptInvitation(
  given: { readonly token: string; readonly password: string },
  ctx: RouteContext,
  deps: AcceptDeps,
): Promise<PasswordAttempt> {
  const outcome = await limited(ctx, deps, () => deps.invitations.accept(given.token, given.password));
  recordUse(outcome, ctx, deps);
  if (outcome.kind !== 'accepted') return outcome;
  const session = await begin(outcome, ctx, deps);
  if (session.kind === 'begun') return { ...outcome, hasSession: true };
  return session.opensAt === undefined ? outcome : { ...outcome, opensAt: session.opensAt };
}

async function begin(accepted: Accepted & Factor, ctx: RouteContext, deps: AcceptDeps): Promise<BegunSession> {
  const session = await deps.beginSession(accepted, ctx);
  if (session.kind === 'begun') ctx.set('Set-Cookie', session.cookie);
  return session;
}

export async function acceptByPasskey(
  { token, ...given }: { readonly token: string } & Parameters<InvitedPasskeys['accept']>[1],
  ctx: RouteContext,
  deps: AcceptDeps,
): Promise<PasskeyAttempt> {
  const outcome = await limited(ctx, deps, () => deps.invitedPasskeys.accept(token, given));
  recordUse(outcome, ctx, deps, 'passkey');
  if (outcome.kind === 'accepted') await begin({ ...outcome, factor: 'passkey' }, ctx, deps);
  return outcome;
}

function recordUse(
  outcome: InvitationAttempt | PasskeyAttempt,
  ctx: RouteContext,
  deps: AcceptDeps,
  factor?: 'passkey',
): void {
  const { clientAddress: from, requestId } = ctx.state;
  const user = 'user' in outcome ? outcome.user : 'owner' in outcome ? outcome.owner.name : undefined;
  const by = { ...(factor && { factor }), from, ...auditedAgent(ctx.state), requestId };
  const entry = { what: 'invitation-used', who: undefined, ...(user !== undefined && { user }), ...by } as const;
  if (outcome.kind === 'accepted') deps.audit({ ...entry, verdict: 'allowed' });
  else deps.audit({ ...entry, verdict: 'refused', reason: REASON[outcome.kind] });
}

// biome-ignore format: a table
const REASON = {
  void:         'invitation-void',
  'password-unfit': 'password-unfit',
  busy:         'busy',
  limited:      'rate-limited',
  'has-factor': 'second-factor-present',
  foreign:      'passkey-foreign',
  over:         'passkey-over',
  unfit:        'passkey-unfit',
  spent:        'passkey-spent',
  taken:        'passkey-taken',
} as const;

/** Links that do not hold, by address: a person who opens an old one a few times is not kept out. */
export const createInvitationLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: [{ count: 20, windowSeconds: 60, text: '20/minute' }], clock });

/** Only tokens that do not hold count. */
export async function limited<Outcome extends { readonly kind: string }>(
  { state }: RouteContext,
  { invitationLimiter }: Pick<AcceptDeps, 'invitationLimiter'>,
  work: () => Promise<Outcome>,
): Promise<Outcome | Limited> {
  const place = invitationLimiter.reserve(state.clientAddress);
  if (place.kind === 'limited') return place;
  return settled(place, work, ({ kind }) => kind === 'void');
}
