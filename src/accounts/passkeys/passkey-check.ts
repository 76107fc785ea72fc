/** Judges the response of a passkey at a login or as a proof: by which site, browser or session it was asked for, and whether it was used (SPEC 12). */

import { timingSafeEqual } from 'node:crypto';
import type { User } from '../../domain/accounts/account.ts';
import type { PasskeyRecord } from '../../domain/accounts/second-factor.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { Result } from '../../domain/result.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import { secretsDigestOf } from '../sessions/session-state.ts';
import { CHALLENGE_SECONDS, type ChallengeScope, type Challenges, type ChallengeVerdict } from './challenges.ts';
import { type Assertion, clientDataIn } from './credential-json.ts';
import { described } from './passkeys.ts';
import type { RelyingParty } from './relying-party.ts';
import { verifyUse } from './verify.ts';

export interface PasskeyCheckDeps {
  readonly store: SecondFactorStore;
  readonly users: Pick<AccountStore, 'findUser'>;
  readonly challenges: Challenges;
  readonly clock: Clock;
  /** Or the sentence that says why there are no passkeys. */
  readonly site: Result<RelyingParty, string>;
}

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

export interface PasskeyCheck {
  readonly site: Result<RelyingParty, string>;
  /** What a browser is asked for (WebAuthn level 3, 5.5), as JSON. `browser`: a random text that it keeps as a cookie. */
  requestOptions(browser: string, site: RelyingParty): object;
  /** The same after the right password of a user. */
  secondStepOptions(browser: string, user: User, site: RelyingParty): Promise<object>;
  /** Options for a proof by a session of that user. `session`: its token id, and no other can answer. */
  proofOptions(user: User, session: string, site: RelyingParty): Promise<object>;
  /** A right response uses up its challenge: of two at once, one is right. */
  check(assertion: Assertion, browser: string, site: RelyingParty): Promise<PasskeyOutcome>;
  /** The same for a session: by a passkey of its user, who is verified. */
  prove(
    assertion: Assertion,
    by: { readonly user: User; readonly session: string },
    site: RelyingParty,
  ): Promise<PasskeyOutcome>;
}

type PasskeyStep = 'log-in' | 'second-step' | 'prove';

export function createPasskeyCheck({ store, users, challenges, clock, site }: PasskeyCheckDeps): PasskeyCheck {
  const secondStepOf = (browser: string, user: User) =>
    ({ to: 'second-step', browser, user: user.name, secretsDigest: secretsDigestOf(user) }) as const;
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
    ({ to: 'prove', user: user.name, secretsDigest: secretsDigestOf(user), session }) as const;
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
    requestOptions: (browser, { id }) => ({
      challenge: challenges.issue({ to: 'log-in', browser }, unixSeconds(clock)),
      rpId: id,
      timeout: CHALLENGE_SECONDS * 1000,
      allowCredentials: [],
      userVerification: 'required',
    }),
    secondStepOptions: (browser, user, site) => optionsFor(user, secondStepOf(browser, user), 'preferred', site),
    proofOptions: (user, session, site) => optionsFor(user, proofOf(user, session), 'required', site),
    async check(assertion, browser, site) {
      const passkey = await store.findPasskey(assertion.id);
      const user = passkey && (await users.findUser(passkey.user));
      return use(assertion, { passkey, user, ...readChallenge(challengeIn(assertion), browser, user) }, site);
    },
    async prove(assertion, { user, session }, site) {
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
