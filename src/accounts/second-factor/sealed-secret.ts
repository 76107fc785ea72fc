/** Secrets sealed at rest: AES-256-GCM, bound to the user, under a key made from the signing secret (SPEC 12). */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { derivedKeyId } from './derived-keys.ts';

export interface Sealer {
  /** Stands in front of every text that was sealed with the key. */
  readonly keyId: string;
  /** `<key id>.<base64url of nonce, tag and cipher text>`. */
  seal(secret: Uint8Array, user: string): string;
  /** Undefined for what was sealed with another key or for another user, or changed since. */
  open(sealed: string, user: string): Buffer | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A nonce is random: with fewer than 2^32 secrets under one key no two are alike (NIST SP 800-38D, 8.3). */
export function createSealer(key: Uint8Array): Sealer {
  const keyId = derivedKeyId(key);
  return {
    keyId,
    seal(secret, user) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(user));
      const text = Buffer.concat([cipher.update(secret), cipher.final()]);
      return `${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open(sealed, user) {
      const [id, text = ''] = sealed.split('.', 2);
      const bytes = Buffer.from(text, 'base64url');
      if (id !== keyId || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(user)).setAuthTag(tag);
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
