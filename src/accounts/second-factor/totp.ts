/** Time-based one-time codes (RFC 6238): SHA-1, six digits, steps of 30 seconds, as every authenticator app takes them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { base32 } from './base32.ts';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Steps before and after the current one, for clocks that differ (RFC 6238 section 5.2). */
const SKEW_STEPS = 1;
/** RFC 4226 section 4, R6: 160 bits are recommended. */
export const TOTP_SECRET_BYTES = 20;

const CODE = /^\d{6}$/;

/** Whether a text has the form of such a code; spaces were removed before. */
export const isTotpCode = (text: string): boolean => CODE.test(text);

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
