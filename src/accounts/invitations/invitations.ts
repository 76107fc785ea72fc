/**
 * Invitations: links, good once, by which people set their own password, or a passkey in its place; no admin needs to know it.
 * An attempt to use one is limited by address and has its audit line, whichever way it came (SPEC 12).
 */
import type { AccountServices, Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/grant.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type UserName } from '../../domain/names.ts';
import { rateLimit } from '../../domain/rate-limit.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import type { Invitation } from '../../store/engine/tables.ts';
import { secretHash } from '../grants/grants.ts';
import { Refused, record, refusedWhileLimited, unfit } from '../http/kernel.ts';
import { createLoginLimiter, type MemoryLimiter, settled } from '../login/login-limiter.ts';
import { beginInvited } from '../login/post-login.ts';
import type { NewCredential, RelyingParty } from '../passkeys/credential.ts';
import { boundTo, creationOptions, newPasskey, notAdded } from '../passkeys/passkeys.ts';
import { unknownPassword } from '../passwords/password-hash.ts';
import { newEpoch } from '../second-factor/second-factor.ts';
import { hashNewPassword, hashPassword } from '../users/users.ts';

/** The answer to a stranger: a link that was never made and one that is over are the same. */
const VOID =
  'This link does not hold: it was used, is over, was replaced by a newer one, or never existed. Ask an administrator for a new one.';
const HAS_FACTOR = 'This account has a second factor already: set a password by this link, then log in with both';

const linkVoid = (): Refused => unfit('invitation-void', VOID, 404);

/** A link that holds, and the user that it is for. */
export interface HeldInvitation {
  readonly invitation: Invitation;
  readonly owner: User;
}

/** Links that do not hold, by address: a person who opens an old one a few times is not kept out. A token has 256 bits: this bounds the questions to the store. */
export const createInvitationLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: rateLimit('20/minute'), clock });

/** What the link is for, while it holds. */
export async function findInvitation(
  token: string,
  { store, clock }: Pick<Services, 'store' | 'clock'>,
): Promise<HeldInvitation | undefined> {
  const digest = secretHash(token);
  if (digest === undefined) return undefined;
  const invitation = await store.invitations.findInvitation(digest, unixSeconds(clock));
  const owner = invitation && (await store.accounts.findUser(invitation.user));
  // The account may have been ended since the link was made. Before its time a guest may set the password, and not log in.
  const hasEnded = (owner?.validUntil ?? Number.POSITIVE_INFINITY) <= unixSeconds(clock);
  return owner && !hasEnded ? { invitation, owner } : undefined;
}

/** Does it with the link while that holds. Tokens that do not hold count against the address: past the limit it is refused by a `Refused`. */
export async function lookAtInvitation<Seen>(
  token: string,
  { state }: RouteContext,
  services: Pick<Services, 'store' | 'clock' | 'invitationLimiter'>,
  look: (held: HeldInvitation) => Promise<Seen | undefined>,
): Promise<Seen | undefined> {
  const place = services.invitationLimiter.reserve(state.clientAddress);
  if (place.kind === 'limited') throw refusedWhileLimited(place);
  const find = async () => {
    const held = await findInvitation(token, services);
    return held && look(held);
  };
  return settled(place, find, (seen) => seen === undefined);
}

export interface Accepted {
  readonly user: UserName;
  /** The response has the cookie of a session. */
  readonly hasSession?: true;
  /** Unix seconds: the account is closed until then. */
  readonly opensAt?: number;
}

/** Sets the password. Refuses by a `Refused`. */
export const acceptByPassword = (
  { token, password }: { readonly token: string; readonly password: string },
  ctx: RouteContext,
  services: AccountServices,
): Promise<Accepted> =>
  accept(token, ctx, services, undefined, async ({ owner, invitation }) => {
    const hash = await hashNewPassword(password, owner.name, services);
    return services.store.invitations.acceptInvitation(invitation.secretHash, hash, unixSeconds(services.clock));
  });

/** What a browser is asked for, for the user of that link and no other. Refuses by a `Refused`. */
export async function passkeyOptions(
  token: string,
  party: RelyingParty,
  ctx: RouteContext,
  services: AccountServices,
): Promise<object> {
  const options = await lookAtInvitation(token, ctx, services, async ({ owner, invitation }) => {
    if (owner.hasFactor) throw factorPresent();
    return creationOptions(owner, acceptScope(owner, invitation), party, services);
  });
  if (!options) throw linkVoid();
  return options;
}

/** Sets a passkey, and a password that no person knows. Refuses by a `Refused`. */
export const acceptByPasskey = (
  { token, ...given }: { readonly token: string; readonly name: string; readonly party: RelyingParty },
  credential: NewCredential,
  ctx: RouteContext,
  services: AccountServices,
): Promise<Accepted> =>
  accept(token, ctx, services, 'passkey', async ({ owner: user, invitation }) => {
    if (user.hasFactor) throw factorPresent();
    const made = await newPasskey(credential, { ...given, user, scope: acceptScope(user, invitation) }, services);
    const passwordHash = await hashPassword(unknownPassword(), services);
    const invited = { ...made, passwordHash, epoch: newEpoch() };
    const now = unixSeconds(services.clock);
    const outcome = await services.store.invitations.acceptByPasskey(invitation.secretHash, invited, now);
    if (outcome === 'has-factor') throw factorPresent();
    if (outcome === 'taken' || outcome === 'spent') throw notAdded(outcome);
    return outcome;
  });

const acceptScope = (user: User, { secretHash: invitation }: Invitation) =>
  ({ to: 'accept', ...boundTo(user), invitation }) as const;

/** A new passkey would be a way around it. */
const factorPresent = (): Refused => unfit('factor-there', HAS_FACTOR, 409, 'second-factor-present');

/** Uses the link up, and logs the person in as a login with what was set would. */
async function accept(
  token: string,
  ctx: RouteContext,
  services: AccountServices,
  factor: 'passkey' | undefined,
  use: (held: HeldInvitation) => Promise<'accepted' | 'void'>,
): Promise<Accepted> {
  const act = { what: 'invitation-used', who: undefined, ...(factor && { factor }) } as const;
  let owner: User | undefined;
  const used = async (held: HeldInvitation) => {
    owner = held.owner;
    return (await use(held)) === 'accepted' ? held : undefined;
  };
  const find = async () => {
    const held = await lookAtInvitation(token, ctx, services, used);
    if (!held) throw linkVoid();
    return held;
  };
  const held = await find().catch((fault) => {
    const by = owner && { user: owner.name };
    if (fault instanceof Refused && fault.recorded) record(ctx, services, { ...act, ...by }, fault.recorded);
    throw fault;
  });
  record(ctx, services, { ...act, user: held.owner.name });
  const isEmergency = held.invitation.madeBy === MAKERS_WITHOUT_ACCOUNT.commandLine && held.owner.role === ADMIN;
  return { user: held.owner.name, ...(await beginInvited(held.owner, isEmergency, ctx, services, factor)) };
}
