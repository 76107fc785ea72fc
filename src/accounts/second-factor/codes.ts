/** Codes of a second factor: time-based ones (RFC 6238: SHA-1, six digits, steps of 30 seconds, as every authenticator app takes them) and recovery codes. */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the current one, for clocks that differ (RFC 6238 section 5.2). */
const SKEW_STEPS = 1;
/** RFC 4226 section 4, R6: 160 bits are recommended. */
export const TOTP_SECRET_BYTES = 20;

const TOTP_CODE = /^\d{6}$/;

/** Whether a text has the form of such a code; spaces were removed before. */
export const isTotpCode = (text: string): boolean => TOTP_CODE.test(text);

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
  if (!isTotpCode(code)) return undefined;
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

/** Recovery codes: shown once, each good once, for those times when no device is at hand (SPEC 12). */
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
