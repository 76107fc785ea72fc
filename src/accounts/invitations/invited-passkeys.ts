/** A passkey in the place of a password, set by the holder of an invitation: it must verify its user, for it logs in alone (SPEC 12). */

import type { User } from '../../domain/accounts/account.ts';
import type { Invitation } from '../../domain/accounts/grant.ts';
import type { PasskeyRecord } from '../../domain/accounts/second-factor.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { UserName } from '../../domain/names.ts';
import type { Result } from '../../domain/result.ts';
import type { Store } from '../../store/open-store.ts';
import type { Challenges } from '../passkeys/challenges.ts';
import { clientDataIn, type NewCredential, type RelyingParty, verifyNew } from '../passkeys/credential.ts';
import { passkeyHandle, toCreationOptions } from '../passkeys/passkeys.ts';
import type { PasswordHasher } from '../passwords/password-hash.ts';
import { unknownPassword } from '../passwords/password-hash.ts';
import { newEpoch } from '../second-factor/second-factor.ts';
import { digestSecrets } from '../sessions/session-state.ts';
import type { Invitations } from './invitations.ts';

export interface InvitedPasskeyDeps {
  readonly invitations: Pick<Invitations, 'find'>;
  readonly invitationStore: Pick<Store['invitations'], 'acceptByPasskey'>;
  readonly hasher: Pick<PasswordHasher, 'hash'>;
  readonly challenges: Challenges;
  readonly userKey: Uint8Array;
  readonly clock: Clock;
  /** Or the sentence that says why there are no passkeys. */
  readonly site: Result<RelyingParty, string>;
}

export type InvitedOptions =
  | { readonly kind: 'asked'; readonly options: object }
  | { readonly kind: 'void' }
  /** The user has a second factor: a new passkey would be a way around it. */
  | { readonly kind: 'has-factor'; readonly user: UserName };

export type InvitedOutcome =
  /** `since`: when the account was made, Unix seconds. */
  | { readonly kind: 'accepted'; readonly user: UserName; readonly since: number }
  | { readonly kind: 'void' }
  | {
      readonly kind: 'has-factor' | 'foreign' | 'over' | 'unfit' | 'spent' | 'taken' | 'busy';
      readonly user: UserName;
    };

export type InvitedPasskeys = ReturnType<typeof createInvitedPasskeys>;

export function createInvitedPasskeys(deps: InvitedPasskeyDeps) {
  const { invitations, invitationStore, hasher, challenges, userKey, clock } = deps;
  const scopeOf = ({ secretHash }: Invitation, owner: User) =>
    ({ to: 'accept', user: owner.name, secretsDigest: digestSecrets(owner), invitation: secretHash }) as const;
  return {
    site: deps.site,
    /** What a browser is asked for, for the user of that link and no other. */
    async options(token: string, site: RelyingParty): Promise<InvitedOptions> {
      const held = await invitations.find(token);
      if (!held) return { kind: 'void' };
      const { invitation, owner } = held;
      if (owner.hasFactor) return { kind: 'has-factor', user: owner.name };
      const challenge = challenges.issue(scopeOf(invitation, owner), unixSeconds(clock));
      const options = {
        ...toCreationOptions({ user: owner, handle: passkeyHandle(userKey, owner), rpId: site.id, challenge }),
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      };
      return { kind: 'asked', options };
    },
    /** Uses the link up. */
    async accept(
      token: string,
      {
        credential,
        name,
        site,
      }: { readonly credential: NewCredential; readonly name: string; readonly site: RelyingParty },
    ): Promise<InvitedOutcome> {
      const held = await invitations.find(token);
      if (!held) return { kind: 'void' };
      const { invitation, owner } = held;
      const user = owner.name;
      if (owner.hasFactor) return { kind: 'has-factor', user };
      const { challenge = '', isCrossOrigin = true } = clientDataIn(credential.clientDataJSON) ?? {};
      const now = unixSeconds(clock);
      const verdict = challenges.read(challenge, scopeOf(invitation, owner), now);
      if (verdict.kind !== 'good') return { kind: verdict.kind, user };
      const expected = { challenge, site, mustVerifyUser: true };
      const verified = isCrossOrigin ? undefined : await verifyNew(credential, expected);
      if (!verified) return { kind: 'unfit', user };
      const hashed = await hasher.hash(unknownPassword());
      if (hashed.kind === 'busy') return { kind: 'busy', user };
      const owned = { user, userHandle: passkeyHandle(userKey, owner), transports: credential.transports };
      const passkey: PasskeyRecord = { ...verified, ...owned, name, createdAt: now, lastUsedAt: null };
      const invited = { passkey, challenge: verdict, passwordHash: hashed.hash, epoch: newEpoch() };
      const outcome = await invitationStore.acceptByPasskey(invitation.secretHash, invited, unixSeconds(clock));
      if (outcome === 'void') return { kind: 'void' };
      return outcome === 'accepted' ? { kind: 'accepted', user, since: owner.createdAt } : { kind: outcome, user };
    },
  };
}
