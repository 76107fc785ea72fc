/** Passkeys: making one, and judging one that is shown (SPEC 12). */
import { createHmac } from 'node:crypto';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { SpentChallenge } from '../../domain/accounts/second-factor.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import type { PasskeyRecord } from '../../store/engine/tables.ts';
import { Refused, refusedFor, unfit } from '../http/kernel.ts';
import { OFF } from '../second-factor/factor-routes.ts';
import { isSame, type Sealer } from '../second-factor/sealing.ts';
import { digestSecrets } from '../sessions/session-jwt.ts';
import {
  ALGORITHMS,
  type Assertion,
  CHALLENGE_SECONDS,
  type ChallengeScope,
  clientDataIn,
  type NewCredential,
  type RelyingParty,
  toRelyingParty,
  verifyNew,
  verifyUse,
} from './credential.ts';

export type PasskeyServices = Pick<Services, 'store' | 'challenges' | 'clock'>;

/** A person has a few devices and a key or two. */
export const MOST_PASSKEYS = 20;
/** What pages and the operating system's dialog call the service. */
const SERVICE = 'Postern';

/** The relying party of passkeys, or the sentence that says why there are none. */
export const passkeyParty = ({ auth, server }: Settings): Result<RelyingParty, string> =>
  auth.second_factor === 'off' ? err(OFF) : toRelyingParty(server.public_url);

/** The same with a refusal. */
export function requireParty({ settings }: Pick<Services, 'settings'>): RelyingParty {
  const party = passkeyParty(settings);
  if (!party.ok) throw new Refused(409, 'passkeys-off', party.error);
  return party.value;
}

/** What a challenge for a user is bound to: a change of password or factors makes it another one. */
export const boundTo = (user: User) => ({ user: user.name, secretsDigest: digestSecrets(user) });

type CreationScope = Extract<ChallengeScope, { to: 'add' | 'accept' }>;
type CreationServices = PasskeyServices & Pick<Services, 'passkeyUserKey'>;

/**
 * What a browser is asked for, to make a passkey (WebAuthn level 3, 5.4), as JSON. One that takes the place of a password must
 * verify its user, for it logs in alone; a key without a PIN, or without room for users, is still a second factor.
 */
export async function creationOptions(
  user: User,
  scope: CreationScope,
  { id }: RelyingParty,
  { store, challenges, clock, passkeyUserKey }: CreationServices,
): Promise<object> {
  const isAlone = scope.to === 'accept';
  const present = isAlone ? [] : await store.secondFactor.listPasskeys(user.name);
  return {
    rp: { id, name: SERVICE },
    user: { id: passkeyHandle(passkeyUserKey, user), name: user.name, displayName: user.name },
    challenge: challenges.issue(scope, unixSeconds(clock)),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1000,
    attestation: 'none',
    extensions: { credProps: true },
    excludeCredentials: present.map(described),
    authenticatorSelection: isAlone
      ? { residentKey: 'required', requireResidentKey: true, userVerification: 'required' }
      : { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
  };
}

/** The passkey that was made for such a challenge, not kept yet. Refuses by a `Refused`. */
export async function newPasskey(
  credential: NewCredential,
  {
    user,
    name,
    scope,
    party,
  }: { readonly user: User; readonly name: string; readonly scope: CreationScope; readonly party: RelyingParty },
  { challenges, clock, passkeyUserKey }: Omit<CreationServices, 'store'>,
): Promise<{ readonly passkey: PasskeyRecord; readonly challenge: SpentChallenge }> {
  const { challenge: text = '', isCrossOrigin = true } = clientDataIn(credential.clientDataJSON) ?? {};
  const now = unixSeconds(clock);
  const challenge = challenges.read(text, scope, now);
  if (challenge.kind !== 'good')
    throw notAdded(challenge.kind === 'foreign' && scope.to === 'accept' ? 'foreign-link' : challenge.kind);
  const expected = { challenge: text, party, mustVerifyUser: scope.to === 'accept' };
  const verified = isCrossOrigin ? undefined : await verifyNew(credential, expected);
  if (!verified) throw notAdded('unfit');
  const owned = { user: user.name, userHandle: passkeyHandle(passkeyUserKey, user), transports: credential.transports };
  return { passkey: { ...verified, ...owned, name, createdAt: now, lastUsedAt: null }, challenge };
}

/** `gone`: the user, or the password and the factors of then. */
export function notAdded(kind: keyof typeof NOT_ADDED | 'gone'): Refused {
  if (kind === 'gone') return refusedFor('token-invalid', {}, { recorded: 'passkey-gone' });
  const [status, message, recorded = `passkey-${kind}`] = NOT_ADDED[kind];
  return unfit(kind === 'foreign-link' ? 'passkey-foreign' : `passkey-${kind}`, message, status, recorded);
}

// biome-ignore format: a table
const NOT_ADDED: Readonly<Record<'foreign' | 'foreign-link' | 'over' | 'unfit' | 'spent' | 'taken' | 'full', readonly [status: number, message: string, recorded?: string]>> = {
  foreign: [400, 'The passkey was asked for by another session: begin with POST /api/second-factor/passkeys/options'],
  'foreign-link': [400, 'The passkey was asked for by another link: begin again', 'passkey-foreign'],
  over:    [400, 'The passkey took longer than five minutes: begin again'],
  unfit:   [400, 'The passkey was not made for this address, or in a way that is not accepted here'],
  spent:   [409, 'This response was used already: begin again'],
  taken:   [409, 'This passkey is set up already'],
  full:    [409, `There are ${MOST_PASSKEYS} passkeys already: remove one first`],
};

/** The same for all passkeys of a user, so that an authenticator keeps one of them. It tells nothing of the name. */
const passkeyHandle = (userKey: Uint8Array, { name, createdAt }: User): string =>
  createHmac('sha256', userKey)
    .update(JSON.stringify([name, createdAt]))
    .digest('base64url');

/** A passkey as browsers are told of it (WebAuthn, PublicKeyCredentialDescriptor). */
const described = ({ id, transports }: PasskeyRecord): object => ({
  type: 'public-key',
  id,
  ...(transports.length > 0 && { transports }),
});

/** What a browser is asked for, to show a passkey (WebAuthn level 3, 5.5), as JSON: one of the user, or any without a name. */
export async function requestOptions(
  scope: ChallengeScope,
  user: User | undefined,
  { id }: RelyingParty,
  { store, challenges, clock }: PasskeyServices,
): Promise<object> {
  return {
    challenge: challenges.issue(scope, unixSeconds(clock)),
    rpId: id,
    timeout: CHALLENGE_SECONDS * 1000,
    allowCredentials: user ? (await store.secondFactor.listPasskeys(user.name)).map(described) : [],
    userVerification: scope.to === 'second-step' ? 'preferred' : 'required',
  };
}

export type PasskeyFault =
  | 'passkey-unknown'
  | 'passkey-challenge-foreign'
  /** It is too old: no sign of an attack. */
  | 'passkey-challenge-over'
  | 'passkey-unfit'
  | 'passkey-challenge-spent'
  | 'passkey-cloned';

/**
 * Judges a passkey: at a login by the browser that asked for it; for a session by its user, who must be verified. A right response
 * uses up its challenge: of two at once, one is right. `user`: whose passkey it is, if it is known at all; `why` is for the log,
 * never for the client.
 */
export async function judgePasskey(
  assertion: Assertion,
  asked: { readonly browser: string } | { readonly user: User; readonly session: string },
  party: RelyingParty,
  { store, challenges, clock }: PasskeyServices,
): Promise<Result<User, { readonly user?: User; readonly why: PasskeyFault }>> {
  const found = await store.secondFactor.findPasskey(assertion.id);
  const isProof = 'session' in asked;
  const user = isProof ? asked.user : found && (await store.accounts.findUser(found.user));
  const passkey = found?.user === user?.name ? found : undefined;
  const { challenge = '', isCrossOrigin = true } = clientDataIn(assertion.clientDataJSON) ?? {};
  const scopes: readonly ChallengeScope[] = isProof
    ? [{ to: 'prove', ...boundTo(asked.user), session: asked.session }]
    : [
        { to: 'log-in', browser: asked.browser },
        ...(user ? [{ to: 'second-step', browser: asked.browser, ...boundTo(user) } as const] : []),
      ];
  const answered = scopes
    .map((scope) => ({ step: scope.to, verdict: challenges.read(challenge, scope, unixSeconds(clock)) }))
    .find(({ verdict }) => verdict.kind !== 'foreign');
  const { step, verdict } = answered ?? {};
  if (verdict?.kind === 'over') return err({ why: 'passkey-challenge-over' });
  if (!passkey || !user) return err({ why: 'passkey-unknown' });
  if (verdict?.kind !== 'good') return err({ user, why: 'passkey-challenge-foreign' });
  // Where no name was asked for, the authenticator must name the user itself (WebAuthn level 3, 7.2 step 6).
  const isItsUser =
    assertion.userHandle === undefined ? step !== 'log-in' : isSame(assertion.userHandle, passkey.userHandle);
  if (isCrossOrigin || !isItsUser) return err({ user, why: 'passkey-unfit' });
  const verified = await verifyUse(assertion, passkey, { challenge, party, mustVerifyUser: step !== 'second-step' });
  if (!verified) return err({ user, why: 'passkey-unfit' });
  const shown = { challenge: verdict, ...verified, at: unixSeconds(clock) };
  const used = await store.secondFactor.usePasskey(passkey, shown);
  return used === 'used' ? ok(user) : err({ user, why: FAULT_OF[used] });
}

const FAULT_OF = {
  spent: 'passkey-challenge-spent',
  cloned: 'passkey-cloned',
  gone: 'passkey-unknown',
} as const;

/**
 * Tells at the start of second factors that their users cannot use: sealed under another secret, or passkeys of no address (SPEC 12).
 * A factor is never dropped with the secret or the address: that would open the account to the password alone.
 */
export async function warnOfUnusable(
  { auth, server }: Settings,
  secondFactor: Pick<SecondFactorStore, 'countTotpNotSealedWith' | 'passkeyUsers'>,
  { keyId }: Pick<Sealer, 'keyId'>,
  log: { warn(facts: object, sentence: string): void },
): Promise<void> {
  const users = await secondFactor.countTotpNotSealedWith(keyId);
  if (users > 0)
    log.warn(
      { users },
      'the signing secret is another one than when these users set up their authenticator app: their codes cannot be checked. They log in with a recovery code and set it up again; or run "postern users second-factor reset NAME"',
    );
  // A changed host name cannot be seen.
  const party = toRelyingParty(server.public_url);
  if (!auth.enabled || auth.second_factor === 'off' || party.ok) return;
  const idle = (await secondFactor.passkeyUsers()).length;
  if (idle > 0) log.warn({ users: idle }, `these users have passkeys that cannot be used. ${party.error}`);
}
