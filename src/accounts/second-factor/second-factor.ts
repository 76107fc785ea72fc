/** Second factors: what a login must show beside the password, whether a code is right, and setting them up (SPEC 12). */
import { randomBytes } from 'node:crypto';
import encodeQR from 'qr';
import type { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorKind, FactorMode, FactorOwed, FirstFactor } from '../../domain/accounts/second-factor.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role } from '../../domain/names.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import type { SECOND_FACTOR, TOTP_OFFER } from '../http/answers.ts';
import {
  base32,
  isTotpCode,
  matchingStep,
  newRecoveryCodes,
  recoveryCodeHash,
  TOTP_SECRET_BYTES,
  totpUri,
} from './codes.ts';

export type CodeOutcome =
  | { readonly kind: 'right'; readonly by: 'totp' | 'recovery' }
  /** `unreadable`: the secret was sealed under another signing secret; `spent`: the code was used before. */
  | { readonly kind: 'wrong'; readonly by: 'totp' | 'recovery'; readonly why?: 'unreadable' | 'spent' };

/** Whether the mode asks a factor of users of a role. */
export const isFactorRequired = (mode: FactorMode, role: Role): boolean =>
  mode === 'everyone' || (mode === 'admins' && role === ADMIN);

interface FactorParts extends Pick<Services, 'sealer' | 'clock'> {
  readonly store: SecondFactorStore;
  /** `auth.second_factor`. */
  readonly mode: FactorMode;
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/** `hasPasskeys`: they can be asked for at all. `trusted`: the providers whose second factor counts here, by name. */
export function createSecondFactor({
  store,
  sealer,
  clock,
  mode,
  hasPasskeys,
  trusted,
}: FactorParts & { readonly hasPasskeys: boolean; readonly trusted: ReadonlySet<string> }) {
  const checkTotp = async ({ name }: User, code: string): Promise<CodeOutcome> => {
    const sealed = (await store.findTotp(name))?.secret;
    const secret = sealed === undefined ? undefined : sealer.open(sealed, name);
    if (sealed === undefined) return WRONG_TOTP;
    if (!secret) return { ...WRONG_TOTP, why: 'unreadable' };
    const step = matchingStep(secret, code, unixSeconds(clock));
    if (step === undefined) return WRONG_TOTP;
    const use = await store.useTotpStep(name, sealed, step);
    return use === 'used' ? { kind: 'right', by: 'totp' } : { ...WRONG_TOTP, why: 'spent' };
  };
  const checkRecoveryCode = async ({ name }: User, code: string): Promise<CodeOutcome> => {
    const hash = recoveryCodeHash(name, code);
    const isUsed = hash !== undefined && (await store.useRecoveryCode(name, hash)) === 'used';
    return { kind: isUsed ? 'right' : 'wrong', by: 'recovery' };
  };
  const isOwedBy = ({ role, hasFactor }: Pick<User, 'role' | 'hasFactor'>): boolean =>
    !hasFactor && isFactorRequired(mode, role);
  return {
    /** What a login must show beside the password; empty for nothing. */
    async wantedFrom({ name, hasFactor }: User): Promise<readonly FactorKind[]> {
      if (mode === 'off' || !hasFactor) return [];
      const [totp, passkeys] = [await store.findTotp(name), await store.listPasskeys(name)];
      const hasPasskey = hasPasskeys && passkeys.length > 0;
      // A user who is marked is asked in any case: a row that is lost must not make the login weaker.
      const hasTotp = totp?.secret !== undefined || !hasPasskey;
      return [...(hasTotp ? (['totp'] as const) : []), ...(hasPasskey ? (['passkey'] as const) : [])];
    },
    /** Whether the user must set up a factor before anything else. */
    isOwedBy,
    /** What a session of the user owes; `shownTo`: the provider that was shown a factor, if it was not shown here. */
    sessionOwes(user: User, shownTo: string | undefined): FactorOwed {
      if (shownTo !== undefined && trusted.has(shownTo)) return 'nothing';
      if (isOwedBy(user)) return 'enrolment';
      return shownTo !== undefined && user.hasFactor && mode !== 'off' ? 'login' : 'nothing';
    },
    /** A right code is used up by this call: of two at once, one is right. */
    checkCode(user: User, written: string): Promise<CodeOutcome> {
      const code = written.replace(/\s/g, '');
      return isTotpCode(code) ? checkTotp(user, code) : checkRecoveryCode(user, code);
    },
  };
}

const WRONG_TOTP = { kind: 'wrong', by: 'totp' } as const;

const EPOCH_BYTES = 12;

/** Names a state of a user's factors: sessions of before carry another one. */
export const newEpoch = (): string => randomBytes(EPOCH_BYTES).toString('base64url');

/** What a user gets with the first factor: the codes to show once, and what is kept of them. */
export function firstFactor(user: User): { readonly codes: readonly string[]; readonly first: FirstFactor } {
  const codes = newRecoveryCodes();
  return { codes, first: { epoch: newEpoch(), recoveryCodes: hashCodes(user.name, codes), known: user } };
}

export const hashCodes = (user: string, codes: readonly string[]): readonly string[] =>
  codes.map((code) => recoveryCodeHash(user, code)).filter((hash) => hash !== undefined);

/** A user after a factor was taken away. It is made from what was known, not read again: a password set meanwhile must not be inherited. */
export function withoutFactor(user: User, epoch: string, outcome: 'last' | 'more'): User {
  const { hasFactor: _, ...rest } = user;
  return outcome === 'last' ? { ...rest, factorEpoch: epoch } : user;
}

type FactorState = z.output<typeof SECOND_FACTOR>;
type TotpOffer = z.output<typeof TOTP_OFFER>;

type TotpConfirmation =
  /** `user`: as it is then. The codes to show once; undefined when the user had a factor before, whose codes stay. */
  | { readonly kind: 'confirmed'; readonly user: User; readonly recoveryCodes: readonly string[] | undefined }
  | { readonly kind: 'wrong-code' | 'none-waits' };

/** Setting up and removing one's own second factors. */
export type Enrolment = ReturnType<typeof createEnrolment>;

/** How long a secret waits for its first code. */
const WAIT_SECONDS = 900;
/** The name in the list of an authenticator app. */
const SERVICE = 'Postern';

export function createEnrolment({ store, sealer, clock, mode }: FactorParts) {
  return {
    async stateOf({ name, role }: User): Promise<FactorState> {
      const [totp, passkeys] = [await store.findTotp(name), await store.listPasskeys(name)];
      return {
        required: isFactorRequired(mode, role),
        totp: totp?.secret !== undefined,
        passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          created_at: createdAt,
          last_used_at: lastUsedAt,
        })),
        recovery_codes_left: await store.countRecoveryCodes(name),
      };
    },
    /** A secret that counts once a code has confirmed it. */
    async offerTotp({ name }: User): Promise<TotpOffer | undefined> {
      const secret = randomBytes(TOTP_SECRET_BYTES);
      const started = await store.startTotp(name, sealer.seal(secret, name), unixSeconds(clock) + WAIT_SECONDS);
      const uri = totpUri(secret, { user: name, service: SERVICE });
      return started === 'started' ? { secret: base32(secret), uri, qr: qrCode(uri) } : undefined;
    },
    async confirmTotp(user: User, written: string): Promise<TotpConfirmation> {
      const { name } = user;
      const now = unixSeconds(clock);
      const { pending: sealed, pendingUntil = 0 } = (await store.findTotp(name)) ?? {};
      const secret = sealed === undefined || pendingUntil <= now ? undefined : sealer.open(sealed, name);
      if (sealed === undefined || !secret) return { kind: 'none-waits' };
      const step = matchingStep(secret, written.replace(/\s/g, ''), now);
      if (step === undefined) return { kind: 'wrong-code' };
      const { codes, first } = firstFactor(user);
      const outcome = await store.confirmTotp(name, { sealed, step, first });
      if (outcome === 'gone') return { kind: 'none-waits' };
      if (outcome === 'more') return { kind: 'confirmed', user, recoveryCodes: undefined };
      const confirmed = { ...user, hasFactor: true, factorEpoch: first.epoch } as const;
      return { kind: 'confirmed', user: confirmed, recoveryCodes: codes };
    },
    /** The user as it is then; undefined when there is no such factor. */
    removeTotp: (user: User) => without(user, (epoch) => store.removeTotp(user.name, epoch)),
    removeAll: (user: User) => without(user, (epoch) => store.removeFactors(user.name, epoch)),
    /** The old ones are void. Undefined for a user without a factor, who has no use for them. */
    async newRecoveryCodes(user: User): Promise<readonly string[] | undefined> {
      const codes = newRecoveryCodes();
      const outcome = await store.replaceRecoveryCodes(user.name, hashCodes(user.name, codes), user);
      return outcome === 'replaced' ? codes : undefined;
    },
  };
}

async function without(
  user: User,
  remove: (epoch: string) => Promise<'last' | 'more' | 'absent'>,
): Promise<User | undefined> {
  const epoch = newEpoch();
  const outcome = await remove(epoch);
  return outcome === 'absent' ? undefined : withoutFactor(user, epoch, outcome);
}

/** Modules of white around the code (ISO/IEC 18004, 4 on each side). */
const QUIET_ZONE = 4;

export const qrCode = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE });
