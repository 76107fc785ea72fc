/** Passkeys: adding, naming and removing one's own, and judging one that is shown (SPEC 12). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { PasskeyRecord } from '../../domain/accounts/second-factor.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Result } from '../../domain/result.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import { firstFactor, newEpoch, withoutFactor } from '../second-factor/second-factor.ts';
import { digestSecrets } from '../sessions/session-state.ts';
import { CHALLENGE_SECONDS, type ChallengeScope, type ChallengeVerdict } from './challenges.ts';
import {
  ALGORITHMS,
  type Assertion,
  clientDataIn,
  type NewCredential,
  type RelyingParty,
  verifyNew,
  verifyUse,
} from './credential.ts';

interface PasskeyParts extends Pick<Services, 'challenges' | 'clock'> {
  readonly store: SecondFactorStore;
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

/** A person has a few devices and a key or two. */
export const MOST_PASSKEYS = 20;
/** What pages and the operating system's dialog call the service. */
const SERVICE = 'Postern';

export type Passkeys = ReturnType<typeof createPasskeys>;

/** `userKey`: makes the ids by which authenticators know users. */
export function createPasskeys({
  store,
  challenges,
  userKey,
  clock,
  site,
}: PasskeyParts & { readonly userKey: Uint8Array }) {
  const scopeOf = (user: User, session: string) =>
    ({ to: 'add', user: user.name, secretsDigest: digestSecrets(user), session }) as const;
  return {
    site,
    /** What a browser is asked for (WebAuthn level 3, 5.4), as JSON. `session`: its token id, and no other can answer. */
    async creationOptions(user: User, session: string, { id }: RelyingParty): Promise<object> {
      const present = await store.listPasskeys(user.name);
      const challenge = challenges.issue(scopeOf(user, session), unixSeconds(clock));
      return {
        ...toCreationOptions({ user, handle: passkeyHandle(userKey, user), rpId: id, challenge }),
        excludeCredentials: present.map(described),
        // A key without a PIN, or without room for users, is still a second factor.
        authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
      };
    },
    async add(
      credential: NewCredential,
      {
        user,
        session,
        name,
        site,
      }: { readonly user: User; readonly session: string; readonly name: string; readonly site: RelyingParty },
    ): Promise<Added> {
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
    rename: ({ name: user }: User, id: string, name: string): Promise<'renamed' | 'absent'> =>
      store.renamePasskey(user, id, name),
    async remove(user: User, id: string): Promise<Removed> {
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
export const toCreationOptions = ({ user: { name }, handle, rpId, challenge }: AskedCreation) => ({
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

export type PasskeyOutcome =
  | { readonly kind: 'right'; readonly user: User }
  /** The challenge is too old: no sign of an attack. */
  | { readonly kind: 'over' }
  /** `user`: whose passkey it is, if it is known at all. `why` is for the log, never for the client. */
  | { readonly kind: 'wrong'; readonly user?: User; readonly why: PasskeyFault };

export type PasskeyFault =
  | 'passkey-unknown'
  | 'passkey-challenge-foreign'
  | 'passkey-unfit'
  | 'passkey-challenge-spent'
  | 'passkey-cloned';

type PasskeyStep = 'log-in' | 'second-step' | 'prove';

export type PasskeyCheck = ReturnType<typeof createPasskeyCheck>;

/** Judges the response of a passkey at a login or as a proof: by which site, browser or session it was asked for, and whether it was used. */
export function createPasskeyCheck({
  store,
  users,
  challenges,
  clock,
  site,
}: PasskeyParts & { readonly users: Pick<AccountStore, 'findUser'> }) {
  const secondStepOf = (browser: string, user: User) =>
    ({ to: 'second-step', browser, user: user.name, secretsDigest: digestSecrets(user) }) as const;
  const readChallenge = (
    text: string,
    browser: string,
    user: User | undefined,
  ): { readonly verdict: ChallengeVerdict; readonly step: PasskeyStep } => {
    const now = unixSeconds(clock);
    const verdict = challenges.read(text, { to: 'log-in', browser }, now);
    if (verdict.kind !== 'foreign' || !user) return { verdict, step: 'log-in' };
    return { verdict: challenges.read(text, secondStepOf(browser, user), now), step: 'second-step' };
  };
  const proofOf = (user: User, session: string) =>
    ({ to: 'prove', user: user.name, secretsDigest: digestSecrets(user), session }) as const;
  const optionsFor = async (user: User, scope: ChallengeScope, userVerification: string, { id }: RelyingParty) => ({
    challenge: challenges.issue(scope, unixSeconds(clock)),
    rpId: id,
    timeout: CHALLENGE_SECONDS * 1000,
    allowCredentials: (await store.listPasskeys(user.name)).map(described),
    userVerification,
  });
  const use = async (
    assertion: Assertion,
    { passkey, user, verdict, step }: PasskeyUse,
    site: RelyingParty,
  ): Promise<PasskeyOutcome> => {
    if (verdict.kind === 'over') return { kind: 'over' };
    if (!passkey || !user) return { kind: 'wrong', why: 'passkey-unknown' };
    if (verdict.kind !== 'good') return { kind: 'wrong', user, why: 'passkey-challenge-foreign' };
    const { challenge = '', isCrossOrigin = true } = clientDataIn(assertion.clientDataJSON) ?? {};
    if (isCrossOrigin || !isOfItsUser(assertion, passkey, step)) return { kind: 'wrong', user, why: 'passkey-unfit' };
    const verified = await verifyUse(assertion, passkey, { challenge, site, mustVerifyUser: step !== 'second-step' });
    if (!verified) return { kind: 'wrong', user, why: 'passkey-unfit' };
    const used = await store.usePasskey(passkey, { challenge: verdict, ...verified, at: unixSeconds(clock) });
    return used === 'used' ? { kind: 'right', user } : { kind: 'wrong', user, why: FAULT_OF[used] };
  };
  return {
    site,
    /** What a browser is asked for (WebAuthn level 3, 5.5), as JSON. `browser`: a random text that it keeps as a cookie. */
    requestOptions: (browser: string, { id }: RelyingParty): object => ({
      challenge: challenges.issue({ to: 'log-in', browser }, unixSeconds(clock)),
      rpId: id,
      timeout: CHALLENGE_SECONDS * 1000,
      allowCredentials: [],
      userVerification: 'required',
    }),
    /** The same after the right password of a user. */
    secondStepOptions: (browser: string, user: User, site: RelyingParty): Promise<object> =>
      optionsFor(user, secondStepOf(browser, user), 'preferred', site),
    /** Options for a proof by a session of that user. `session`: its token id, and no other can answer. */
    proofOptions: (user: User, session: string, site: RelyingParty): Promise<object> =>
      optionsFor(user, proofOf(user, session), 'required', site),
    /** A right response uses up its challenge: of two at once, one is right. */
    async check(assertion: Assertion, browser: string, site: RelyingParty): Promise<PasskeyOutcome> {
      const passkey = await store.findPasskey(assertion.id);
      const user = passkey && (await users.findUser(passkey.user));
      return use(assertion, { passkey, user, ...readChallenge(challengeIn(assertion), browser, user) }, site);
    },
    /** The same for a session: by a passkey of its user, who is verified. */
    async prove(
      assertion: Assertion,
      { user, session }: { readonly user: User; readonly session: string },
      site: RelyingParty,
    ): Promise<PasskeyOutcome> {
      const found = await store.findPasskey(assertion.id);
      const passkey = found?.user === user.name ? found : undefined;
      const verdict = challenges.read(challengeIn(assertion), proofOf(user, session), unixSeconds(clock));
      return use(assertion, { passkey, user, verdict, step: 'prove' }, site);
    },
  };
}

interface PasskeyUse {
  readonly passkey: PasskeyRecord | undefined;
  readonly user: User | undefined;
  readonly verdict: ChallengeVerdict;
  readonly step: PasskeyStep;
}

const challengeIn = ({ clientDataJSON }: Assertion): string => clientDataIn(clientDataJSON)?.challenge ?? '';

const FAULT_OF = {
  spent: 'passkey-challenge-spent',
  cloned: 'passkey-cloned',
  gone: 'passkey-unknown',
} as const;

/** Where no name was asked for, the authenticator must name the user itself (WebAuthn level 3, 7.2 step 6). */
function isOfItsUser({ userHandle }: Assertion, passkey: PasskeyRecord, step: PasskeyStep): boolean {
  if (userHandle === undefined) return step !== 'log-in';
  const [given, right] = [Buffer.from(userHandle), Buffer.from(passkey.userHandle)];
  return given.length === right.length && timingSafeEqual(given, right);
}
