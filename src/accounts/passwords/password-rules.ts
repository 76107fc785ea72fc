/** Rules for new passwords, and texts that cannot be passwords (interface 2.1, SPEC 4.3). */
import { err, ok, type Result } from '../../domain/result.ts';

/** Interface 8. In code points: JavaScript's `length` counts an emoji twice. */
const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD_BYTES = 1024;

/** A password that may be set, or what is wrong with it. */
export function parseNewPassword(text: string): Result<string, string> {
  if (text === '') return err('Password cannot be empty');
  if ([...text].length < SHORTEST_PASSWORD)
    return err(`Password must be at least ${SHORTEST_PASSWORD} characters long`);
  const fault = passwordFault(text);
  return fault === undefined ? ok(text) : err(fault);
}

/**
 * Why a text cannot be a password, checked before hashing. HMAC pads its key with zero bytes, so `secret` and
 * `secret\0` hash alike; and every lone surrogate is encoded as the same replacement character.
 */
export function passwordFault(text: string): string | undefined {
  if (Buffer.byteLength(text) > LONGEST_PASSWORD_BYTES)
    return `Password must be at most ${LONGEST_PASSWORD_BYTES} bytes long`;
  if (!text.isWellFormed() || text.includes('\0')) return 'Password must be well-formed text without NUL characters';
  return undefined;
}
