/** The secrets of screens: the cookie's, the code that a display polls with, and the letters that it shows (SPEC 18). */
import { hash, randomBytes, randomInt } from 'node:crypto';

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const ID_BYTES = 8;

export const SCREEN_COOKIE = 'postern_screen';

export const newScreenSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
export const newScreenId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Undefined for a text that is no such secret. A plain hash will do: 256 bits cannot be guessed. */
export const secretHash = (secret: string): string | undefined =>
  SECRET.test(secret) ? hash('sha256', secret, 'base64url') : undefined;

/** RFC 8628 section 6.1: no vowels, so no words, and no letters that look like digits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LETTER_COUNT = 8;
const HALF = LETTER_COUNT / 2;

/** Two halves, so that a person can read it out: `WDJB-MJHT`. */
export function newUserCode(): string {
  const letters = Array.from({ length: LETTER_COUNT }, () => LETTERS[randomInt(LETTERS.length)] ?? '').join('');
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

const TYPED = new RegExp(`^[${LETTERS}]{${LETTER_COUNT}}$`);
/** A code that is typed may have blanks and other dashes. */
const LONGEST_TYPED = 32;

/** The digest of letters as a person types them; undefined for what is no such code. */
export function userCodeHash(typed: string): string | undefined {
  if (typed.length > LONGEST_TYPED) return undefined;
  const letters = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return TYPED.test(letters) ? hash('sha256', letters, 'base64url') : undefined;
}
