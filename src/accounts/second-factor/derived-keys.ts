/** Keys made from the signing secret, one for each purpose: none of them opens what another one signs or seals (SPEC 12). */
import { createHash, hkdfSync } from 'node:crypto';

/** A purpose is never used for another thing, and never renamed: what it sealed could not be opened any more. */
const PURPOSES = {
  totp: 'postern: TOTP secrets at rest, 1',
  'second-step': 'postern: second step of a login, 1',
  passkeys: 'postern: challenges of passkeys, 1',
  'passkey-users': 'postern: users as authenticators know them, 1',
  'oidc-attempts': 'postern: attempts to sign in with a provider, 1',
  links: 'postern: PINs and cookies of links, 1',
} as const;

const KEY_BYTES = 32;
/** RFC 5869 section 3.1: without a salt where the input is a key already. */
const NO_SALT = '';

/** 256 bits. */
export const derivedKey = (signingKey: Uint8Array, purpose: keyof typeof PURPOSES): Buffer =>
  Buffer.from(hkdfSync('sha256', signingKey, NO_SALT, PURPOSES[purpose], KEY_BYTES));

/** Tells one derived key from another, and nothing of either. */
export const derivedKeyId = (key: Uint8Array): string =>
  createHash('sha256').update('key id').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS);

const KEY_ID_CHARACTERS = 12;
