/** Adding, naming and removing one's own passkeys (SPEC 12). */

import { createHmac } from 'node:crypto';
import type { User } from '../../domain/accounts/account.ts';
import type { PasskeyRecord } from '../../domain/accounts/second-factor.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { Result } from '../../domain/result.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import { firstFactor, newEpoch, withoutFactor } from '../second-factor/second-factor.ts';
import { secretsDigestOf } from '../sessions/session-state.ts';
import { CHALLENGE_SECONDS, type Challenges } from './challenges.ts';
import { clientDataIn, type NewCredential } from './credential-json.ts';
import type { RelyingParty } from './relying-party.ts';
import { ALGORITHMS, verifyNew } from './verify.ts';

export interface PasskeyDeps {
  readonly store: SecondFactorStore;
  readonly challenges: Challenges;
  /** Makes the ids by which authenticators know users. */
  readonly userKey: Uint8Array;
  readonly clock: Clock;
  /** Or the sentence that says why there are no passkeys. */
  readonly site: Result<RelyingParty, string>;
}

export type Added =
  /** `user`: as it is then. The codes to show once; undefined when the user had a factor before, whose codes stay. */
  | {
      readonly kind: 'added';
      readonly user: User;
      readonly passkey: PasskeyRecord;
      readonly recoveryCodes: readonly string[] | undefined;
    }
  | { readonly kind: 'foreign' | 'over' | 'unfit' | 'spent' | 'taken' | 'full' | 'gone' };

/** `user`: as it is then. */
export type Removed =
  | { readonly kind: 'removed'; readonly user: User }
  | { readonly kind: 'absent' | 'last-way-in' | 'gone' };

export interface Passkeys {
  readonly site: Result<RelyingParty, string>;
  /** What a browser is asked for (WebAuthn level 3, 5.4), as JSON. `session`: its token id, and no other can answer. */
  creationOptions(user: User, session: string, site: RelyingParty): Promise<object>;
  add(
    credential: NewCredential,
    by: { readonly user: User; readonly session: string; readonly name: string; readonly site: RelyingParty },
  ): Promise<Added>;
  rename(user: User, id: string, name: string): Promise<'renamed' | 'absent'>;
  remove(user: User, id: string): Promise<Removed>;
}

/** A person has a few devices and a key or two. */
export const MOST_PASSKEYS = 20;
/** What pages and the operating system's dialog call the service. */
const SERVICE = 'Postern';

export function createPasskeys({ store, challenges, userKey, clock, site }: PasskeyDeps): Passkeys {
  const scopeOf = (user: User, session: string) =>
    ({ to: 'add', user: user.name, secretsDigest: secretsDigestOf(user), session }) as const;
  return {
    site,
    async creationOptions(user, session, { id }) {
      const present = await store.listPasskeys(user.name);
      const challenge = challenges.issue(scopeOf(user, session), unixSeconds(clock));
      return {
        ...creationOptionsOf({ user, handle: passkeyHandle(userKey, user), rpId: id, challenge }),
        excludeCredentials: present.map(described),
        // A key without a PIN, or without room for users, is still a second factor.
        authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
      };
    },
    async add(credential, { user, session, name, site }) {
      const { challenge = '', isCrossOrigin = true } = clientDataIn(credential.clientDataJSON) ?? {};
      const now = unixSeconds(clock);
      const verdict = challenges.read(challenge, scopeOf(user, session), now);
      if (verdict.kind !== 'good') return verdict;
      const expected = { challenge, site, mustVerifyUser: false };
      const verified = isCrossOrigin ? undefined : await verifyNew(credential, expected);
      if (!verified) return { kind: 'unfit' };
      const { transports } = credential;
      const owned = { user: user.name, userHandle: passkeyHandle(userKey, user) };
      const passkey: PasskeyRecord = { ...verified, ...owned, transports, name, createdAt: now, lastUsedAt: null };
      const { codes, first } = firstFactor(user);
      const outcome = await store.addPasskey(passkey, { challenge: verdict, first, most: MOST_PASSKEYS });
      if (outcome === 'more') return { kind: 'added', user, passkey, recoveryCodes: undefined };
      if (outcome !== 'first') return { kind: outcome };
      const marked = { ...user, hasFactor: true, factorEpoch: first.epoch } as const;
      return { kind: 'added', user: marked, passkey, recoveryCodes: codes };
    },
    rename: ({ name: user }, id, name) => store.renamePasskey(user, id, name),
    async remove(user, id) {
      const epoch = newEpoch();
      const outcome = await store.removePasskey(user.name, id, { epoch, known: user });
      if (outcome !== 'last' && outcome !== 'more') return { kind: outcome };
      return { kind: 'removed', user: withoutFactor(user, epoch, outcome) };
    },
  };
}

/** The same for all passkeys of a user, so that an authenticator keeps one of them. It tells nothing of the name. */
export const passkeyHandle = (userKey: Uint8Array, { name, createdAt }: User): string =>
  createHmac('sha256', userKey)
    .update(JSON.stringify([name, createdAt]))
    .digest('base64url');

interface AskedCreation {
  readonly user: User;
  readonly handle: string;
  readonly rpId: string;
  readonly challenge: string;
}

/** What a browser is asked for, in every case (WebAuthn level 3, 5.4), as JSON. */
export const creationOptionsOf = ({ user: { name }, handle, rpId, challenge }: AskedCreation) => ({
  rp: { id: rpId, name: SERVICE },
  user: { id: handle, name, displayName: name },
  challenge,
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: CHALLENGE_SECONDS * 1000,
  attestation: 'none',
  extensions: { credProps: true },
});

/** A passkey as browsers are told of it (WebAuthn, PublicKeyCredentialDescriptor). */
export const described = ({ id, transports }: PasskeyRecord): object => ({
  type: 'public-key',
  id,
  ...(transports.length > 0 && { transports }),
});
