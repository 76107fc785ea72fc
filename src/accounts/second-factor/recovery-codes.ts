/** Recovery codes: ten, shown once, each good once, for those times when no device is at hand (SPEC 12). */
import { hash, randomBytes } from 'node:crypto';
import { base32 } from './base32.ts';

const CODES = 10;
/** 120 bits: enough for a plain hash at rest (ASVS 5.0, 6.5.2 asks for 112). */
const CODE_BYTES = 15;
const GROUP = /.{6}/g;
const CODE = /^[A-Z2-7]{24}$/;

/** New codes as they are shown: `ABCDEF-GHIJKL-MNOPQR-STUVWX`. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: CODES }, () => (base32(randomBytes(CODE_BYTES)).match(GROUP) ?? []).join('-'));

/** Bound to the user, so that one row says whose code it is. Undefined for a text that is no such code. */
export function recoveryCodeHash(user: string, written: string): string | undefined {
  const code = plain(written);
  return CODE.test(code) ? hash('sha256', `${user}:${code}`, 'base64url') : undefined;
}

/** The code as people copy it from paper: the digits 0, 1 and 8 are in no code, the letters that look like them are. */
const plain = (written: string): string =>
  written
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[018]/g, (digit) => LOOK_ALIKE[digit] ?? digit);

const LOOK_ALIKE: Readonly<Record<string, string>> = { '0': 'O', '1': 'I', '8': 'B' };
