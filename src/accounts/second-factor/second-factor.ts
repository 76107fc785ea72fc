/** Second factors: what a login must show beside the password, whether a code is right, and what a user has with one more or less (SPEC 12). */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorKind, FactorMode, FactorOwed, FirstFactor } from '../../domain/accounts/second-factor.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SecondFactorStore } from '../../store/accounts/second-factor.ts';

/** A right code gives its kind. `unreadable`: the secret was sealed under another signing secret; `spent`: the code was used before. */
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
      return TOTP_CODE.test(code) ? checkTotp(user, code) : checkRecoveryCode(user, code);
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

export async function qrCode(text: string): Promise<string> {
  const { default: encode } = await import('qr');
  return encode(text, 'svg', { ecc: 'medium', border: QUIET_ZONE });
}

/** Time-based codes (RFC 6238): SHA-1, six digits, steps of 30 seconds, as every authenticator app takes them. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the current one, for clocks that differ (RFC 6238 section 5.2). */
const SKEW_STEPS = 1;
/** RFC 4226 section 4, R6: 160 bits are recommended. */
export const TOTP_SECRET_BYTES = 20;

const TOTP_CODE = /^\d{6}$/;

/** `now`: Unix seconds. */
export const stepAt = (now: number): number => Math.floor(now / STEP_SECONDS);

/** The code of a time step (RFC 4226 section 5.3). */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * The time step that a code belongs to; undefined for a wrong code. The store decides whether a code of that step may still
 * be used. All steps are compared, so that the time tells nothing of the clock that made the code.
 */
export function matchingStep(secret: Uint8Array, code: string, now: number): number | undefined {
  if (!TOTP_CODE.test(code)) return undefined;
  const current = stepAt(now);
  let found: number | undefined;
  for (let step = current - SKEW_STEPS; step <= current + SKEW_STEPS; step += 1) {
    const isRight = timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code));
    if (isRight) found ??= step;
  }
  return found;
}

/** The address in a QR code, in the form that authenticator apps read. The defaults are named, for some apps have others. */
export function totpUri(
  secret: Uint8Array,
  { user, service }: { readonly user: string; readonly service: string },
): string {
  const label = `${encodeURIComponent(service)}:${encodeURIComponent(user)}`;
  const parameters = {
    secret: base32(secret),
    issuer: service,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
  };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join('&')}`;
}

/** Recovery codes of a user: shown once, each good once, for those times when no device is at hand (SPEC 12). */
const CODES = 10;
/** 120 bits: enough for a plain hash at rest (ASVS 5.0, 6.5.2 asks for 112). */
const CODE_BYTES = 15;
const GROUP = /.{6}/g;
const RECOVERY_CODE = /^[A-Z2-7]{24}$/;

/** New codes as they are shown: `ABCDEF-GHIJKL-MNOPQR-STUVWX`. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: CODES }, () => (base32(randomBytes(CODE_BYTES)).match(GROUP) ?? []).join('-'));

/** Bound to the user, so that one row says whose code it is. Undefined for a text that is no such code. */
export function recoveryCodeHash(user: string, written: string): string | undefined {
  const code = plain(written);
  return RECOVERY_CODE.test(code) ? hash('sha256', `${user}:${code}`, 'base64url') : undefined;
}

/** The code as people copy it from paper: the digits 0, 1 and 8 are in no code, the letters that look like them are. */
const plain = (written: string): string =>
  written
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[018]/g, (digit) => LOOK_ALIKE[digit] ?? digit);

const LOOK_ALIKE: Readonly<Record<string, string>> = { '0': 'O', '1': 'I', '8': 'B' };

/** Base32 as authenticator apps read secrets (RFC 4648 section 6), without padding. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;

export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(BITS, '0'), 2)]).join('');
}
