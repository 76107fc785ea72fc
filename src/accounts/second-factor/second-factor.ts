/** Second factors: what a login must show beside the password, whether a code is right, and what a user has with one more or less (SPEC 12). */
import { randomBytes } from 'node:crypto';
import encodeQR from 'qr';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorKind, FactorMode, FactorOwed, FirstFactor } from '../../domain/accounts/second-factor.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';
import { isTotpCode, matchingStep, newRecoveryCodes, recoveryCodeHash } from './codes.ts';

/** By what a code is right. `unreadable`: the secret was sealed under another signing secret; `spent`: the code was used before. */
type CodeOutcome = Result<'totp' | 'recovery', { readonly why: 'bad-code' | 'unreadable' | 'spent' }>;

/** Whether the mode asks a factor of users of a role. */
export const isFactorRequired = (mode: FactorMode, role: Role): boolean =>
  mode === 'everyone' || (mode === 'admins' && role === ADMIN);

interface FactorParts extends Pick<Services, 'sealer' | 'clock'> {
  readonly store: SecondFactorStore;
  /** `auth.second_factor`. */
  readonly mode: FactorMode;
  /** They can be asked for at all. */
  readonly hasPasskeys: boolean;
  /** The providers whose second factor counts here, by name. */
  readonly trusted: ReadonlySet<string>;
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;

export function createSecondFactor({ store, sealer, clock, mode, hasPasskeys, trusted }: FactorParts) {
  const checkTotp = async ({ name }: User, code: string): Promise<CodeOutcome> => {
    const sealed = (await store.findTotp(name))?.secret;
    const secret = sealed === undefined ? undefined : sealer.open(sealed, name);
    if (sealed === undefined) return WRONG;
    if (!secret) return err({ why: 'unreadable' });
    const step = matchingStep(secret, code, unixSeconds(clock));
    if (step === undefined) return WRONG;
    return (await store.useTotpStep(name, sealed, step)) === 'used' ? ok('totp') : err({ why: 'spent' });
  };
  const checkRecoveryCode = async ({ name }: User, code: string): Promise<CodeOutcome> => {
    const hash = recoveryCodeHash(name, code);
    const isUsed = hash !== undefined && (await store.useRecoveryCode(name, hash)) === 'used';
    return isUsed ? ok('recovery') : WRONG;
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

const WRONG = err({ why: 'bad-code' } as const);

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

/** A user after a factor was added. */
export const withFactor = (user: User, { epoch }: FirstFactor, outcome: 'first' | 'more'): User =>
  outcome === 'first' ? { ...user, hasFactor: true, factorEpoch: epoch } : user;

/** A user after a factor was taken away. It is made from what was known, not read again: a password set meanwhile must not be inherited. */
export function withoutFactor(user: User, epoch: string, outcome: 'last' | 'more'): User {
  const { hasFactor: _, ...rest } = user;
  return outcome === 'last' ? { ...rest, factorEpoch: epoch } : user;
}

/** Modules of white around the code (ISO/IEC 18004, 4 on each side). */
const QUIET_ZONE = 4;

export const qrCode = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE });
